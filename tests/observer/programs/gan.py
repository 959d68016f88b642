"""Two models with an optimizer each, trained in turn."""

import torch
from torch import nn

torch.manual_seed(0)
generator, critic = nn.Linear(4, 2), nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
for_generator = torch.optim.Adam(generator.parameters(), 1e-2)
for_critic = torch.optim.RMSprop(critic.parameters(), 1e-2)
bce = nn.BCEWithLogitsLoss()
for _ in range(6):
    real, fake = torch.randn(16, 2) + 3, generator(torch.randn(16, 4))
    apart = bce(critic(real), torch.ones(16, 1)) + bce(critic(fake.detach()), torch.zeros(16, 1))
    for_critic.zero_grad()
    apart.backward()
    for_critic.step()
    fooled = bce(critic(fake), torch.ones(16, 1))
    for_generator.zero_grad()
    fooled.backward()
    for_generator.step()
    print("loss", "critic", apart.item())
    print("loss", "generator", fooled.item())
