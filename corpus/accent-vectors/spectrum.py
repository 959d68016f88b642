"""Follows how the weights of a model fill their space: effective rank of every matrix, over the steps."""
import csv

import torch


def effective_rank(weight):
    s = torch.linalg.svdvals(weight)
    p = s / s.sum()
    return torch.exp(-(p * torch.log(p + 1e-12)).sum()).item()


class RankLog:
    def __init__(self, path, model):
        self.matrices = {name: p for name, p in model.named_parameters() if p.ndim == 2}
        self.file = open(path, "w", newline="")
        self.rows = csv.writer(self.file)
        self.rows.writerow(["step", *self.matrices])

    def add(self, step):
        self.rows.writerow([step, *(f"{effective_rank(p.detach()):.2f}" for p in self.matrices.values())])

    def close(self):
        self.file.close()
