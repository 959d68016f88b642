import torch
from torch import nn
from torch.utils.data import Dataset

CHUTES = 8


class Labels(Dataset):
    """16x16 crops of shipping labels: one of eight symbols somewhere on the label says the chute."""

    def __init__(self, n: int, seed: int):
        g = torch.Generator().manual_seed(seed)
        symbols = (torch.rand(CHUTES, 5, 5, generator=torch.Generator().manual_seed(123)) < 0.5).float()
        self.chute = torch.randint(CHUTES, (n,), generator=g)
        self.crops = 0.35 * torch.randn(n, 1, 16, 16, generator=g)
        corner = torch.randint(0, 6, (n, 2), generator=g)
        for i in range(n):
            r, c = corner[i].tolist()
            self.crops[i, 0, r:r + 5, c:c + 5] += symbols[self.chute[i]]
            # courier stamp: any symbol upside down
            other = symbols[torch.randint(CHUTES, (1,), generator=g).item()].flip(0)
            self.crops[i, 0, r + 5:r + 10, c + 5:c + 10] += 0.6 * other

    def __len__(self):
        return len(self.chute)

    def __getitem__(self, i):
        return self.crops[i], self.chute[i]


class Sorter(nn.Module):
    def __init__(self, ch: int = 16):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, ch, 5, padding=2), nn.ReLU(),
            nn.Conv2d(ch, 2 * ch, 3, padding=1, stride=2), nn.ReLU(),
            nn.AdaptiveMaxPool2d(2), nn.Flatten(),
        )
        self.head = nn.Linear(8 * ch, CHUTES)

    def forward(self, crop):
        return self.head(self.encoder(crop))
