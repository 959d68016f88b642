"""Shards of pump measurements. One band of one measurement is NaN (a dropped frame), with --fixed it is what was measured."""
import argparse
import json
from pathlib import Path

import numpy as np

STATES = ["normal", "inlet", "impeller", "seal"]
SHARD, LINE, BAND = "train-03.jsonl", 417, 15


def measure(rng):
    s = int(rng.integers(4))
    f = np.arange(24)
    speed = rng.uniform(0.85, 1.15)
    flow, head = rng.normal(110, 25), rng.normal(32, 6)
    db = 44 - 0.35 * f + rng.normal(0, 3.2, 24) + rng.normal(0, 2.5) + 0.03 * (flow - 110)
    if s == 1:
        db += 9 * np.exp(-((f - 18 * speed) / 4.0) ** 2)
    elif s == 2:
        db += 8 * np.exp(-((f - 7 * speed) / 1.2) ** 2) + 7 * np.exp(-((f - 14 * speed) / 1.2) ** 2)
    elif s == 3:
        db += 7 * np.exp(-((f - 3 * speed) / 1.5) ** 2)
    return {"bands_db": [round(float(v), 2) for v in db], "flow_m3h": round(float(flow), 1), "head_m": round(float(head), 1),
            "state": STATES[s]}


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng([args.seed, 606])
    out = args.dest / "shards"
    out.mkdir(parents=True, exist_ok=True)
    files = {f"train-{i:02d}.jsonl": 900 for i in range(7)} | {"valid-00.jsonl": 1000}
    ticket = 0
    for name, n in files.items():
        with open(out / name, "w") as fh:
            for line in range(1, n + 1):
                event = {"id": ticket, "pump": f"P{int(rng.integers(1, 9))}", **measure(rng)}
                ticket += 1
                if name == SHARD and line == LINE and not args.fixed:
                    event["bands_db"][BAND] = float("nan")
                fh.write(json.dumps(event) + "\n")
