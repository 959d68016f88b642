"""Level forecast for the gauges in data/, six hours ahead."""
import tomllib

import torch
from torch.utils.data import DataLoader

from river.fit import forecast_all, rmse, train_epoch
from river.model import GaugeForecaster
from river.readings import COLUMNS, StationWindows


def main():
    with open("config.toml", "rb") as fh:
        cfg = tomllib.load(fh)
    torch.manual_seed(cfg["seed"])

    train_set = StationWindows(cfg["data"], "train", **cfg["window"])
    val_set = StationWindows(cfg["data"], "val", **cfg["window"])
    missing = 1 - train_set.masks.mean().item()
    print(f"{len(train_set)} windows to train, {len(val_set)} to validate, {missing:.1%} of readings missing")

    train_loader = DataLoader(train_set, batch_size=cfg["fit"]["batch_size"], shuffle=True)
    val_loader = DataLoader(val_set, batch_size=256)
    model = GaugeForecaster(len(COLUMNS), cfg["model"]["hidden"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["fit"]["lr"])
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=3, gamma=0.5)

    cm = float(val_set.std[0])
    persistence = rmse(val_set.current, val_set.levels) * cm
    for epoch in range(1, cfg["fit"]["epochs"] + 1):
        loss = train_epoch(model, train_loader, optimizer, cfg["fit"]["clip"])
        schedule.step()
        forecasts, levels = forecast_all(model, val_loader)
        error = rmse(forecasts, levels) * cm
        print(f"epoch {epoch:2d}  train mse {loss:.4f}  val rmse {error:.2f} cm  lr {schedule.get_last_lr()[0]:.4g}")

    print(f"persistence {persistence:.2f} cm, model {error:.2f} cm, skill {1 - (error / persistence) ** 2:.3f}")


if __name__ == "__main__":
    main()
