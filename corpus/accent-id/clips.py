import torch
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    """Five made-up accents: each bends the two formant tracks of a vowel in its own way."""

    BENDS = torch.tensor([[0.0, 0.0], [0.8, 0.0], [-0.8, 0.3], [0.2, 0.9], [-0.3, -0.9]])

    def __init__(self, n, frames, seed):
        g = torch.Generator().manual_seed(seed)
        self.accent = torch.randint(len(self.BENDS), (n,), generator=g)
        t = torch.linspace(-1, 1, frames)
        start = torch.randn(n, 1, 4, generator=g)
        tempo = torch.rand(n, 1, generator=g) * 0.5 + 0.75
        bend = self.BENDS[self.accent]
        curve = torch.sin(torch.pi * t[None] * tempo)
        clips = 0.4 * start + 0.3 * torch.randn(n, frames, 4, generator=g)
        clips[:, :, 0] += bend[:, :1] * curve
        clips[:, :, 1] += bend[:, 1:] * curve
        self.clips = clips

    def __len__(self):
        return len(self.accent)

    def __getitem__(self, i):
        return self.clips[i], self.accent[i]


def loaders(frames=16, batch_size=16, seed=5):
    train = DataLoader(Clips(1600, frames, seed), batch_size=batch_size, shuffle=True)
    valid = DataLoader(Clips(600, frames, seed + 1), batch_size=300)
    return train, valid
