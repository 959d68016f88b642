import argparse
import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rings(Dataset):
    """Inner ring -> 0, outer ring -> 1, embedded in `dim` dimensions."""

    def __init__(self, n, dim=6, noise=0.12, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.y = (torch.rand(n, generator=g) < 0.5).float()
        radius = 0.7 + 0.8 * self.y + noise * torch.randn(n, generator=g)
        phi = 2 * math.pi * torch.rand(n, generator=g)
        self.x = 0.3 * torch.randn(n, dim, generator=g)
        self.x[:, 0] = radius * torch.cos(phi)
        self.x[:, 1] = radius * torch.sin(phi)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, index):
        return self.x[index], self.y[index]


class RingNet(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.l1 = nn.Linear(dim, hidden)
        self.l2 = nn.Linear(hidden, hidden)
        self.l3 = nn.Linear(hidden, 1)
        self.drop = nn.Dropout(0.05)

    def forward(self, x):
        x = F.relu(self.l1(x))
        x = self.drop(F.relu(self.l2(x)))
        return self.l3(x).squeeze(-1)


def main(args):
    torch.manual_seed(args.seed)
    train = DataLoader(Rings(4000, seed=1), batch_size=args.batch_size, shuffle=True)
    test = Rings(1000, seed=2)
    net = RingNet(6, args.hidden)
    optimizer = torch.optim.Adam(net.parameters(), lr=args.learning_rate)

    step = 0
    for epoch in range(args.epochs):
        net.train()
        for x, y in train:
            logit = net(x)
            loss = F.binary_cross_entropy_with_logits(logit, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % args.log_interval == 0:
                print(f"train epoch {epoch} step {step} loss {loss.item():.4f}")
        net.eval()
        with torch.no_grad():
            logit = net(test.x)
            test_loss = F.binary_cross_entropy_with_logits(logit, test.y).item()
            acc = ((logit > 0) == (test.y > 0.5)).float().mean().item()
        print(f"test  epoch {epoch} loss {test_loss:.4f} acc {acc:.3f}")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--hidden", type=int, default=48)
    ap.add_argument("--learning-rate", type=float, default=1e-6)
    ap.add_argument("--log-interval", type=int, default=50)
    ap.add_argument("--seed", type=int, default=12)
    main(ap.parse_args())
