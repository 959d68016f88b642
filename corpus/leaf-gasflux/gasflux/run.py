import configparser
import sys

import torch

from . import cuvette
from .net import LeafNet


def batches(x, y, size):
    """Endless shuffled batches."""
    while True:
        for rows in torch.randperm(len(x)).split(size):
            if len(rows) == size:
                yield x[rows], y[rows]


def main(path):
    cfg = configparser.ConfigParser()
    cfg.read(path)
    fit = cfg["fit"]
    torch.manual_seed(fit.getint("seed"))
    x, y = cuvette.read_campaigns(cfg["files"]["campaigns"])
    x_val, y_val = cuvette.read(cfg["files"]["validation"])
    print(f"# {len(x)} leaves in training, {len(x_val)} in validation")
    net = LeafNet(x.shape[1], cfg["net"].getint("hidden"))
    adam = torch.optim.Adam(net.parameters(), lr=fit.getfloat("lr"))
    every = fit.getint("log_every")
    mean = 0.0
    print("# step  train_mse  val_rmse")
    for step, (xb, yb) in enumerate(batches(x, y, fit.getint("batch")), 1):
        loss = (net(xb) - yb).pow(2).mean()
        adam.zero_grad()
        loss.backward()
        adam.step()
        mean += loss.item() / every
        if step % every == 0:
            with torch.no_grad():
                rmse = (net(x_val) - y_val).pow(2).mean().sqrt().item()
            print(f"{step:6d}  {mean:9.4g}  {rmse:.4f}")
            mean = 0.0
        if step == fit.getint("steps"):
            break
    print(f"final validation RMSE {rmse:.4f} (in units of the usual range)")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "gasflux.cfg")
