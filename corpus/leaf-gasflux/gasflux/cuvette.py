import csv
from pathlib import Path

import torch

# typical level and range of each quantity, from the cuvette's handbook
INPUTS = {
    "par": (900.0, 500.0),          # umol m-2 s-1
    "leaf_temp": (23.0, 5.0),       # degC
    "vpd": (1.4, 0.5),              # kPa
    "co2": (410.0, 60.0),           # ppm
    "area": (0.0050, 0.0018),       # m2
    "conductance": (0.22, 0.08),    # mol m-2 s-1
}
UPTAKE = (0.055, 0.03)              # umol s-1, whole leaf


def read(path):
    with open(path, newline="") as fh:
        rows = [r for r in csv.DictReader(fh) if r["flag"] == "0"]
    x = [[(float(r[name]) - mid) / span for name, (mid, span) in INPUTS.items()] for r in rows]
    y = [(float(r["uptake"]) - UPTAKE[0]) / UPTAKE[1] for r in rows]
    return torch.tensor(x), torch.tensor(y)


def read_campaigns(folder):
    parts = [read(p) for p in sorted(Path(folder).glob("campaign_*.csv"))]
    return torch.cat([x for x, _ in parts]), torch.cat([y for _, y in parts])
