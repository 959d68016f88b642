#!/usr/bin/env python
import pathlib
import tomllib

import torch

from hotword import audio, fit
from hotword.model import HotwordNet

HERE = pathlib.Path(__file__).parent


def main():
    cfg = tomllib.loads((HERE / "hotword.toml").read_text())
    f = cfg["fit"]
    torch.manual_seed(f["seed"])
    train, check = audio.loaders(HERE / cfg["audio"]["folder"], f["batch"])
    model = HotwordNet(cfg["audio"], **cfg["net"])
    fit.freeze(model, f["freeze"])
    optimizer = fit.make_optimizer(model, f["optimizer"], f["lr"], f["weight_decay"])
    print(f"== {cfg['title']}: {len(train.dataset)} clips")
    best = 0.0
    for epoch in range(f["epochs"]):
        loss = fit.train_epoch(model, train, optimizer)
        score = fit.recall(model, check)
        best = max(best, score)
        print(f"   epoch {epoch:02d}  train loss {loss:.3f}  recall {score:.3f}")
    print(f"== best recall {best:.3f}")


if __name__ == "__main__":
    main()
