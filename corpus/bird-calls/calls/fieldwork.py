"""Writes a folder of short recordings and a manifest, as the recorders in the field would."""
import csv

import numpy as np

SPECIES = ["warbler", "finch", "tit", "wren"]
SAMPLES = 80


def chirp(species, rng):
    t = np.linspace(0, 1, SAMPLES)
    base = rng.uniform(6, 8)
    sweep = {0: 0.0, 1: 6.0, 2: -4.0, 3: 0.0}[species]
    wave = np.sin(2 * np.pi * (base * t + 0.5 * sweep * t**2) + rng.uniform(0, 2 * np.pi))
    if species == 3:
        wave *= np.sign(np.sin(2 * np.pi * 3 * t))
    return (wave + 0.3 * rng.standard_normal(SAMPLES)).astype(np.float32)


def collect(root, n, seed):
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        species = int(rng.integers(len(SPECIES)))
        name = f"call_{i}.npy"
        np.save(root / name, chirp(species, rng))
        rows.append({"file": name, "species": species})
    with open(root / "manifest.csv", "w", newline="") as fh:
        writer = csv.DictWriter(fh, fieldnames=["file", "species"])
        writer.writeheader()
        writer.writerows(rows)
