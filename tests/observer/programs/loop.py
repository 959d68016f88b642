"""A raw loop over a DataLoader, the usual way."""

import torch
from torch import nn

torch.manual_seed(0)
data = torch.utils.data.TensorDataset(torch.randn(48, 6), torch.randint(0, 3, (48,)))
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for x, y in torch.utils.data.DataLoader(data, batch_size=8, shuffle=True):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    print("loss", 0, loss.item())
