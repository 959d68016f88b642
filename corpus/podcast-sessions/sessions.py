import numpy as np
import torch
from torch.utils.data import Dataset

SHOWS = 240
GENRES = 12
HISTORY = 6


class ListeningSessions(Dataset):
    """The last shows a listener heard and the one that came next. Listeners stay in a genre for a while and
    like some of its shows far more than others."""

    def __init__(self, n, rng, popularity):
        genre_of = np.arange(SHOWS) % GENRES
        members = [np.flatnonzero(genre_of == g) for g in range(GENRES)]
        p = [popularity[m] / popularity[m].sum() for m in members]
        rows = np.empty((n, HISTORY + 1), dtype=np.int64)
        for i in range(n):
            genre = rng.integers(GENRES)
            for t in range(HISTORY + 1):
                if rng.random() < 0.15:
                    genre = (genre + rng.integers(1, 3)) % GENRES
                rows[i, t] = rng.choice(members[genre], p=p[genre])
        self.rows = torch.from_numpy(rows)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = self.rows[i]
        return row[:-1], row[-1]
