"""Reads lines of scanned invoices: which account a line belongs to, and how much VAT is in it."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

ACCOUNTS = 7


@dataclass(frozen=True)
class Lines:
    words: torch.Tensor    # (n, 6) token ids
    layout: torch.Tensor   # (n, 8) positions, sizes, printed gross amount
    account: torch.Tensor  # (n,)
    vat: torch.Tensor      # (n,)

    def __len__(self):
        return len(self.account)

    def __getitem__(self, rows):
        return Lines(self.words[rows], self.layout[rows], self.account[rows], self.vat[rows])


def scan(n, rng):
    account = rng.integers(0, ACCOUNTS, n)
    words = rng.integers(ACCOUNTS * 8, 120, (n, 6))
    for slot in range(2):
        words[:, slot] = account * 8 + rng.integers(0, 8, n)
    words = rng.permuted(words, axis=1)
    layout = rng.normal(size=(n, 8))
    rate = np.array([0.0, 0.07, 0.19, 0.19, 0.07, 0.12, 0.25])[account]
    gross = layout[:, 0] + 2.0
    vat = 6 * gross * rate + 0.3 * np.sin(2 * layout[:, 1]) + 0.05 * rng.normal(size=n)
    return Lines(
        torch.from_numpy(words),
        torch.from_numpy(layout.astype(np.float32)),
        torch.from_numpy(account),
        torch.from_numpy(((vat - 1.5) / 1.3).astype(np.float32)),
    )


class LineReader(nn.Module):
    def __init__(self, vocab=120, dim=32, hidden=64):
        super().__init__()
        self.words = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.trunk = nn.Sequential(nn.Linear(dim + 8, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.account = nn.Linear(hidden, ACCOUNTS)
        self.vat = nn.Sequential(nn.Linear(hidden, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, lines):
        h = self.trunk(torch.cat([self.words(lines.words), lines.layout], dim=1))
        return self.account(h), self.vat(h).squeeze(1)


@dataclass
class Objective:
    account_weight: float = 1.0
    vat_weight: float = 2.0

    def __call__(self, model, lines):
        account, vat = model(lines)
        account_loss = F.cross_entropy(account, lines.account)
        parts = {"account": account_loss.item(), "vat": F.smooth_l1_loss(vat, lines.vat).item()}
        total = self.account_weight * account_loss + self.vat_weight * parts["vat"]
        return total, parts


class Meter:
    def __init__(self):
        self.sums, self.n = {}, 0

    def add(self, parts):
        self.n += 1
        for name, value in parts.items():
            self.sums[name] = self.sums.get(name, 0.0) + value

    def __str__(self):
        return ", ".join(f"{name} {value / self.n:.4f}" for name, value in self.sums.items())


@torch.no_grad()
def check(model, lines):
    account, vat = model(lines)
    return (account.argmax(1) == lines.account).float().mean().item(), (vat - lines.vat).abs().mean().item()


def main(seed=31, epochs=6, batch=64):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    train, held = scan(6000, rng), scan(1000, rng)
    model, objective = LineReader(), Objective()
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(epochs):
        meter = Meter()
        for rows in torch.randperm(len(train)).split(batch):
            loss, parts = objective(model, train[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
            meter.add(parts)
        acc, mae = check(model, held)
        print(f"epoch {epoch}: {meter} | held-out account acc {acc:.3f}, VAT MAE {mae:.4f}")


if __name__ == "__main__":
    main()
