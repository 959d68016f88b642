"""An optimizer that calls a closure several times in one step."""

import torch

torch.manual_seed(0)
x = torch.randn(32, 4)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.3, max_iter=3)


def closure() -> torch.Tensor:
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), x.prod(1, keepdim=True))
    loss.backward()
    print("loss", 0, loss.item())
    return loss


for _ in range(5):
    optimizer.step(closure)
