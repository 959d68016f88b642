import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(90)

N_HOTELS, N_FEAT = 400, 10
GROUP_SIZES = (8, 16, 24, 32)
hotels = torch.randn(N_HOTELS, N_FEAT)
taste = torch.randn(N_FEAT)
quality = hotels @ taste / N_FEAT**0.5 + 0.8 * torch.sin(2 * hotels[:, 0]) * hotels[:, 1]


def sample_pairs(n):
    a, b = torch.randint(N_HOTELS, (2, n))
    swap = quality[a] + 0.2 * torch.randn(n) < quality[b] + 0.2 * torch.randn(n)
    return torch.where(swap, b, a), torch.where(swap, a, b)


scorer = nn.Sequential(nn.Linear(N_FEAT, 48), nn.ReLU(), nn.Linear(48, 1))
optimizer = torch.optim.Adam(scorer.parameters(), lr=3e-3)


def pair_loss(better, worse):
    margin = scorer(hotels[better]) - scorer(hotels[worse])
    return F.softplus(-margin).mean()


for step in range(501):
    losses = []
    for size in GROUP_SIZES:
        better, worse = sample_pairs(size)
        losses.append(pair_loss(better, worse).item())
    loss = torch.tensor(losses, requires_grad=True).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 0:
        with torch.no_grad():
            better, worse = sample_pairs(2000)
            acc = (scorer(hotels[better]) > scorer(hotels[worse])).float().mean().item()
        print(f"step {step}: ranking loss {loss.item():.4f}, pairs in order {acc:.3f}")
