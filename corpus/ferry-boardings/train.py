import json
import time

import torch
from torch.nn.functional import l1_loss, mse_loss

from boardings.features import FEATURES
from boardings.model import Boardings
from boardings.months import months


def load_config(path="config.json"):
    with open(path) as fh:
        return json.load(fh)


def explained(model, x, y):
    with torch.no_grad():
        out = model(x)
    return 1 - (mse_loss(out, y) / y.var()).item(), 80 * l1_loss(out, y).item()


def main():
    cfg = load_config()
    torch.manual_seed(cfg["seed"])
    t0 = time.perf_counter()
    x, y = months(cfg["raw"], cfg["cache"], cfg["train_months"])
    x_valid, y_valid = months(cfg["raw"], cfg["cache"], cfg["valid_months"])
    print(f"{len(x)} sailings to train on, {len(x_valid)} to validate ({time.perf_counter() - t0:.1f} s to load)")

    model = Boardings(len(FEATURES), **cfg["model"])
    optimizer = torch.optim.AdamW(model.parameters(), **cfg["optim"])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, cfg["epochs"])
    for epoch in range(cfg["epochs"]):
        total = 0.0
        batches = torch.randperm(len(x)).split(cfg["batch_size"])
        for rows in batches:
            optimizer.zero_grad()
            loss = mse_loss(model(x[rows]), y[rows])
            loss.backward()
            optimizer.step()
            total += loss.item()
        schedule.step()
        r2, mae = explained(model, x_valid, y_valid)
        print(f"epoch={epoch + 1} train_mse={total / len(batches):.4f} valid_mae={mae:.1f} valid_r2={r2:.3f}")


if __name__ == "__main__":
    main()
