from pathlib import Path

import numpy as np


def load_trials(folder, prefix):
    """All trial files with a prefix, as one structured table."""
    parts = []
    for path in sorted(Path(folder).glob(f"{prefix}_*.csv")):
        parts.append(np.genfromtxt(path, delimiter=",", names=True))
    if not parts:
        raise FileNotFoundError(f"no {prefix}_*.csv below {folder}")
    return np.concatenate(parts)
