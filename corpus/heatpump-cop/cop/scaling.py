import json

import numpy as np


class Scaler:
    """Column-wise (value - mean) / std with the statistics that ship with the controller firmware.

    The controller applies the same file, so that models see in the field what they saw in training.
    """

    def __init__(self, path):
        with open(path) as fh:
            spec = json.load(fh)
        self.columns = list(spec["inputs"])
        self.mean = np.array([spec["inputs"][c]["mean"] for c in self.columns])
        self.std = np.array([spec["inputs"][c]["std"] for c in self.columns])
        self.target = spec["target"]

    def inputs(self, table):
        raw = np.stack([table[c] for c in self.columns], axis=1)
        return ((raw - self.mean) / self.std).astype(np.float32)

    def targets(self, table):
        t = self.target
        return ((table[t["column"]] - t["mean"]) / t["std"]).astype(np.float32)
