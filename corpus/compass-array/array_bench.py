"""Bench simulation of the 24-channel magnetometer array on the two-axis turntable. Field in units of 50 uT."""
import torch

CHANNELS = 24


def _rotations(n, gen):
    q = torch.randn(n, 4, generator=gen)
    w, x, y, z = (q / q.norm(dim=1, keepdim=True)).unbind(1)
    return torch.stack([
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
        2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
        2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y),
    ], 1).view(n, 3, 3)


class Bench:
    def __init__(self, seed):
        self.gen = torch.Generator().manual_seed(seed)
        gain = 0.75 + 0.5 * torch.rand(CHANNELS, 3, generator=self.gen)
        self.matrix = torch.diag_embed(gain) + 0.04 * torch.randn(CHANNELS, 3, 3, generator=self.gen)
        self.offset = 0.3 * torch.randn(CHANNELS, 3, generator=self.gen)
        self.drift = 0.05 * torch.randn(CHANNELS, 3, generator=self.gen)

    def turn(self, n):
        """n poses: raw readings (n, ch, 3), board temperature (n, 1), true field in the board frame (n, 3)."""
        field = _rotations(n, self.gen) @ torch.tensor([0.4, 0.0, 0.9])
        temp = torch.rand(n, 1, generator=self.gen) * 2 - 1
        clean = field[:, None] - self.offset - self.drift * (temp + 0.5 * temp ** 2)[..., None]
        raw = torch.linalg.solve(self.matrix.expand(n, -1, -1, -1), clean.unsqueeze(-1)).squeeze(-1)
        return raw + 0.01 * torch.randn(raw.shape, generator=self.gen), temp, field
