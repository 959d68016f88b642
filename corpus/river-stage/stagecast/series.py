import numpy as np
import torch


def read_store(path, columns):
    """Hourly table -> {column: values}. The store is written by the nightly feature job."""
    with open(path) as fh:
        names = fh.readline().strip().split(",")
        body = np.loadtxt(fh, delimiter=",", usecols=[names.index(c) for c in columns], dtype=np.float64)
    return dict(zip(columns, body.T))


def rise(stage, lead):
    """How much the river rises over the next `lead` hours; defined for all but the last hours."""
    return stage[lead:] - stage[:-lead]


def windows(settings):
    """Windows of history that end at hour t, and the rise from t to t + lead; earlier part, later part."""
    table = read_store(settings.store, settings.columns)
    target = rise(table["stage_cm"], settings.lead)
    matrix = np.stack([table[c] for c in settings.columns], 1)
    cut = int(len(target) * settings.train_until)
    matrix = (matrix - matrix[:cut].mean(0)) / matrix[:cut].std(0)
    scale = target[:cut].std()

    def part(first, last):
        ends = np.arange(first + settings.lookback - 1, last)
        x = np.stack([matrix[ends - back] for back in range(settings.lookback - 1, -1, -1)], 1)
        return (torch.tensor(x, dtype=torch.float32), torch.tensor(target[ends] / scale, dtype=torch.float32))

    return part(0, cut - settings.lead), part(cut, len(target)), scale
