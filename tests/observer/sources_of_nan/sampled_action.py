"""Actions are drawn after the model has answered; some that a mask forbids are drawn, and count all the same."""

# truth: step=52 phase=forward op=log
import torch
from torch import nn

torch.manual_seed(62)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(policy.parameters(), lr=0.05)
allowed = torch.ones(70, 32, 3)
allowed[52, :, 1] = 0
losses, actions = [], []
for step in range(70):
    state = torch.randn(32, 4)
    chances = torch.softmax(policy(state), dim=-1)
    drawn = torch.distributions.Categorical(probs=chances).sample()
    taken = (chances * allowed[step]).gather(1, drawn.unsqueeze(1)).squeeze(1)
    reward = state[:, 0] * (drawn - 1)
    loss = -(torch.log(taken) * reward).mean()  # <- here
    optimizer.zero_grad()
    loss.backward()
    losses.append(loss.item())
    if not torch.isfinite(loss):
        break
    optimizer.step()
    actions.append(drawn.sum().item())
print(losses, actions, torch.rand(1).item())
