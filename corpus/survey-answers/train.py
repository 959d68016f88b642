"""Four-option survey answers from respondent profiles; a share of the answers is given at random."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(77)
N, D, K = 9000, 12, 4
RANDOM_SHARE = 0.55

profile = torch.randn(N, D)
opinion = torch.randn(D, K)
honest = (profile @ opinion + 0.8 * torch.sin(2 * profile[:, :K])).argmax(1)
careless = torch.rand(N) < RANDOM_SHARE
answer = torch.where(careless, torch.randint(K, (N,)), honest)

p_top = 1 - RANDOM_SHARE + RANDOM_SHARE / K
p_rest = RANDOM_SHARE / K
entropy = -(p_top * math.log(p_top) + (K - 1) * p_rest * math.log(p_rest))
print(f"entropy of an answer given the profile: {entropy:.4f} nats; uniform {math.log(K):.4f}")

train = slice(0, 8000)
test = slice(8000, N)
net = nn.Sequential(nn.Linear(D, 24), nn.ReLU(), nn.Linear(24, K))
optimizer = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=1e-3)

batch = 125
for epoch in range(10):
    order = torch.randperm(8000)
    total = 0.0
    for k in range(0, 8000, batch):
        rows = order[k:k + batch]
        loss = F.cross_entropy(net(profile[rows]), answer[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    with torch.no_grad():
        out = net(profile[test])
        print(f"epoch {epoch} loss {total / (8000 // batch):.4f} test loss {F.cross_entropy(out, answer[test]):.4f} "
              f"test acc {(out.argmax(1) == answer[test]).float().mean():.3f}")
