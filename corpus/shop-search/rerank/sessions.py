"""Search sessions: a query vector, ten candidate products with their features and first-stage scores, one purchase."""
import numpy as np
import torch

D_QUERY, D_ITEM, CANDIDATES = 6, 8, 10


def make_sessions(n, seed):
    world = np.random.default_rng(17)          # tastes and products do not change between splits
    taste = world.normal(size=(D_QUERY, D_ITEM)) * 0.55
    rng = np.random.default_rng(seed)
    query = rng.normal(size=(n, D_QUERY))
    items = rng.normal(size=(n, CANDIDATES, D_ITEM))
    match = np.einsum("nq,qi,nci->nc", query, taste, items)
    appeal = 0.8 * items[..., 0] - 0.6 * np.abs(items[..., 1])
    utility = 1.5 * match + appeal
    lexical = 0.25 * match + rng.normal(size=match.shape) * 0.8
    bought = (utility + rng.gumbel(size=utility.shape) * 0.4).argmax(1)
    to = lambda a: torch.from_numpy(a.astype(np.float32))
    return {"query": to(query), "items": to(items), "lexical": to(lexical), "bought": torch.from_numpy(bought)}


def mrr(scores, bought):
    own = scores.gather(1, bought[:, None])
    rank = (scores > own).sum(1) + 1
    return (1.0 / rank).mean().item()
