"""Lines of invoices as token ids with a field for every token. What a number means depends on where it stands."""
import numpy as np
import torch

FIELDS = ["item", "qty", "unit", "price", "tax", "total", "note"]
VOCAB = 60          # 0 pad, 1..24 words, 25..44 numbers, 45..49 units, 50..54 currency signs, 55..59 percent signs


def line(rng):
    tok, tag = [], []

    def put(field, low, high, n=1):
        tok.extend(rng.integers(low, high, n))
        tag.extend([FIELDS.index(field)] * n)

    put("item", 1, 25, rng.integers(1, 4))
    put("qty", 25, 45)
    put("unit", 45, 50)
    if rng.random() < 0.3:
        put("note", 1, 25, rng.integers(1, 3))
    put("price", 25, 45)
    if rng.random() < 0.5:
        put("price", 50, 55)
    if rng.random() < 0.6:
        put("tax", 25, 45)
        put("tax", 55, 60)
    put("total", 25, 45)
    if rng.random() < 0.5:
        put("total", 50, 55)
    return tok, tag


def document(rng, most):
    tok, tag = [], []
    while True:
        a, b = line(rng)
        if len(tok) + len(a) > most:
            return tok, tag
        tok, tag = tok + a, tag + b
        if len(tok) > 10 and rng.random() < 0.35:
            return tok, tag


def corpus(n, seed, most=28):
    rng = np.random.default_rng(seed)
    docs = [document(rng, most) for _ in range(n)]
    x = torch.zeros(n, most, dtype=torch.long)
    y = torch.zeros(n, most, dtype=torch.long)
    for i, (tok, tag) in enumerate(docs):
        x[i, :len(tok)], y[i, :len(tag)] = torch.tensor(tok), torch.tensor(tag)
    return x, y, (x > 0).float()
