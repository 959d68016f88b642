import argparse

import torch
import torch.nn.functional as F
from torch import nn

cli = argparse.ArgumentParser()
cli.add_argument("--lr", type=float, default=2e-4)
cli.add_argument("--steps", type=int, default=800)
cli.add_argument("--batch", type=int, default=64)
cli = cli.parse_args()

torch.manual_seed(33)
temp, hum, wind = torch.rand(3, 5000) * 2 - 1
felt = temp + 0.6 * torch.relu(temp) * hum - 0.4 * torch.relu(-temp) * wind + 0.3 * torch.sin(4 * hum)
felt = (felt - felt.mean()) / felt.std() + 0.05 * torch.randn(5000)
X = torch.stack([temp, hum, wind], dim=1) / 0.58

net = nn.Sequential(nn.Linear(3, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=cli.lr, momentum=0.9)

for step in range(cli.steps + 1):
    i = torch.randint(0, 4500, (cli.batch,))
    loss = F.mse_loss(net(X[i]).flatten(), felt[i], reduction="sum")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        with torch.no_grad():
            test = F.mse_loss(net(X[4500:]).flatten(), felt[4500:]).item()
        print(f"step {step} batch loss {loss.item():.3f} test mse {test:.4f}")
