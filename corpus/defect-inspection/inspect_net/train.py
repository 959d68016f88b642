import argparse

import torch

from . import settings
from .net import InspectNet
from .patches import loaders
from .solver import Solver


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    cfg = settings.load(parser.parse_args().config)

    torch.manual_seed(cfg.run.seed)
    train, valid = loaders(cfg.data)
    net = InspectNet(**cfg.net)
    solver = Solver(net, cfg.solver)
    for epoch in range(cfg.run.epochs):
        losses = [solver.learn(net, *batch) for batch in train]
        vloss, vacc = solver.judge(net, valid)
        print(f"epoch {epoch} train {sum(losses) / len(losses):.4f} valid {vloss:.4f} accuracy {vacc:.3f}")


if __name__ == "__main__":
    main()
