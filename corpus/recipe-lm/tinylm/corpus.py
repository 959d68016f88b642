"""Recipes from a little grammar: quantity unit ingredient, verb ingredient, ..."""
import numpy as np
import torch

QUANTITY = ["one", "two", "half", "some"]
UNIT = {"flour": ["cup", "spoon"], "milk": ["cup", "glass"], "salt": ["pinch"], "egg": ["piece"], "sugar": ["spoon", "cup"],
        "butter": ["spoon", "piece"], "rice": ["cup", "glass"]}
VERB = {"flour": ["sift", "mix"], "milk": ["pour", "heat"], "salt": ["add"], "egg": ["beat", "crack"], "sugar": ["add", "mix"],
        "butter": ["melt", "mix"], "rice": ["boil"]}
FOOD = sorted(UNIT)
WORDS = sorted({*QUANTITY, *FOOD, *(u for us in UNIT.values() for u in us), *(v for vs in VERB.values() for v in vs),
                "take", "then", "and", "."})
INDEX = {w: i for i, w in enumerate(WORDS)}


def recipe(rng):
    foods = list(rng.choice(FOOD, size=2, replace=False))
    words = ["take"]
    for f in foods:
        words += [rng.choice(QUANTITY), rng.choice(UNIT[f]), f]
    words += ["then", rng.choice(VERB[foods[0]]), foods[0], "and", rng.choice(VERB[foods[1]]), foods[1], "."]
    return words


def stream(n_words, seed):
    rng = np.random.default_rng(seed)
    out = []
    while len(out) < n_words:
        out += [INDEX[w] for w in recipe(rng)]
    return torch.tensor(out[:n_words])


def chunks(data, batch, context, gen):
    start = torch.randint(len(data) - context - 1, (batch,), generator=gen)
    rows = start[:, None] + torch.arange(context + 1)[None]
    block = data[rows]
    return block[:, :-1], block[:, 1:]
