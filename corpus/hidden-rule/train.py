import torch
import torch.nn as nn

torch.manual_seed(3)

BITS, RELEVANT = 14, [1, 5, 11]


def sample(n):
    x = torch.randint(0, 2, (n, BITS)).float() * 2 - 1
    y = (x[:, RELEVANT].prod(dim=1) + 1) / 2
    return x, y


net = nn.Sequential(nn.Linear(BITS, 96), nn.ReLU(), nn.Linear(96, 1))
loss_fn = nn.BCEWithLogitsLoss()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
x_test, y_test = sample(1000)

for step in range(1, 1201):
    x, y = sample(64)
    opt.zero_grad()
    loss = loss_fn(net(x).squeeze(1), y)
    loss.backward()
    opt.step()
    if step % 60 == 0:
        with torch.no_grad():
            out = net(x_test).squeeze(1)
            test_loss = loss_fn(out, y_test).item()
            acc = ((out > 0) == (y_test > 0.5)).float().mean().item()
        print(f"{step:5d}  train {loss.item():.4f}  test {test_loss:.4f}  acc {acc:.3f}")
