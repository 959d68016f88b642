"""Logger files of the greenhouses: semicolons, decimal points, one line per quarter of an hour."""
import numpy as np
import torch
from torch.utils.data import Dataset


class LoggerFiles(Dataset):
    def __init__(self, files, inputs, target, like=None):
        table = np.concatenate([self._read(f, [*inputs, target]) for f in files])
        self.x, self.y = table[:, :-1], table[:, -1]
        self.scaling = like.scaling if like else self._scaling()
        x_mean, x_std, y_mean, y_std = self.scaling
        self.x = torch.from_numpy((self.x - x_mean) / x_std)
        self.y = torch.from_numpy((self.y - y_mean) / y_std)

    @staticmethod
    def _read(path, columns):
        with open(path) as fh:
            names = fh.readline().rstrip().split(";")
            use = [names.index(c) for c in columns]
            return np.loadtxt(fh, delimiter=";", usecols=use, dtype=np.float32)

    def _scaling(self):
        return self.x.mean(0), self.x.std(0), self.y.mean(), self.y.std()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]
