import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--epochs", type=int, default=16)
parser.add_argument("--batch-size", type=int, default=50)
opt = parser.parse_args()

torch.manual_seed(1)
xy = torch.rand(2500, 2) * 2 - 1
label = ((torch.sin(3 * xy[:, 0]) * torch.sin(3 * xy[:, 1])) > 0).long()
inputs = (xy - xy.mean(0)) / xy.std(0)

loader = DataLoader(TensorDataset(inputs[:2000], label[:2000]), batch_size=opt.batch_size, shuffle=True)
model = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 2))
criterion = nn.CrossEntropyLoss()
sgd = torch.optim.SGD(model.parameters(), lr=opt.lr)

for epoch in range(opt.epochs):
    running = 0.0
    for x, y in loader:
        sgd.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        sgd.step()
        running += loss.item()
    with torch.no_grad():
        out = model(inputs[2000:])
        val = criterion(out, label[2000:]).item()
        acc = (out.argmax(1) == label[2000:]).float().mean().item()
    print(f"epoch {epoch + 1:2d}  loss {running / len(loader):.4f}  val {val:.4f}  acc {acc:.3f}")
