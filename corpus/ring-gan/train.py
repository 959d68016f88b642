"""Non-saturating GAN on a 2-D ring, two optimizers, alternating updates."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(123)

NOISE = 4
BATCH = 128
STEPS = 900


def real_points(n):
    phi = 2 * math.pi * torch.rand(n)
    r = 1.0 + 0.05 * torch.randn(n)
    return torch.stack([r * phi.cos(), r * phi.sin()], dim=1)


def mlp(n_in, n_out, h=64):
    return nn.Sequential(nn.Linear(n_in, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, n_out))


G, D = mlp(NOISE, 2), mlp(2, 1)
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.9))
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.9))

for step in range(STEPS + 1):
    # discriminator
    real = real_points(BATCH)
    fake = G(torch.randn(BATCH, NOISE)).detach()
    d_loss = F.softplus(-D(real)).mean() + F.softplus(D(fake)).mean()
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()

    # generator
    fake = G(torch.randn(BATCH, NOISE))
    g_loss = F.softplus(-D(fake)).mean()
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()

    if step % 100 == 0:
        with torch.no_grad():
            pts = G(torch.randn(2000, NOISE))
            radius = pts.norm(dim=1)
            sector = ((torch.atan2(pts[:, 1], pts[:, 0]) + math.pi) / (2 * math.pi) * 12).long().clamp(max=11)
            covered = (torch.bincount(sector, minlength=12) > 20).sum().item()
        print(f"step {step:4d}  D {d_loss.item():.3f}  G {g_loss.item():.3f}  "
              f"radius {radius.mean():.3f}+-{radius.std():.3f}  sectors {covered}/12")
