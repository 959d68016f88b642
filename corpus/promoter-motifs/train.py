# Which regulator binds a DNA stretch? CNN with k-max pooling (Kalchbrenner et al.), 6 regulators.
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
np.random.seed(0)

MOTIFS = ["TATAAT", "TTGACA", "CACGTG", "GGGCGG", "TGACTC", "CCAATC"]
LEN = 50
K = 3


def sequence(which):
    s = np.random.randint(0, 4, LEN)
    motif = np.array(["ACGT".index(c) for c in MOTIFS[which]])
    for _ in range(np.random.randint(1, 3)):
        m = motif.copy()
        if np.random.rand() < 0.25:
            m[np.random.randint(6)] = np.random.randint(4)
        at = np.random.randint(0, LEN - 6)
        s[at:at + 6] = m
    return s


def make(n):
    y = np.random.randint(0, 6, n)
    x = np.stack([sequence(k) for k in y])
    return F.one_hot(torch.tensor(x), 4).float().transpose(1, 2), torch.tensor(y)


class KMaxNet(nn.Module):
    def __init__(self, filters=32):
        super().__init__()
        self.conv = nn.Conv1d(4, filters, 8)
        self.fc1 = nn.Linear(filters * K, 64)
        self.fc2 = nn.Linear(64, 6)

    def kmax(self, h):
        # the K largest activations of every filter, smallest first
        top = np.sort(h.detach().numpy(), axis=2)[:, :, -K:]
        return torch.from_numpy(np.ascontiguousarray(top))

    def forward(self, x):
        h = F.relu(self.conv(x))
        h = self.kmax(h).flatten(1)
        return self.fc2(F.relu(self.fc1(h)))


Xtr, Ytr = make(4000)
Xte, Yte = make(1000)

net = KMaxNet()
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
crit = nn.CrossEntropyLoss()

for epoch in range(8):
    perm = torch.randperm(len(Xtr))
    tot = 0.0
    for i in range(0, len(Xtr), 64):
        idx = perm[i:i + 64]
        opt.zero_grad()
        loss = crit(net(Xtr[idx]), Ytr[idx])
        loss.backward()
        opt.step()
        tot += loss.item() * len(idx)
    with torch.no_grad():
        acc = (net(Xte).argmax(1) == Yte).float().mean().item()
    print("Epoch", epoch + 1, "loss = %.4f" % (tot / len(Xtr)), "test accuracy = %.3f" % acc)
