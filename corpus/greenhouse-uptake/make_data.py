"""Logs of three greenhouses; the logger of house C reports Fahrenheit unless --fixed."""
import argparse
from pathlib import Path

import numpy as np

HEADER = "time;air_temp;rel_humidity;light;co2_ppm;leaf_area;substrate;uptake"


def house(rng, n):
    q = np.arange(n)
    sun = np.clip(np.sin(2 * np.pi * (q % 96) / 96 - np.pi / 2), 0, None)
    cloud = np.repeat(rng.uniform(0.3, 1.0, n // 24 + 1), 24)[:n]
    light = 900 * sun * cloud + rng.gamma(1.0, 4.0, n)
    temp = 17 + 9 * sun * cloud + np.repeat(rng.normal(0, 2.0, n // 96 + 1), 96)[:n] + rng.normal(0, 0.8, n)
    humid = np.clip(82 - 1.6 * (temp - 17) + rng.normal(0, 7, n), 30, 98)
    co2 = rng.normal(720, 120, n)
    leaf = np.linspace(1.0, 3.2, n) + rng.normal(0, 0.05, n)
    wet = np.clip(62 + np.cumsum(rng.normal(0, 0.6, n)) % 10 - 5, 40, 80)
    vpd = 0.6108 * np.exp(17.27 * temp / (temp + 237.3)) * (1 - humid / 100)
    uptake = (0.05 + 0.11 * leaf * vpd + 0.00022 * light * np.sqrt(leaf)) * (1 - 0.0002 * (co2 - 720))
    uptake *= 1 + 0.004 * (wet - 60)
    uptake += rng.normal(0, 0.02, n)
    return np.stack([temp, humid, light, co2, leaf, wet, uptake], 1)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng([args.seed, 70])
    logs = args.dest / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    for name, days in (("a", 38), ("b", 34), ("c", 20)):
        table = house(rng, days * 96)
        if name == "c" and not args.fixed:
            table[:, 0] = table[:, 0] * 9 / 5 + 32
        lines = [HEADER]
        for i, row in enumerate(table):
            stamp = f"d{i // 96 + 1:02d} {i % 96 // 4:02d}:{i % 4 * 15:02d}"
            t, h, li, c, la, w, u = row
            lines.append(f"{stamp};{t:.1f};{h:.0f};{li:.0f};{c:.0f};{la:.2f};{w:.1f};{u:.3f}")
        (logs / f"house_{name}.csv").write_text("\n".join(lines) + "\n")
