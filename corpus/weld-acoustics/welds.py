import torch
from torch.utils.data import Dataset

LENGTH = 64
DEFECTS = ["none", "porosity", "crack", "undercut"]


class WeldSounds(Dataset):
    """Envelope of the arc's sound while a seam is welded; each defect leaves its own mark somewhere along it."""

    def __init__(self, n, generator):
        t = torch.arange(LENGTH).float()
        self.defect = torch.randint(len(DEFECTS), (n,), generator=generator)
        at = torch.randint(12, LENGTH - 12, (n, 1), generator=generator).float()
        hum = 0.4 * torch.sin(0.5 * t + 6.28 * torch.rand(n, 1, generator=generator))
        near = torch.exp(-((t - at) / 5) ** 2)
        bubbles = near * torch.sin(2.4 * (t - at))
        snap = torch.exp(-((t - at) / 1.5) ** 2) - 0.7 * torch.exp(-((t - at - 4) / 2) ** 2)
        sag = -torch.exp(-((t - at) / 8) ** 2)
        d = self.defect[:, None]
        mark = 1.1 * bubbles * (d == 1) + 1.6 * snap * (d == 2) + 0.9 * sag * (d == 3)
        self.sound = hum + mark + 0.45 * torch.randn(n, LENGTH, generator=generator)

    def __len__(self):
        return len(self.defect)

    def __getitem__(self, i):
        return self.sound[i], self.defect[i]


def shift_in_time(sound, most=6):
    """The same seam, recorded a little earlier or later."""
    by = torch.randint(-most, most + 1, (1,)).item()
    return torch.roll(sound, by, dims=-1)
