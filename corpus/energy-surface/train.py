import argparse

import torch
from torch import nn

ap = argparse.ArgumentParser()
ap.add_argument("--depth", type=int, default=4)
ap.add_argument("--width", type=int, default=24)
ap.add_argument("--steps", type=int, default=800)
ap.add_argument("--lr", type=float, default=5e-3)
ap.add_argument("--batch", type=int, default=128)
opts = ap.parse_args()

torch.manual_seed(99)
COORDS = 8


def energy(q):
    """Pairwise wells plus a periodic torsion term."""
    d = q[:, :, None] - q[:, None, :]
    pair = torch.exp(-d.square()).sum(dim=(1, 2)) - q.shape[1]
    torsion = torch.cos(2.0 * q[:, :-1] + q[:, 1:]).sum(1)
    return 0.2 * pair + torsion


q_all = torch.randn(8000, COORDS)
e_all = energy(q_all)
e_mean, e_std = e_all.mean(), e_all.std()
e_all = (e_all - e_mean) / e_std
q_tr, e_tr, q_te, e_te = q_all[:7000], e_all[:7000], q_all[7000:], e_all[7000:]


class Block(nn.Module):
    def __init__(self, width, bottleneck):
        super().__init__()
        self.down = nn.Linear(width, bottleneck)
        self.up = nn.Linear(bottleneck, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, h):
        return h + self.up(torch.sin(self.down(self.norm(h))))


class Surface(nn.Module):
    def __init__(self, width, depth, bottleneck=64):
        super().__init__()
        self.lift = nn.Linear(COORDS, width)
        self.blocks = [Block(width, bottleneck) for _ in range(depth)]
        self.readout = nn.Linear(width, 1)

    def forward(self, q):
        h = self.lift(q)
        for block in self.blocks:
            h = block(h)
        return self.readout(h).squeeze(-1)


net = Surface(opts.width, opts.depth)
optimizer = torch.optim.AdamW(net.parameters(), lr=opts.lr, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=opts.steps, eta_min=opts.lr / 20)

ema = None
for step in range(opts.steps):
    rows = torch.randint(0, len(q_tr), (opts.batch,))
    residual = net(q_tr[rows]) - e_tr[rows]
    loss = residual.square().mean()

    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    sched.step()

    ema = loss.item() if ema is None else 0.98 * ema + 0.02 * loss.item()
    if (step + 1) % 100 == 0:
        with torch.no_grad():
            test = (net(q_te) - e_te).square().mean().item()
        print(f"{step + 1:5d} train {ema:.4f} test {test:.4f} rmse {test ** 0.5 * e_std.item():.3f} lr {sched.get_last_lr()[0]:.2e}")
