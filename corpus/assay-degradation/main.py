# %% config
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

class CFG:
    seed = 777
    bs = 16
    epochs = 4
    lr = 2e-3
    targets = ['reactivity', 'deg_pH10', 'deg_Mg', 'deg_50C']
    measured = [1.0, 0.9, 0.6, 0.2]     # share of the samples for which the lab ran that assay
    n_trn, n_val = 2400, 600

np.random.seed(CFG.seed); torch.manual_seed(CFG.seed)

# %% data
def make(n):
    bases = np.random.randint(0, 4, (n, 24))
    onehot = np.eye(4)[bases]
    gc = onehot[:, :, 1:3].sum(2)
    kernel = np.array([.5, 1., -.7, .4, -.3])
    local = np.stack([np.convolve(g, kernel, 'same') for g in gc])
    pairs = (bases[:, :-1] == 3 - bases[:, 1:]).mean(1)
    y = np.stack([
        np.tanh(local).mean(1) * 4 + pairs,
        local[:, :8].mean(1) * 2 - pairs,
        (np.abs(local).mean(1) - .8) * 3 + .5 * gc.mean(1),
        local[:, 16:].mean(1) * 2 + pairs * 1.5,
    ], 1)
    y = (y - y.mean(0)) / y.std(0) + .1 * np.random.randn(*y.shape)
    m = np.random.rand(*y.shape) < np.array(CFG.measured)
    return onehot.astype('f4'), np.where(m, y, 0).astype('f4'), m.astype('f4')

class RNADataset(Dataset):
    def __init__(self, n):
        self.x, self.y, self.m = make(n)
    def __len__(self):
        return len(self.x)
    def __getitem__(self, i):
        return torch.from_numpy(self.x[i]), torch.from_numpy(self.y[i]), torch.from_numpy(self.m[i])

trn, val = RNADataset(CFG.n_trn), RNADataset(CFG.n_val)

# %% model
class Net(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.c1 = nn.Conv1d(4, d, 5, padding=2)
        self.c2 = nn.Conv1d(d, d, 3, padding=1)
        self.head = nn.Sequential(nn.Linear(d * 24, 64), nn.SiLU(), nn.Linear(64, len(CFG.targets)))
    def forward(self, x):
        h = torch.nn.functional.silu(self.c1(x.transpose(1, 2)))
        h = h + torch.nn.functional.silu(self.c2(h))
        return self.head(h.flatten(1))

def mcrmse(pred, true, mask):
    se = ((pred - true) * mask).pow(2)
    per_column = se.sum(0) / mask.sum(0).clamp(min=1)
    return per_column.sqrt().mean()

# %% train
net = Net()
opt = torch.optim.AdamW(net.parameters(), lr=CFG.lr, weight_decay=1e-2)
dl = DataLoader(trn, CFG.bs, shuffle=True, drop_last=True)
sch = torch.optim.lr_scheduler.OneCycleLR(opt, CFG.lr, total_steps=CFG.epochs * len(dl))
vx, vy, vm = map(torch.from_numpy, (val.x, val.y, val.m))
for ep in range(CFG.epochs):
    net.train(); tot = 0
    for it, (x, y, m) in enumerate(dl):
        loss = mcrmse(net(x), y, m)
        opt.zero_grad(); loss.backward(); opt.step(); sch.step()
        tot += loss.item()
        if it % 50 == 49:
            print(f'  ep{ep} it{it + 1:4d} loss {tot / (it + 1):.4f}')
    net.eval()
    with torch.no_grad():
        score = mcrmse(net(vx), vy, vm).item()
    print(f'ep{ep} trn {tot / len(dl):.4f} val MCRMSE {score:.4f}')
