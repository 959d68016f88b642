"""Actor and critic: both backward calls first, then both steps."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor, critic = nn.Linear(4, 3), nn.Linear(4, 1)
for_actor = torch.optim.Adam(actor.parameters(), 1e-2)
for_critic = torch.optim.Adam(critic.parameters(), 1e-2)
for _ in range(6):
    state = torch.randn(16, 4)
    policy, value = Categorical(logits=actor(state)), critic(state).squeeze(-1)
    action = policy.sample()
    reward = (action == 1).float()
    of_actor = -(policy.log_prob(action) * (reward - value.detach())).mean()
    of_critic = (reward - value).pow(2).mean()
    for_actor.zero_grad()
    for_critic.zero_grad()
    of_actor.backward()
    of_critic.backward()
    for_actor.step()
    for_critic.step()
    print("loss", "actor", of_actor.item())
    print("loss", "critic", of_critic.item())
