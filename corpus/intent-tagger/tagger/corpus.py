"""Generates commands such as 'play X by Y at Z' as token ids with slot tags."""
import random

import torch
from torch import Tensor

from .ops import lengths_to_mask

SLOTS = ["O", "VERB", "ITEM", "BY", "ARTIST", "AT", "PLACE", "NUM", "UNIT"]
RANGES = {"O": (1, 20), "VERB": (20, 26), "BY": (26, 28), "AT": (28, 30), "NUM": (30, 40), "UNIT": (40, 44)}
NAMES = (44, 80)  # the same words serve as item, artist and place: only the context tells
VOCAB = 80
PAD = 0


def _word(rng: random.Random, slot: str) -> int:
    lo, hi = RANGES.get(slot, NAMES)
    return rng.randrange(lo, hi)


def _command(rng: random.Random) -> list:
    slots = ["O"] * rng.randrange(0, 3) + ["VERB"] + ["ITEM"] * rng.randrange(1, 3)
    if rng.random() < 0.6:
        slots += ["BY"] + ["ARTIST"] * rng.randrange(1, 3)
    if rng.random() < 0.5:
        slots += ["AT"] + ["PLACE"] * rng.randrange(1, 3)
    if rng.random() < 0.4:
        slots += ["NUM", "UNIT"]
    return [(_word(rng, s), SLOTS.index(s)) for s in slots]


class Corpus:
    def __init__(self, n: int, seed: int):
        rng = random.Random(seed)
        commands = [_command(rng) for _ in range(n)]
        lengths = torch.tensor([len(c) for c in commands])
        width = int(lengths.max())
        self.tokens = torch.full((n, width), PAD)
        self.tags = torch.zeros(n, width, dtype=torch.long)
        for i, command in enumerate(commands):
            for j, (token, tag) in enumerate(command):
                self.tokens[i, j], self.tags[i, j] = token, tag
        self.mask = lengths_to_mask(lengths, width)

    def __len__(self) -> int:
        return len(self.tokens)

    def stream(self, batch_size: int, seed: int):
        """Endless stream of shuffled batches."""
        gen = torch.Generator().manual_seed(seed)
        while True:
            order = torch.randperm(len(self), generator=gen)
            for chunk in order.split(batch_size):
                yield self.take(chunk)

    def take(self, rows: Tensor) -> dict:
        return {"tokens": self.tokens[rows], "tags": self.tags[rows], "mask": self.mask[rows]}
