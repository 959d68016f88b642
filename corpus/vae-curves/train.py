import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

p = argparse.ArgumentParser()
p.add_argument("--latent", type=int, default=3)
p.add_argument("--beta", type=float, default=1.0)
p.add_argument("--hold", type=int, default=400, help="steps of plain autoencoding first")
p.add_argument("--ramp", type=int, default=200, help="steps over which the KL term then gets its full weight")
p.add_argument("--epochs", type=int, default=22)
p.add_argument("--lr", type=float, default=2e-3)
args = p.parse_args()

torch.manual_seed(6)
grid = torch.linspace(-1, 1, 32)
c = torch.randn(3200, 3)
curves = c[:, :1] * grid + c[:, 1:2] * torch.sin(3 * grid) + 0.7 * c[:, 2:] * torch.cos(5 * grid)
curves = curves + 0.1 * torch.randn_like(curves)
loader = DataLoader(curves, batch_size=64, shuffle=True)


class VAE(nn.Module):
    def __init__(self, n, z, h=64):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(n, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU())
        self.mu = nn.Linear(h, z)
        self.logvar = nn.Linear(h, z)
        self.dec = nn.Sequential(nn.Linear(z, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, n))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


vae = VAE(32, args.latent)
opt = torch.optim.Adam(vae.parameters(), lr=args.lr)
step = 0
for epoch in range(args.epochs):
    sums = torch.zeros(3)
    for x in loader:
        weight = args.beta * min(1.0, max(0.0, (step - args.hold) / args.ramp))
        out, mu, logvar = vae(x)
        # unit scale 0.2 for the observation noise
        rec = 0.5 * F.mse_loss(out, x, reduction="none").sum(1).mean() / 0.04
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()
        loss = rec + weight * kl
        opt.zero_grad()
        loss.backward()
        opt.step()
        step += 1
        sums += torch.tensor([loss.item(), rec.item(), kl.item()])
    loss_, rec_, kl_ = (sums / len(loader)).tolist()
    print(f"epoch {epoch:2d} | kl weight {weight:.2f} | loss {loss_:8.3f} | rec {rec_:8.3f} | kl {kl_:7.3f}")
