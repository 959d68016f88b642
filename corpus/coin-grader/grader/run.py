import argparse

import numpy as np
import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from .mint import lots, single_coins
from .network import Grader


def appraise(model, sale):
    """Mean absolute error over the lots of a sale, one lot at a time as they come in."""
    model.eval()
    errors = []
    with torch.no_grad():
        for photos, wear in sale:
            errors.append((model(photos) - wear).abs())
    return torch.cat(errors).mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1804)
    parser.add_argument("--epochs", type=int, default=7)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    photos, wear = single_coins(2400, rng)
    sale = lots(60, rng)
    loader = DataLoader(TensorDataset(photos, wear), batch_size=48, shuffle=True)

    model = Grader()
    model.stem.calibrate(photos)
    opt = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs * len(loader))
    for epoch in range(args.epochs):
        model.train()
        running = 0.0
        for photo, target in loader:
            loss = F.mse_loss(model(photo), target)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item()
        print(f"epoch {epoch + 1}/{args.epochs}  train mse {running / len(loader):.4f}  sale MAE {appraise(model, sale):.4f}")


if __name__ == "__main__":
    main()
