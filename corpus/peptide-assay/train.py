"""Four binding assays from one network. The table is small, so every epoch is one pass over all of it at once."""
import argparse
import sys

import numpy as np
import torch
from torch import nn

from assay import AMINO, LENGTH, TARGETS, binding_table


class BindingNet(nn.Module):
    def __init__(self, hidden=64, dropout=0.3):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(LENGTH * len(AMINO), hidden), nn.Tanh(), nn.Dropout(dropout))
        self.heads = nn.Linear(hidden, len(TARGETS))

    def forward(self, one_hot):
        return self.heads(self.shared(one_hot))


def measured_mse(prediction, strength):
    measured = ~torch.isnan(strength)
    difference = prediction[measured] - strength[measured]
    return difference.pow(2).mean()


def r_squared(model, one_hot, strength):
    model.eval()
    with torch.no_grad():
        prediction = model(one_hot)
    scores = []
    for k in range(len(TARGETS)):
        rows = ~torch.isnan(strength[:, k])
        truth = strength[rows, k]
        rest = (prediction[rows, k] - truth).pow(2).sum()
        scores.append((1 - rest / (truth - truth.mean()).pow(2).sum()).item())
    return scores


def normalise_gradient(parameters):
    """Scales the gradient of all parameters to length one."""
    grads = [p.grad for p in parameters if p.grad is not None]
    length = torch.sqrt(sum(g.pow(2).sum() for g in grads))
    for g in grads:
        g.div_(length + 1e-12)
    return length.item()


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=300)
    ap.add_argument("--lr", type=float, default=1.0)
    ap.add_argument("--decay", type=float, default=0.985)
    ap.add_argument("--seed", type=int, default=1)
    args = ap.parse_args(argv)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    one_hot, strength = binding_table(1800, rng)
    train_x, train_y = one_hot[:1400], strength[:1400]
    val_x, val_y = one_hot[1400:], strength[1400:]
    print(f"{len(train_x)} peptides, {torch.isnan(train_y).float().mean():.0%} of the table not measured", file=sys.stderr)

    model = BindingNet()
    parameters = list(model.parameters())
    optimizer = torch.optim.SGD(parameters, lr=args.lr)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, args.decay)
    for epoch in range(args.epochs):
        model.train()
        prediction = model(train_x)
        loss = measured_mse(prediction, train_y)
        optimizer.zero_grad()
        loss.backward()
        length = normalise_gradient(parameters)
        optimizer.step()
        scheduler.step()
        if epoch < 5 or epoch % 25 == 24:
            val_r2 = np.mean(r_squared(model, val_x, val_y))
            print(f"epoch={epoch} mse={loss.item():.4f} |grad|={length:.4f} lr={scheduler.get_last_lr()[0]:.4f} val_r2={val_r2:.4f}")
    scores = r_squared(model, val_x, val_y)
    for name, score in zip(TARGETS, scores):
        print(f"  {name:8s} R2 {score:.3f}")
    print(f"mean R2 {np.mean(scores):.4f}")


if __name__ == "__main__":
    main()
