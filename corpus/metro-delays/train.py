"""How long will the delay at a station last, given the last half hour on its line? (GRU, minutes)"""
import argparse

import torch
import torch.nn as nn

STOPS, SPAN = 6, 30


def traffic(n, gen):
    """n situations: headways at six stops over thirty minutes, and the minutes until traffic is regular again."""
    start = torch.randint(4, 24, (n,), generator=gen)
    where = torch.randint(0, STOPS, (n,), generator=gen)
    size = torch.rand(n, generator=gen) * 3 + 0.5
    minute = torch.arange(SPAN).view(1, SPAN, 1)
    stop = torch.arange(STOPS).view(1, 1, STOPS)
    since = minute - start.view(-1, 1, 1) - 1.5 * (stop - where.view(-1, 1, 1)).abs()
    wave = size.view(-1, 1, 1) * torch.exp(-since.clamp(min=0) / 8.0) * (since >= 0)
    x = wave + 0.3 * torch.randn(n, SPAN, STOPS, generator=gen)
    left = 8.0 * torch.log(size / 0.1) - (SPAN - start)
    return x, left.clamp(min=0) / 10.0


class Recovery(nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.gru = nn.GRU(STOPS, width, num_layers=2, batch_first=True)
        self.head = nn.Sequential(nn.Linear(width, 24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, x):
        _, h = self.gru(x)
        return self.head(h[-1]).squeeze(-1)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=500)
    p.add_argument("--batch", type=int, default=64)
    a = p.parse_args()

    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(0)
    x, y = traffic(6000, gen)
    xt, yt = traffic(500, gen)
    net = Recovery()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    avg = None
    for step in range(1, a.steps + 1):
        pick = torch.randint(len(x), (a.batch,))
        loss = nn.functional.smooth_l1_loss(net(x[pick]), y[pick])
        opt.zero_grad()
        loss.backward()
        opt.step()
        avg = loss.item() if avg is None else 0.95 * avg + 0.05 * loss.item()
        if step % 20 == 0:
            print(f"step={step} loss={avg:.4f}")
    with torch.no_grad():
        mae = 10 * (net(xt) - yt).abs().mean().item()
    print(f"test error {mae:.2f} min")
    torch.save(net.state_dict(), "recovery.pt")
