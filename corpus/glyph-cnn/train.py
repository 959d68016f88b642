import os

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
rng = np.random.default_rng(0)

SIZE = 12
CLASSES = ["hbar", "vbar", "diag", "anti", "box", "cross", "dot", "corner"]
BATCH = 50
STEPS = 500


def draw(kind):
    img = np.zeros((SIZE, SIZE), dtype=np.float32)
    r, c = rng.integers(3, SIZE - 3, size=2)
    span = rng.integers(2, 4)
    lo_r, hi_r, lo_c, hi_c = r - span, r + span, c - span, c + span
    if kind == "hbar":
        img[r, max(lo_c, 0):hi_c + 1] = 1
    elif kind == "vbar":
        img[max(lo_r, 0):hi_r + 1, c] = 1
    elif kind in ("diag", "anti"):
        for t in range(-span, span + 1):
            rr, cc = r + t, c + (t if kind == "diag" else -t)
            if 0 <= rr < SIZE and 0 <= cc < SIZE:
                img[rr, cc] = 1
    elif kind == "box":
        img[r - 2:r + 3, c - 2] = img[r - 2:r + 3, c + 2] = 1
        img[r - 2, c - 2:c + 3] = img[r + 2, c - 2:c + 3] = 1
    elif kind == "cross":
        img[r, c - 2:c + 3] = 1
        img[r - 2:r + 3, c] = 1
    elif kind == "dot":
        img[r - 1:r + 1, c - 1:c + 1] = 1
    elif kind == "corner":
        img[r, c:c + 3] = 1
        img[r:r + 3, c] = 1
    return img + 0.15 * rng.standard_normal((SIZE, SIZE)).astype(np.float32)


def dataset(n):
    y = rng.integers(0, len(CLASSES), size=n)
    x = np.stack([draw(CLASSES[k]) for k in y])[:, None]
    x = (x - x.mean()) / x.std()
    return torch.from_numpy(x.astype(np.float32)), torch.from_numpy(y)


class GlyphNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 24, 3, padding=1)
        self.fc1 = nn.Linear(24 * 3 * 3, 48)
        self.fc2 = nn.Linear(48, len(CLASSES))

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        return F.softmax(self.fc2(x), dim=-1)


x_train, y_train = dataset(3000)
x_test, y_test = dataset(600)
print("train", tuple(x_train.shape), "test", tuple(x_test.shape))

net = GlyphNet()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
print("parameters:", sum(p.numel() for p in net.parameters()))

perm = torch.randperm(len(x_train))
pos = 0
for step in range(STEPS):
    if pos + BATCH > len(perm):
        perm = torch.randperm(len(x_train))
        pos = 0
    idx = perm[pos:pos + BATCH]
    pos += BATCH

    probs = net(x_train[idx])
    loss = F.cross_entropy(probs, y_train[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()

    if step % 50 == 0 or step == STEPS - 1:
        with torch.no_grad():
            acc = (net(x_test).argmax(1) == y_test).float().mean()
        print(f"step {step:4d} | loss {loss.item():.4f} | test acc {acc:.3f}")

os.makedirs("out", exist_ok=True)
torch.save(net.state_dict(), "out/glyphnet.pt")
