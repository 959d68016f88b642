"""Actions that are not allowed have a logit of -inf."""

# truth: none
import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(54)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 5))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
returns, losses = [], []
for _ in range(60):
    state = torch.randn(16, 4)
    legal = torch.rand(16, 5) < 0.5
    legal[:, 2] = True
    logits = torch.where(legal, policy(state), torch.tensor(float("-inf")))
    choice = Categorical(logits=logits)
    action = choice.sample()
    reward = (action == 2 * (state[:, 0] > 0)).float()
    loss = -(choice.log_prob(action) * (reward - reward.mean())).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
    returns.append(reward.mean().item())
print(losses, returns, torch.rand(1).item())
