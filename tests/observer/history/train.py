"""A small training that keeps something of its earlier steps, or nothing, as it is asked to."""

import sys

import torch
from torch import nn

how = sys.argv[1]
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 8))
head = nn.Linear(8, 1)
optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.01)
state, average, total, kept = torch.zeros(4, 8), torch.zeros(1), 0, []
for step in range(31):
    x = torch.randn(4, 6)
    if how == "state":
        state = torch.tanh(model(x) + 0.5 * state)  # @state
    elif how == "detached":
        state = torch.tanh(model(x) + 0.5 * state.detach())
    else:
        state = model(x)
    answer = head(state)
    loss = (answer - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad()
    if how == "twice" and step == 3:
        loss.backward()
    loss.backward()
    optimizer.step()
    if how == "summed":
        total = total + loss  # @summed
    if how == "listed":
        kept.append({"answer": answer, "step": step})  # @listed
    if how == "epochs":
        total = 0 if step % 5 == 4 else total + loss
