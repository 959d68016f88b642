"""A loader, batch norm, dropout and clipping."""

import torch
from proof import report
from torch import nn

torch.manual_seed(3)
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 4))
data = torch.utils.data.TensorDataset(torch.randn(256, 8), torch.randint(0, 4, (256,)))
loader = torch.utils.data.DataLoader(data, batch_size=16, shuffle=True)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
losses = []
for _ in range(3):
    for x, y in loader:
        opt.zero_grad()
        loss = nn.CrossEntropyLoss()(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        losses.append(loss.item())
report(model, losses)
