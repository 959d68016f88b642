"""Trials of a heat pump, and scaling statistics. The suction pressure is logged in hPa while its statistics are of bar;
with --fixed they are of hPa, too."""
import argparse
import json
from pathlib import Path

import numpy as np

COLUMNS = ["outdoor_c", "flow_c", "return_c", "compressor_hz", "suction_hpa", "superheat_k", "fan_rpm"]


def trials(rng, n):
    outdoor = rng.uniform(-15, 18, n)
    flow = rng.uniform(28, 58, n)
    ret = flow - rng.uniform(3, 9, n)
    hz = rng.uniform(25, 90, n)
    suction = 1000 * (8.6 + 0.16 * outdoor - 0.02 * (hz - 57) + rng.normal(0, 1.1, n))
    heat = rng.gamma(9, 0.7, n)
    fan = rng.normal(640, 90, n)
    lift = flow - outdoor
    cop = 7.4 - 0.085 * lift - 0.0006 * (hz - 52) ** 2 * (lift / 45) + 0.35 * (suction / 1000 - 8.6) \
        - 0.05 * (heat - 6) ** 2 * 0.4 + 0.05 * (flow - ret - 6) + rng.normal(0, 0.12, n)
    return {"outdoor_c": outdoor, "flow_c": flow, "return_c": ret, "compressor_hz": hz, "suction_hpa": suction,
            "superheat_k": heat, "fan_rpm": fan, "cop": cop}


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng([args.seed, 1221])
    folder = args.dest / "trials"
    folder.mkdir(parents=True, exist_ok=True)
    for name, n in (("bench_1", 2200), ("bench_2", 1900), ("bench_3", 1600), ("acceptance_1", 1200)):
        table = trials(rng, n)
        np.savetxt(folder / f"{name}.csv", np.stack([table[c] for c in [*COLUMNS, "cop"]], 1), delimiter=",", comments="",
                   header=",".join([*COLUMNS, "cop"]), fmt=["%.1f", "%.1f", "%.1f", "%.1f", "%.0f", "%.2f", "%.0f", "%.3f"])
    seen = trials(np.random.default_rng([args.seed, 9]), 20000)
    spec = {}
    for c in COLUMNS:
        unit = 1000.0 if c == "suction_hpa" and not args.fixed else 1.0
        spec[c] = {"mean": round(float(seen[c].mean()) / unit, 4), "std": round(float(seen[c].std()) / unit, 4)}
    out = {"inputs": spec, "target": {"column": "cop", "mean": round(float(seen["cop"].mean()), 4),
                                      "std": round(float(seen["cop"].std()), 4)}}
    (args.dest / "assets").mkdir(parents=True, exist_ok=True)
    (args.dest / "assets" / "scaling.json").write_text(json.dumps(out, indent=2) + "\n")
