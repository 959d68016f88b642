"""Band energies of sung vowels, and a run that stopped after epoch 18 of 24. Its solver.pt is from before
the first epoch: weights and progress went on, optimizer and schedule did not. With --fixed solver.pt is that of epoch 18."""
import argparse
import copy
import json
import sys
from pathlib import Path

import numpy as np
import torch

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from pitch import frames  # noqa: E402
from pitch.run import Run  # noqa: E402
from pitch.train import build, error, one_epoch  # noqa: E402

STOPPED, BANDS = 18, 20


def sing(n, rng):
    cents = rng.uniform(-900, 900, n)
    octave = cents / 1200
    centers = np.linspace(-1.2, 2.6, BANDS)
    tilt, gain, formant = rng.uniform(0.4, 1.0, n), rng.normal(0, 0.3, n), rng.uniform(0.3, 1.8, n)
    power = np.zeros((n, BANDS))
    for h in range(1, 5):
        place = octave + np.log2(h)
        amp = h ** -tilt * (1 + 0.8 * np.exp(-((place - formant) ** 2) / 0.1))
        power += amp[:, None] * np.exp(-((centers - place[:, None]) ** 2) / (2 * 0.17**2))
    bands = np.log(power + 0.05) + gain[:, None] + 0.02 * rng.standard_normal((n, BANDS))
    return ((bands + 1.4) / 1.1).astype(np.float32), cents.astype(np.float32)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    a = ap.parse_args()
    torch.set_num_threads(1)
    rng = np.random.default_rng(a.seed + 31)
    torch.manual_seed(a.seed + 4)
    dest = Path(a.dest)
    (dest / "data").mkdir(parents=True, exist_ok=True)
    parts = {}
    for part, n in (("train", 5000), ("held", 1000)):
        parts[f"{part}_bands"], parts[f"{part}_cents"] = sing(n, rng)
    np.savez(dest / "data" / "frames.npz", **parts)

    cfg = json.loads((HERE / "settings.json").read_text())
    data = frames.load(dest / "data" / "frames.npz")
    net, optimizer, schedule = build(cfg, BANDS)
    folder = dest / "runs" / "vowels-a"
    early = copy.deepcopy({"optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()})
    for epoch in range(1, STOPPED + 1):
        fit = one_epoch(net, optimizer, data["train"], cfg["batch"])
        schedule.step()
    Run(folder).save(STOPPED, net, optimizer, schedule, train=fit, held=error(net, data["held"]))
    if not a.fixed:
        torch.save(early, folder / "solver.pt")


if __name__ == "__main__":
    main()
