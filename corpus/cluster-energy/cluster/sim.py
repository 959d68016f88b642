"""Small argon-like clusters in reduced Lennard-Jones units."""
import torch

N_ATOMS = 7
CUTOFF = 2.6


def positions(n, gen):
    """Loosely packed clusters: points in a ball, a few of them evaporating, pushed apart until no pair is too close."""
    x = torch.randn(n, N_ATOMS, 3, generator=gen) * 0.64
    away = torch.rand(n, N_ATOMS, 1, generator=gen) < 0.03
    x = torch.where(away, x * 1.4, x)
    for _ in range(40):
        d = x[:, :, None] - x[:, None]
        r = d.norm(dim=-1) + 10 * torch.eye(N_ATOMS)
        push = (0.95 - r).clamp(min=0)[..., None] * d / r[..., None]
        x = x + 0.3 * push.sum(2)
    return x


def energy(x):
    """Truncated pair energy plus a three-body term through the local density, per atom."""
    d = x[:, :, None] - x[:, None]
    r = d.norm(dim=-1) + 10 * torch.eye(N_ATOMS)
    near = (r < CUTOFF).float()
    r6 = r.clamp(min=0.9) ** -6
    pair = (4 * (r6 * r6 - r6) * near).sum(-1)
    density = (torch.exp(-(r - 1.1)) * near).sum(-1)
    return (0.5 * pair - density.sqrt()).mean(-1)
