"""Under autocast to float16, the second layer's sum passes the largest number of that format."""

# truth: step=45 phase=forward op=linear,addmm,matmul,mm module=body.2
import torch
from torch import nn


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8))  # <- or here
        for layer in (self.body[0], self.body[2]):
            nn.init.normal_(layer.weight, mean=0.05, std=0.005)
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        hidden = self.body(x)  # <- here
        return self.head(hidden)


torch.manual_seed(13)
x = torch.rand(70, 8, 64)
y = x.mean(-1, keepdim=True)
x[45, 1] = 1e4
model = Scorer()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
losses = []
for step in range(70):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        prediction = model(x[step])
        loss = nn.functional.mse_loss(prediction, y[step])
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[::5], losses[-1], torch.rand(1).item())
