"""Digit-like blob images; --max-steps for a short check of the pipeline."""
import argparse

import torch
import torch.nn as nn


class BlobImages:
    """A bright blob in one of nine places of a 12x12 image."""

    def __init__(self, seed):
        self.g = torch.Generator().manual_seed(seed)
        yy, xx = torch.meshgrid(torch.arange(12.0), torch.arange(12.0), indexing="ij")
        self.grid = torch.stack([yy, xx])

    def batch(self, n):
        y = torch.randint(9, (n,), generator=self.g)
        center = torch.stack([y // 3, y % 3], 1) * 3.5 + 2 + 0.5 * torch.randn(n, 2, generator=self.g)
        d2 = ((self.grid[None] - center[:, :, None, None]) ** 2).sum(1)
        img = torch.exp(-d2 / 4) + 0.2 * torch.randn(n, 12, 12, generator=self.g)
        return (img.unsqueeze(1) - 0.1) / 0.3, y


class Runner:
    def __init__(self, args):
        torch.manual_seed(args.seed)
        self.args = args
        self.data = BlobImages(args.seed)
        self.model = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(200, 9)
        )
        self.loss_fn = nn.CrossEntropyLoss()
        self.opt = torch.optim.Adam(self.model.parameters(), lr=args.lr)

    def train(self):
        for step in range(self.args.max_steps):
            x, y = self.data.batch(self.args.batch_size)
            loss = self.loss_fn(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            if step % 5 == 0 or step == self.args.max_steps - 1:
                print(f"step {step:3d} loss {loss.item():.4f}")
        x, y = self.data.batch(500)
        with torch.no_grad():
            print(f"accuracy {(self.model(x).argmax(1) == y).float().mean():.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--max-steps", type=int, default=2000)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    Runner(parser.parse_args()).train()
