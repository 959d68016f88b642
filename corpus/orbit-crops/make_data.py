"""Crops of satellite images, and the checkpoint of a run that was stopped. last.pt ends after 70 % of its bytes, as when
the machine went down while it was written; with --fixed it is whole."""
import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from orbit.checkpoints import Checkpoints  # noqa: E402
from orbit.crops import COVERS, Crops  # noqa: E402
from orbit.main import test, train_one  # noqa: E402
from orbit.model import CoverNet  # noqa: E402

S = 24


def crop(k, rng):
    yy, xx = np.mgrid[:S, :S]
    t = rng.uniform(0, np.pi)
    u = xx * np.cos(t) + yy * np.sin(t)
    img = np.zeros((3, S, S))
    rough = rng.standard_normal((S, S))
    rough = (rough + np.roll(rough, 1, 0) + np.roll(rough, 1, 1)) / 1.7
    if k == 0:
        base, tone = np.array([120, 130, 80]), 14 * np.sin(2 * np.pi * u / rng.uniform(4, 7))
    elif k == 1:
        base, tone = np.array([70, 105, 65]), 22 * rough
    elif k == 2:
        base, tone = np.array([95, 115, 125]), np.where(u > np.median(u) + rng.uniform(-4, 4), 35, -35) + 6 * rough
    elif k == 3:
        base, tone = np.array([125, 120, 112]), 28 * (((xx + rng.integers(6)) % 6 < 3) & ((yy + rng.integers(6)) % 6 < 3)) - 12
    else:
        r = np.hypot(xx - S / 2 + rng.uniform(-4, 4), yy - S / 2 + rng.uniform(-4, 4))
        base, tone = np.array([128, 120, 100]), 14 * np.sin(2 * np.pi * r / rng.uniform(4, 7))
    img[:] = base[:, None, None] + tone
    return np.clip(img * rng.uniform(0.8, 1.2) + rng.normal(0, 12, (3, 1, 1)) + 14 * rng.standard_normal(img.shape), 0, 255).astype(np.uint8)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    a = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(a.seed + 1972)
    rng = np.random.default_rng(a.seed + 50)
    cfg = json.loads((HERE / "config.json").read_text())
    dest = Path(a.dest)
    (dest / "crops").mkdir(parents=True, exist_ok=True)
    arrays = {}
    for part, n in (("train", 900), ("valid", 300)):
        cover = rng.integers(len(COVERS), size=n)
        arrays[f"{part}_pixels"] = np.stack([crop(k, rng) for k in cover])
        arrays[f"{part}_cover"] = cover.astype(np.int8)
    np.savez(dest / cfg["crops"], **arrays)

    train = DataLoader(Crops(dest / cfg["crops"], "train"), batch_size=cfg["batch"], shuffle=True)
    valid = DataLoader(Crops(dest / cfg["crops"], "valid"), batch_size=256)
    model = CoverNet(len(COVERS), cfg["width"])
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    keep = Checkpoints(dest / cfg["checkpoints"])
    for epoch in range(5):
        train_one(model, train, optimizer)
        keep.save(epoch, test(model, valid), model, optimizer)
    if not a.fixed:
        last = keep.folder / "last.pt"
        whole = last.read_bytes()
        last.write_bytes(whole[: len(whole) * 7 // 10])


if __name__ == "__main__":
    main()
