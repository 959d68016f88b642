import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from encoder import Encoder
from images import bars


class ProbedModel(nn.Module):
    def __init__(self, backbone, dim, n_out):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(dim, n_out)

    def forward(self, x):
        return self.head(self.backbone(x))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", default="encoder.pt")
    parser.add_argument("--attribute", default="thick", choices=["orient", "thick", "sign"])
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--lr", type=float, default=5e-3)
    args = parser.parse_args()

    torch.manual_seed(1)
    backbone = Encoder()
    backbone.load_state_dict(torch.load(args.weights, weights_only=True))
    model = ProbedModel(backbone, 32, 3 if args.attribute == "thick" else 2)

    xt, at = bars(2000, seed=20)
    xv, av = bars(500, seed=21)
    loader = DataLoader(TensorDataset(xt, at[args.attribute]), batch_size=64, shuffle=True)
    optimizer = torch.optim.Adam(model.head.parameters(), lr=args.lr)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(args.epochs):
        model.train()
        losses = []
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            acc = (model(xv).argmax(1) == av[args.attribute]).float().mean().item()
        print(f"epoch {epoch} probe loss {sum(losses) / len(losses):.4f} val acc {acc:.3f}")


if __name__ == "__main__":
    main()
