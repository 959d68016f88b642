"""Receipt lines as 'token/ROLE token/ROLE ...', one per line."""
import torch

ROLES = ["WORD", "QTY", "PRICE", "RATE", "OFF", "SUM", "CODE"]
PAD = 0


def read(path):
    with open(path) as fh:
        return [[pair.rsplit("/", 1) for pair in line.split()] for line in fh if line.strip()]


class LineSet:
    def __init__(self, lines, vocab=None):
        if vocab is None:
            vocab = {t: i + 1 for i, t in enumerate(sorted({t for line in lines for t, _ in line}))}
        self.vocab = vocab
        width = max(len(line) for line in lines)
        self.x = torch.full((len(lines), width), PAD)
        self.y = torch.full((len(lines), width), -1)
        for i, line in enumerate(lines):
            self.x[i, :len(line)] = torch.tensor([vocab.get(t, PAD) for t, _ in line])
            self.y[i, :len(line)] = torch.tensor([ROLES.index(r) for _, r in line])

    def sample(self, n):
        rows = torch.randint(len(self.x), (n,))
        return self.x[rows], self.y[rows]
