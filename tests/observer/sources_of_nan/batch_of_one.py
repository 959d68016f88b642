"""The last batch of an epoch holds one sample, whose standard deviation over the batch does not exist."""

# truth: step=62 phase=forward op=std module=spread
import warnings

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.simplefilter("ignore")


class Spread(nn.Module):
    def forward(self, hidden):
        across = hidden.std(0)  # <- here
        return torch.cat([hidden, across.expand_as(hidden)], dim=1)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.spread, self.score = nn.Linear(5, 8), Spread(), nn.Linear(16, 1)

    def forward(self, x):
        return self.score(self.spread(torch.tanh(self.embed(x)))).squeeze(1)


torch.manual_seed(18)
x = torch.randn(8 * 62 + 1, 5)
loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).float()), batch_size=8, shuffle=True)
model = Critic()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
losses = []
for _ in range(2):
    for inputs, labels in loader:
        loss = nn.functional.binary_cross_entropy_with_logits(model(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
print(losses[::5], losses[-1], torch.rand(1).item())
