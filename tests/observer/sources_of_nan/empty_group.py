"""A batch without a single member of one group, whose mean is zero divided by zero."""

# truth: step=152 phase=forward op=div divisor_zeros=1
import torch
from torch import nn


def group_mean(values, member):
    total = (values * member).sum()
    return total / member.sum()  # <- here


def separation(scores, y):
    return (group_mean(scores, y) - 1).square() + (group_mean(scores, 1 - y) + 1).square()


def main():
    torch.manual_seed(2)
    x = torch.randn(200 * 12, 5)
    y = (x[:, 0] > 0).float()
    y[152 * 12 : 153 * 12] = 0
    model = nn.Sequential(nn.Linear(5, 10), nn.GELU(), nn.Linear(10, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = []
    for start in range(0, len(x), 12):
        loss = separation(model(x[start : start + 12]).squeeze(1), y[start : start + 12])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    print(losses[::10], losses[-1], torch.rand(1).item())


if __name__ == "__main__":
    main()
