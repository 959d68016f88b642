"""A count model that returns its own loss is called with keyword arguments; one rate is exp of hundreds."""

# truth: step=120 phase=forward op=exp root=CountModel
import torch
from torch import nn


class CountModel(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, 1)

    def forward(self, *, features, exposure, counts=None):
        rate = exposure * torch.exp(self.linear(features))  # <- here
        if counts is None:
            return {"rate": rate}
        return {"rate": rate, "loss": (rate - counts * torch.log(rate + 1e-6)).mean()}


torch.manual_seed(4)
features = torch.rand(140, 16, 3)
exposure = torch.rand(140, 16, 1) + 0.5
counts = torch.poisson(exposure * features.sum(-1, keepdim=True).exp())
features[120, 9] = 1e4
model = CountModel(width=3)
optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
losses = []
for step in range(140):
    out = model(features=features[step], exposure=exposure[step], counts=counts[step])
    optimizer.zero_grad()
    out["loss"].backward()
    optimizer.step()
    losses.append(out["loss"].item())
print(losses[::10], losses[-1], torch.rand(1).item())
