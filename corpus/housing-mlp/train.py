"""House price regression.

usage: train.py [--lr LR] [--momentum M] [--epochs N]
"""
import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def get_args():
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--lr", type=float, default=0.05, help="learning rate")
    parser.add_argument("--momentum", type=float, default=0.5)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def houses(n, gen):
    f = torch.randn(n, 12, generator=gen)
    area, rooms, age, dist = f[:, 0], f[:, 1], f[:, 2], f[:, 3]
    price = 1.5 * area + 0.5 * area * rooms - 0.8 * torch.relu(age) + torch.exp(-dist.square()) + 0.3 * f[:, 4:8].sum(1)
    price = price + 0.15 * torch.randn(n, generator=gen)
    return f, ((price - price.mean()) / price.std()).unsqueeze(1)


def evaluate(model, loader, loss_fn):
    model.eval()
    with torch.no_grad():
        return sum(loss_fn(model(f), p).item() for f, p in loader) / len(loader)


def main():
    args = get_args()
    print(vars(args))
    torch.manual_seed(args.seed)
    gen = torch.Generator().manual_seed(args.seed)
    f, p = houses(3000, gen)
    train_dl = DataLoader(TensorDataset(f[:2500], p[:2500]), batch_size=args.batch_size, shuffle=True)
    valid_dl = DataLoader(TensorDataset(f[2500:], p[2500:]), batch_size=250)

    model = nn.Sequential(
        nn.Linear(12, 64),
        nn.ReLU(),
        nn.Linear(64, 32),
        nn.ReLU(),
        nn.Linear(32, 1),
    )
    loss_fn = nn.MSELoss()
    opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum)

    it = 0
    for epoch in range(args.epochs):
        model.train()
        for fb, pb in train_dl:
            loss = loss_fn(model(fb), pb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if it % 40 == 0:
                print(f"  iter {it}: loss {loss.item():.6g}")
            it += 1
        print(f"epoch {epoch}: valid loss {evaluate(model, valid_dl, loss_fn):.6g}")


if __name__ == "__main__":
    main()
