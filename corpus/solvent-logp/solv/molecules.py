import numpy as np
import torch


def contributions(n_fragments):
    rng = np.random.default_rng(1959)
    return rng.normal(0, 0.6, n_fragments), rng.normal(0, 0.25, (n_fragments, n_fragments))


def load(cfg, seed):
    """Fragment counts and log P: additive contributions, corrections for neighbours, saturation for large molecules."""
    single, pair = contributions(cfg.fragments)
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.gamma(1.5, 0.35, (cfg.molecules, cfg.fragments)))
    present = (counts > 0).astype(float)
    logp = counts @ single + 0.5 * np.einsum("ni,ij,nj->n", present, pair, present)
    logp = 4 * np.tanh(logp / 4) + cfg.noise * rng.normal(size=cfg.molecules)
    x = torch.tensor((counts - counts.mean(0)) / counts.std(0), dtype=torch.float32)
    y = torch.tensor((logp - logp.mean()) / logp.std(), dtype=torch.float32)
    cut = int(cfg.molecules * (1 - cfg.held_out))
    return (x[:cut], y[:cut]), (x[cut:], y[cut:])
