# coding: utf-8
# exported from brackets.ipynb

# In[1]:
import random
import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(5); random.seed(5)

# In[2]: data -- random walks of brackets, label = deepest nesting level (capped)
L = 20
N = 4000
def walk():
    s, depth, deepest = [], 0, 0
    for _ in range(L):
        up = depth == 0 or random.random() < 0.5
        depth += 1 if up else -1
        s.append(1 if up else 0)
        deepest = max(deepest, depth)
    return s, min(deepest, 6) - 1

pairs = [walk() for _ in range(N)]
X = torch.tensor([p[0] for p in pairs])
Y = torch.tensor([p[1] for p in pairs])
X = torch.nn.functional.one_hot(X, 2).float()
print(X.shape, Y.bincount())
Xtr, Ytr, Xva, Yva = X[:3500], Y[:3500], X[3500:], Y[3500:]

# In[3]: model
class Net(nn.Module):
    def __init__(self, hid=32):
        super().__init__()
        self.gru = nn.GRU(2, hid, batch_first=True)
        self.out = nn.Linear(hid, 6)
    def forward(self, x):
        _, h = self.gru(x)
        return self.out(h[-1])

net = Net()
crit = nn.CrossEntropyLoss()
opt = optim.SGD(net.parameters(), lr=2e-4, momentum=0.9)

# In[4]: training
bs = 50
hist = []
for ep in range(8):
    order = torch.randperm(len(Xtr))
    tot = 0
    for i in range(0, len(Xtr), bs):
        b = order[i:i + bs]
        opt.zero_grad()
        l = crit(net(Xtr[b]), Ytr[b])
        l.backward()
        opt.step()
        hist.append(l.item())
        tot += l.item()
    with torch.no_grad():
        out = net(Xva)
    print('epoch', ep, 'loss', round(tot / (len(Xtr) // bs), 4), 'val', round(crit(out, Yva).item(), 4),
          'acc', round((out.argmax(1) == Yva).float().mean().item(), 3))

# In[5]:
print('last 10:', [round(h, 3) for h in hist[-10:]])
