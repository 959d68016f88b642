#!/usr/bin/env python
"""Fits the COP model on the bench trials and checks it on the acceptance trials."""
import sys
import tomllib

import torch

from cop import CopModel, Scaler, load_trials


def tensors(scaler, table):
    return torch.from_numpy(scaler.inputs(table)), torch.from_numpy(scaler.targets(table))


def main(conf_path="conf/base.toml"):
    with open(conf_path, "rb") as fh:
        conf = tomllib.load(fh)
    paths, opts = conf["paths"], conf["fit"]
    torch.manual_seed(opts["seed"])
    scaler = Scaler(paths["stats"])
    x, y = tensors(scaler, load_trials(paths["trials"], "bench"))
    x_acc, y_acc = tensors(scaler, load_trials(paths["trials"], "acceptance"))

    model = CopModel(len(scaler.columns), conf["net"]["widths"])
    opt = torch.optim.SGD(model.parameters(), lr=opts["lr"], momentum=opts["momentum"])
    mse = torch.nn.MSELoss()
    recent = 0.0
    for step in range(1, opts["steps"] + 1):
        rows = torch.randint(len(x), (opts["batch"],))
        loss = mse(model(x[rows]), y[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
        recent += loss.item() / opts["report"]
        if step % opts["report"] == 0:
            with torch.no_grad():
                check = mse(model(x_acc), y_acc).item()
            print(f"{step:>5}/{opts['steps']}   bench mse {recent:.4f}   acceptance mse {check:.4f}")
            recent = 0.0
    print(f"acceptance RMSE in COP: {check ** 0.5 * scaler.target['std']:.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
