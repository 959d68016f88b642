"""Pen strokes as steps (dx, dy) between equally spaced points."""
import numpy as np
import torch

GESTURES = ("circle", "caret", "check", "spiral", "wave", "hook", "slash")


class Strokes:
    def __init__(self, path, part):
        with np.load(path) as z:
            points = z[f"{part}_points"].astype(np.float32)
            self.kind = torch.from_numpy(z[f"{part}_kind"].astype(np.int64))
        steps = np.diff(points, axis=1)
        self.steps = torch.from_numpy(steps / steps.std())

    def __len__(self):
        return len(self.kind)

    def shuffled(self, size):
        for rows in torch.randperm(len(self)).split(size):
            yield self.steps[rows], self.kind[rows]
