"""Scans and labels of the stamp album, joined by stamp number."""
import csv

import numpy as np
import torch


def load_scans(path):
    z = np.load(path)
    return dict(zip(z["number"].tolist(), z["pixels"]))


def load_labels(path):
    with open(path) as f:
        return {int(r["number"]): r["issuer"] for r in csv.DictReader(f)}


def tensors(c):
    scans, issuer = load_scans(c.scans), load_labels(c.labels)
    numbers = sorted(scans.keys() & issuer.keys())
    names = sorted(set(issuer.values()))
    x = torch.tensor(np.stack([scans[n] for n in numbers]), dtype=torch.float32).permute(0, 3, 1, 2) / 255
    y = torch.tensor([names.index(issuer[n]) for n in numbers])
    x = (x - x.mean((0, 2, 3), keepdim=True)) / x.std((0, 2, 3), keepdim=True)
    val = torch.tensor([n % c.val_every == 0 for n in numbers])
    return (x[~val], y[~val]), (x[val], y[val]), names
