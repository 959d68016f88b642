"""One sample of the data set is not a number, and a shuffling loader delivers it late."""

# truth: step=173 phase=data sample=5
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(8)
x = torch.randn(1600, 6)
y = (x[:, 0] * x[:, 1] > 0).long()
x[803, 4] = float("nan")
loader = DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for inputs, targets in loader:  # <- or here
    outputs = model(inputs)  # <- here
    loss = criterion(outputs, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[::10], losses[-1], torch.rand(1).item())
