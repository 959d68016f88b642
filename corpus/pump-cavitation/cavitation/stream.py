"""Streams measurements out of JSON-lines shards."""
import glob
import json
import os
import random

import torch
from torch.utils.data import IterableDataset

BINS = 24
STATES = {"normal": 0, "inlet": 1, "impeller": 2, "seal": 3}


def parse(line):
    event = json.loads(line)
    x = torch.tensor([*event["bands_db"], event["flow_m3h"], event["head_m"]])
    return x, STATES[event["state"]]


class ShardStream(IterableDataset):
    """Reads shards in random order and shuffles within a bounded buffer, so that no shard has to fit in memory."""

    def __init__(self, folder, pattern, scale, buffer=0, seed=None):
        self.paths = sorted(glob.glob(os.path.join(folder, pattern)))
        self.offset, self.factor = scale
        self.buffer = buffer
        self.rng = random.Random(seed)

    def _raw(self):
        paths = list(self.paths)
        if self.buffer:
            self.rng.shuffle(paths)
        for path in paths:
            with open(path) as fh:
                for line in fh:
                    x, state = parse(line)
                    yield (x - self.offset) * self.factor, state

    def __iter__(self):
        if not self.buffer:
            yield from self._raw()
            return
        held = []
        for item in self._raw():
            if len(held) < self.buffer:
                held.append(item)
                continue
            k = self.rng.randrange(self.buffer)
            yield held[k]
            held[k] = item
        self.rng.shuffle(held)
        yield from held


def fixed_scale():
    """Bands are dB re 1 um/s, flow and head by the nameplate."""
    offset = torch.tensor([40.0] * BINS + [110.0, 32.0])
    factor = torch.tensor([1 / 8] * BINS + [1 / 25, 1 / 6])
    return offset, factor
