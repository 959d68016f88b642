import numpy as np
import torch

AMINO = "ACDEFGHIKLMNPQRSTVWY"
LENGTH = 6
TARGETS = ["mdm2", "pdz", "sh3", "trypsin"]


def binding_table(n, rng):
    """Peptides and how strongly they bind four targets (standardised). Most pairs were never measured: NaN."""
    peptides = rng.integers(0, len(AMINO), (n, LENGTH))
    hydropathy = np.sin(np.arange(len(AMINO)) * 1.7)
    charge = np.cos(np.arange(len(AMINO)) * 2.3)
    h, c = hydropathy[peptides], charge[peptides]
    strength = np.stack([
        h[:, 0] + h[:, 3] + h[:, 4],
        c[:, 4] - c[:, 1] + h[:, 5],
        c.sum(1) * 0.6,
        h[:, 2] - c[:, 3] + c[:, 0],
    ], axis=1)
    strength = strength / strength.std(0) + 0.3 * rng.normal(size=strength.shape)
    strength[rng.random(strength.shape) < 0.6] = np.nan
    one_hot = np.eye(len(AMINO), dtype=np.float32)[peptides].reshape(n, -1)
    return torch.from_numpy(one_hot), torch.tensor(strength, dtype=torch.float32)
