"""Dead reckoning with an IRNN (Le, Jaitly & Hinton 2015): speed and a brake flag over a trip -> distance and stops.

Trips have very different lengths, so a batch is cut to one length, drawn anew for every step.
"""
import argparse

import torch
import torch.nn.functional as F
from torch import nn

SHORT, LONG = 20, 100


class Trips:
    def __init__(self, seed):
        self.gen = torch.Generator().manual_seed(seed)

    def draw(self, n, length=None):
        if length is None:
            length = int(torch.randint(SHORT, LONG + 1, (1,), generator=self.gen))
        drift = 0.3 * torch.randn(n, length, generator=self.gen).cumsum(1) / length ** 0.5
        speed = (torch.rand(n, 1, generator=self.gen) + drift).clamp(0, 1.5)
        brake = (torch.rand(n, length, generator=self.gen) < 0.08).float()
        distance = (speed * (1 - brake)).sum(1) / 20
        stops = brake.sum(1) / 4
        return torch.stack([speed, brake], 2), torch.stack([distance, stops], 1)


class Odometer(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.rnn = nn.RNN(2, hidden, nonlinearity="relu", batch_first=True)
        self.out = nn.Linear(hidden, 2)
        nn.init.eye_(self.rnn.weight_hh_l0)
        nn.init.normal_(self.rnn.weight_ih_l0, std=0.02)
        nn.init.zeros_(self.rnn.bias_hh_l0)
        nn.init.zeros_(self.rnn.bias_ih_l0)

    def forward(self, trip):
        states, _ = self.rnn(trip)
        return self.out(states[:, -1])


class Trainer:
    def __init__(self, model, trips, args):
        self.model, self.trips, self.args = model, trips, args
        self.opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, args.steps)
        self.held = {length: trips.draw(200, length) for length in (SHORT, 60, LONG)}

    def step(self):
        x, y = self.trips.draw(self.args.batch)
        loss = F.mse_loss(self.model(x), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.sched.step()
        return loss.item()

    @torch.no_grad()
    def score(self):
        return {length: F.mse_loss(self.model(x), y).item() for length, (x, y) in self.held.items()}

    def run(self):
        total = 0.0
        for k in range(1, self.args.steps + 1):
            total += self.step()
            if k % self.args.every == 0:
                held = "  ".join(f"T={length}: {mse:.4f}" for length, mse in self.score().items())
                print(f"{k:5d}  train {total / self.args.every:.4f}  {held}")
                total = 0.0


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--hidden", type=int, default=24)
    p.add_argument("--lr", type=float, default=0.005)
    p.add_argument("--steps", type=int, default=400)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--every", type=int, default=40)
    args = p.parse_args()
    torch.manual_seed(5)
    trainer = Trainer(Odometer(args.hidden), Trips(6), args)
    trainer.run()
    print(f"mse at T=60: {trainer.score()[60]:.4f} (variance {trainer.held[60][1].var(0).mean():.4f})")
