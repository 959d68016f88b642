"""A constant window is divided by its spread; that a measure of the evaluations is not a number is harmless."""

# truth: step=88 phase=forward op=div module=standardise divisor_zeros=1
import torch
from torch import nn


class Standardise(nn.Module):
    def forward(self, windows):
        centred = windows - windows.mean(-1, keepdim=True)
        return centred / windows.std(-1, keepdim=True)  # <- here


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.standardise = Standardise()
        self.body = nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 1))

    def forward(self, windows):
        return self.body(self.standardise(windows)).squeeze(-1)


@torch.no_grad()
def evaluate(model, windows, alarms):
    model.eval()
    found = (model(windows) > 0) & alarms.bool()
    recall = found.sum() / alarms.sum()
    model.train()
    return recall.item()


torch.manual_seed(11)
windows = torch.randn(120, 8, 20).cumsum(-1)
alarms = (windows[..., -1] > windows[..., 0]).float()
windows[88, 6] = 3.0
held_out, no_alarms = torch.randn(16, 20).cumsum(-1), torch.zeros(16)
model = Detector()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
losses, recalls = [], []
for step in range(120):
    model.train()
    loss = nn.functional.binary_cross_entropy_with_logits(model(windows[step]), alarms[step])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    if step % 20 == 19:
        recalls.append(evaluate(model, held_out, no_alarms))
print(losses, recalls, torch.rand(1).item())
