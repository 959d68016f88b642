import argparse
import json

import torch

from forecast import Forecaster, Loop, Updater, WindowSource, make_series


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--config", default="config.json")
    with open(ap.parse_args().config) as fh:
        cfg = json.load(fh)

    torch.manual_seed(cfg["seed"])
    series = make_series(cfg["series"]["n_points"], cfg["series"]["noise"], cfg["seed"])
    source = WindowSource(series, cfg["series"]["window"], cfg["seed"])
    model = Forecaster(cfg["series"]["window"], **cfg["model"])
    updater = Updater(model.parameters(), **cfg["optim"])
    loop = Loop(model, updater, source, cfg["train"]["batch_size"], cfg["train"]["log_every"])
    loop.run(cfg["train"]["steps"])


if __name__ == "__main__":
    main()
