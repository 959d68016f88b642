"""Threads beside the training: one that trains another model, one that evaluates, one that forks programs."""

import subprocess
import threading

import torch
from proof import report, weights
from torch import nn

torch.manual_seed(0)
results = {}


def train(name, steps):
    random = torch.Generator().manual_seed(1)
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.randn(p.shape, generator=random))
    optimizer, losses = torch.optim.SGD(model.parameters(), 0.05), []
    for _ in range(steps):
        x = torch.randn(8, 4, generator=random)
        loss = nn.functional.mse_loss(model(x), x[:, :1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    results[name] = losses, weights(model.parameters())
    return model, losses


def run():
    results["programs"] = [subprocess.run(["echo", str(i)], capture_output=True, text=True).stdout for i in range(20)]


state = torch.get_rng_state()
threads = [threading.Thread(target=train, args=(f"thread {i}", 60)) for i in range(2)] + [threading.Thread(target=run)]
for thread in threads:
    thread.start()
model, losses = train("main", 60)
for thread in threads:
    thread.join()
torch.set_rng_state(state)  # making layers draws from the generator that all threads share
print(sorted(results.items()))
report(model, losses)
