# loan default, tabular NN baseline  (metric: logloss)
import argparse
import random

import numpy as np
import torch
import torch.nn as nn

ap = argparse.ArgumentParser()
ap.add_argument('--hid', type=int, default=256)
ap.add_argument('--epochs', type=int, default=32)
ap.add_argument('--lr', type=float, default=1e-3)
ap.add_argument('--bs', type=int, default=64)
ap.add_argument('--wd', type=float, default=1e-2)
ap.add_argument('--drop', type=float, default=0.0)
ap.add_argument('--noise', type=float, default=0.0, help='sigma of gaussian input noise while training')
ap.add_argument('--seed', type=int, default=2024)
a = ap.parse_args()


def seed_all(s):
    random.seed(s)
    np.random.seed(s)
    torch.manual_seed(s)


seed_all(a.seed)

# ---------------------------------------------------------------- data
N, D = 3500, 30
X = np.random.randn(N, D).astype('f4')
w = np.random.randn(D) * (np.random.rand(D) < .3)
lin = X @ w
inter = 1.2 * X[:, 0] * X[:, 1] - 1.0 * X[:, 2] * (X[:, 3] > 0) + .8 * np.abs(X[:, 4])
z = 2.0 * (lin / lin.std() + .7 * (inter - inter.mean()) / inter.std()) - .4
y = (np.random.rand(N) < 1 / (1 + np.exp(-z))).astype('f4')
tr, va = slice(0, 2000), slice(2000, N)
X, y = torch.tensor(X), torch.tensor(y)
print('train', tuple(X[tr].shape), 'valid', tuple(X[va].shape), 'mean target %.3f' % y.mean().item())

# ---------------------------------------------------------------- model
net = nn.Sequential(
    nn.Linear(D, a.hid), nn.ReLU(), nn.Dropout(a.drop),
    nn.Linear(a.hid, a.hid), nn.ReLU(), nn.Dropout(a.drop),
    nn.Linear(a.hid, 1),
)
opt = torch.optim.AdamW(net.parameters(), lr=a.lr, weight_decay=a.wd)
bce = nn.BCEWithLogitsLoss()


def evaluate(s):
    net.eval()
    with torch.no_grad():
        p = net(X[s])[:, 0]
        ll, acc = bce(p, y[s]).item(), ((p > 0) == (y[s] > .5)).float().mean().item()
    net.train()
    return ll, acc


for ep in range(1, a.epochs + 1):
    perm = torch.randperm(2000)
    for i in range(0, 2000, a.bs):
        b = perm[i:i + a.bs]
        xb = X[tr][b]
        if a.noise:
            xb = xb + a.noise * torch.randn_like(xb)
        loss = bce(net(xb)[:, 0], y[tr][b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if ep % 4 == 0 or ep == 1:
        (tl, ta), (vl, va_acc) = evaluate(tr), evaluate(va)
        print(f'ep {ep:3d} | trn ll {tl:.4f} acc {ta:.4f} | val ll {vl:.4f} acc {va_acc:.4f}')
print(f'CV logloss {vl:.5f}')
