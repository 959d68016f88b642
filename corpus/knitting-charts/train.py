import tomllib
from pathlib import Path

import torch

from stitch import Charts, StitchModel, Trainer

cfg = tomllib.loads(Path("experiment.toml").read_text())
torch.manual_seed(cfg["seed"])
stitches = Path(cfg["data"]["folder"], "stitches.txt").read_text().split()
train, valid = Charts.loaders(**cfg["data"])
model = StitchModel(len(stitches), **cfg["model"])
print(f"{len(stitches)} stitches, {len(train.dataset)} rows to learn from, {len(valid.dataset)} to check")
Trainer(model, train, valid, **cfg["optim"]).run()
