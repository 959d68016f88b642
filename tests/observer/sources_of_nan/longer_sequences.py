"""From one step on the sequences are long, and a state that grows fourfold per turn leaves the range of float32."""

# truth: step=140 phase=forward op=matmul,mm,linear module=cell
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.transfer = nn.Parameter(4 * torch.eye(3))

    def forward(self, state, turns):
        for _ in range(turns):
            state = state @ self.transfer  # <- here
        return state


class Rollout(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.read = Cell(), nn.Linear(3, 1)

    def forward(self, state, turns):
        return self.read(self.cell(state, turns) / 4.0**turns)


torch.manual_seed(25)
starts = torch.rand(150, 8, 3) + 0.5
model = Rollout()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
losses = []
for step, start in enumerate(starts):
    prediction = model(start, turns=6 if step < 140 else 200)
    loss = (prediction - start.sum(-1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
    losses.append(loss.item())
print(losses[::5], losses[-1], torch.rand(1).item())
