"""An actor divides by a stored probability of zero; its critic has its own optimizer and takes two steps for one."""

# truth: step=60 phase=forward op=div divisor_zeros=1
import torch
from torch import nn

torch.manual_seed(20)
actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
critic_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-2)
actor_optimizer = torch.optim.Adam(actor.parameters(), lr=3e-3)
states = torch.randn(80, 12, 4)
actions = torch.randint(0, 3, (80, 12))
behaviour = torch.full((80, 12), 1 / 3)
behaviour[60, 5] = 0
returns = states[..., 0] * (actions - 1)
losses = []
for step in range(80):
    for _ in range(2):
        value = critic(states[step]).squeeze(1)
        critic_loss = (value - returns[step]).square().mean()
        critic_optimizer.zero_grad()
        critic_loss.backward()
        critic_optimizer.step()
    advantage = returns[step] - critic(states[step]).squeeze(1).detach()
    chosen = torch.softmax(actor(states[step]), -1).gather(1, actions[step][:, None]).squeeze(1)
    ratio = chosen / behaviour[step]  # <- here
    actor_loss = -(ratio * advantage).mean()
    actor_optimizer.zero_grad()
    actor_loss.backward()
    actor_optimizer.step()
    losses += [critic_loss.item(), actor_loss.item()]
print(losses[::8], losses[-1], torch.rand(1).item())
