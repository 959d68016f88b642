"""A head that is used in every eightieth step only grows by its decay in between, and overflows while nobody looks."""

# truth: step=62 phase=optimizer op=add,sgd,step replay=out-of-reach
import torch
from torch import nn


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.usual, self.rare = nn.Linear(5, 8), nn.Linear(8, 1), nn.Linear(8, 1, bias=False)
        nn.init.uniform_(self.rare.weight, -0.36, 0.36)

    def forward(self, x, rare):
        hidden = torch.tanh(self.body(x))
        return self.rare(hidden) if rare else self.usual(hidden)


torch.manual_seed(44)
model = TwoHeads()
optimizer = torch.optim.SGD(
    [
        {"params": [*model.body.parameters(), *model.usual.parameters()]},
        {"params": model.rare.parameters(), "lr": 0.05, "weight_decay": 100.0},
    ],
    lr=0.05,
)
losses = []
for step in range(100):
    x = torch.randn(12, 5)
    loss = nn.functional.mse_loss(model(x, rare=step % 80 == 0), x[:, :1])
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()  # <- here
    losses.append(loss.item())
print(losses, torch.rand(1).item())
