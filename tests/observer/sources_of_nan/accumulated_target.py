"""A price of zero becomes a target of -inf, in the second of the four small batches that make up one step."""

# truth: step=31 phase=data sample=3
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Prices(Dataset):
    def __init__(self, samples):
        generator = torch.Generator().manual_seed(9)
        self.x = torch.rand(samples, 5, generator=generator)
        self.price = 1 + self.x.sum(1)
        self.price[(31 * 4 + 1) * 6 + 3] = 0

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], torch.log(self.price[index])  # <- or here


torch.manual_seed(9)
model = nn.Sequential(nn.Linear(5, 12), nn.Tanh(), nn.Linear(12, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
losses = []
for i, (x, y) in enumerate(DataLoader(Prices(6 * 4 * 40), batch_size=6)):  # <- or here
    prediction = model(x).squeeze(1)
    loss = nn.functional.mse_loss(prediction, y) / 4  # <- here
    loss.backward()
    losses.append(loss.item())
    if i % 4 == 3:
        optimizer.step()
        optimizer.zero_grad()
print(losses[::10], losses[-1], torch.rand(1).item())
