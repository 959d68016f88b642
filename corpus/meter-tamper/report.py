from dataclasses import dataclass

import torch


@dataclass
class Confusion:
    tp: int
    fp: int
    tn: int
    fn: int

    @classmethod
    def of(cls, flagged, actual):
        return cls(*(int((a & b).sum()) for a, b in
                     ((flagged, actual), (flagged, ~actual), (~flagged, ~actual), (~flagged, actual))))

    @property
    def accuracy(self):
        return (self.tp + self.tn) / (self.tp + self.fp + self.tn + self.fn)

    @property
    def balanced(self):
        return (self.tp / (self.tp + self.fn) + self.tn / (self.tn + self.fp)) / 2


@torch.no_grad()
def confusion(net, meters):
    return Confusion.of(net(meters.profile).squeeze(1) > 0, meters.tampered.bool())
