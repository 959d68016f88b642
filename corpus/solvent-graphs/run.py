import argparse
import json
from pathlib import Path

import torch
from torch.utils.data import DataLoader

from solv.graphs import collate, load_molecules
from solv.network import SolubilityNet
from solv.trainer import Trainer


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=6)
    return parser.parse_args()


def main() -> None:
    args = parse_args()
    torch.manual_seed(args.seed)
    meta = json.loads((args.data / "meta.json").read_text())
    train_set = load_molecules(args.data, "train")
    valid_set = load_molecules(args.data, "valid")
    spread = meta["log_s"]["std"]
    print(f"{len(train_set)} molecules, {len(valid_set)} for validation, std of log S {spread:.3f}")

    train = DataLoader(train_set, batch_size=50, shuffle=True, collate_fn=collate)
    valid = DataLoader(valid_set, batch_size=200, collate_fn=collate)
    model = SolubilityNet(len(meta["elements"]), args.width, args.rounds)
    trainer = Trainer(model, meta["log_s"]["mean"], spread, args.lr)
    best = trainer.fit(train, valid, args.epochs)
    print(f"best valid MAE {best:.4f} log units")


if __name__ == "__main__":
    main()
