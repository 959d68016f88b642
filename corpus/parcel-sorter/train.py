import argparse
import tomllib

import torch
from torch.utils.data import DataLoader

from sorter.fit import fit
from sorter.net import lane_net
from sorter.shards import COLUMNS, LANES, load_days


def main():
    parser = argparse.ArgumentParser(description="Which lane does a parcel go to?")
    parser.add_argument("--config", default="config.toml")
    with open(parser.parse_args().config, "rb") as fh:
        cfg = tomllib.load(fh)
    torch.manual_seed(cfg["seed"])
    train, held = load_days(cfg["data"])
    net = lane_net(len(COLUMNS), cfg["model"]["hidden"], len(LANES))
    fit(
        net,
        DataLoader(train, batch_size=cfg["fit"]["batch_size"], shuffle=True, drop_last=True),
        DataLoader(held, batch_size=512),
        epochs=cfg["fit"]["epochs"],
        lr=cfg["fit"]["lr"],
    )


if __name__ == "__main__":
    main()
