import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

from .molecules import load
from .schedule import WarmupCosine
from .settings import Settings


def build(n_in, cfg):
    layers, width = [], n_in
    for _ in range(cfg.depth):
        layers += [nn.Linear(width, cfg.width), nn.SiLU()]
        width = cfg.width
    return nn.Sequential(*layers, nn.Linear(width, 1), nn.Flatten(0))


def rmse(net, xy):
    with torch.no_grad():
        return (net(xy[0]) - xy[1]).square().mean().sqrt().item()


def fit(s: Settings):
    torch.manual_seed(s.seed)
    train, held = load(s.data, s.seed)
    net = build(s.data.fragments, s.model)
    steps = s.epochs * (len(train[1]) // s.batch)
    optimizer = torch.optim.AdamW(net.parameters(), lr=s.optim.lr, weight_decay=s.optim.weight_decay)
    scheduler = LambdaLR(optimizer, WarmupCosine(s.optim.lr, s.optim.floor, s.optim.warmup, steps))
    print(f"{sum(p.numel() for p in net.parameters())} parameters, {steps} steps, held-out rmse {rmse(net, held):.4f}")
    for epoch in range(s.epochs):
        order = torch.randperm(len(train[1]))
        total = 0.0
        batches = order[: len(order) // s.batch * s.batch].view(-1, s.batch)
        for rows in batches:
            loss = (net(train[0][rows]) - train[1][rows]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            total += loss.item()
        print(f"epoch {epoch + 1}: train mse {total / len(batches):.4f}, held-out rmse {rmse(net, held):.4f}")


if __name__ == "__main__":
    fit(Settings())
