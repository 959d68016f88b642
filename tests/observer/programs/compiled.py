"""A model behind torch.compile, then a whole step's loss behind it, whose library call is then traced, too."""

import torch
from torch import nn

torch.manual_seed(0)
# Matrix products only: for them no C++ is written, whose compilation takes longer than all the rest.
plain = nn.Sequential(nn.Linear(6, 16, bias=False), nn.Linear(16, 4, bias=False))
model = torch.compile(plain)
optimizer = torch.optim.SGD(plain.parameters(), lr=0.05)


@torch.compile(backend="aot_eager")
def loss_of(x: torch.Tensor) -> torch.Tensor:
    return nn.functional.mse_loss(torch.tanh(plain(x)), x[:, :4])


for i in range(8):
    x = torch.randn(8, 6)
    loss = nn.functional.mse_loss(model(x), x[:, :4]) if i < 4 else loss_of(x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", 0, loss.item())
