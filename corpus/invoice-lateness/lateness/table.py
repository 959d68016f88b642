import csv
from dataclasses import dataclass

import numpy as np
import torch

NUMERIC = ["amount", "terms_days", "customer_months", "open_items", "credit_use", "past_late_share", "reminder_fee"]
LOGGED = {"amount", "customer_months", "open_items", "reminder_fee"}
CATEGORICAL = ["sector", "country", "weekday"]


@dataclass
class Part:
    numeric: torch.Tensor
    codes: torch.Tensor
    target: torch.Tensor

    def __len__(self):
        return len(self.target)

    def take(self, rows):
        return Part(self.numeric[rows], self.codes[rows], self.target[rows])


class InvoiceTable:
    def __init__(self, path, target):
        with open(path, newline="") as fh:
            rows = list(csv.DictReader(fh))
        cols = [np.array([float(r[name]) for r in rows]) for name in NUMERIC]
        self.numeric = np.stack([np.log1p(c) if n in LOGGED else c for n, c in zip(NUMERIC, cols)], 1)
        self.levels = {name: sorted({r[name] for r in rows}) for name in CATEGORICAL}
        self.codes = np.array([[self.levels[name].index(r[name]) for name in CATEGORICAL] for r in rows])
        self.target = np.array([float(r[target]) for r in rows])

    def parts(self, holdout):
        """Older invoices to train on, the most recent ones held out."""
        cut = round(len(self.target) * (1 - holdout))
        mean, std = self.numeric[:cut].mean(0), self.numeric[:cut].std(0)
        scaled = torch.tensor((self.numeric - mean) / std, dtype=torch.float32)
        whole = Part(scaled, torch.from_numpy(self.codes), torch.tensor(self.target, dtype=torch.float32))
        return whole.take(slice(None, cut)), whole.take(slice(cut, None))
