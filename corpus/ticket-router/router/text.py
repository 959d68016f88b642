"""Tickets and the vocabulary they are written in."""
from pathlib import Path

import torch

PAD, UNK = 0, 1


class Vocab:
    def __init__(self, path):
        self.words = Path(path).read_text().split()
        self.index = {w: i for i, w in enumerate(self.words)}

    def __len__(self):
        return len(self.words)

    def encode(self, text, max_len):
        ids = [self.index.get(w, UNK) for w in text.split()][:max_len]
        return ids + [PAD] * (max_len - len(ids))


def read_tickets(path, vocab, max_len, teams=None):
    rows = [line.split("\t") for line in Path(path).read_text().splitlines()]
    if teams is None:
        teams = sorted({team for team, _ in rows})
    x = torch.tensor([vocab.encode(text, max_len) for _, text in rows])
    y = torch.tensor([teams.index(team) for team, _ in rows])
    return x, y, teams
