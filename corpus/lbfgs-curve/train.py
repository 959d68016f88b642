import torch
from torch import nn

torch.manual_seed(10)
torch.set_default_dtype(torch.float64)

t = torch.linspace(0, 6, 240).unsqueeze(1)
signal = torch.exp(-0.3 * t) * torch.sin(3.0 * t) + 0.01 * torch.randn_like(t)
inputs = (t - t.mean()) / t.std()

net = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
criterion = nn.MSELoss()
opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=10, history_size=20, line_search_fn="strong_wolfe")
evals = 0


def closure():
    global evals
    evals += 1
    opt.zero_grad()
    loss = criterion(net(inputs), signal)
    loss.backward()
    return loss


for outer in range(40):
    loss = opt.step(closure)
    if outer % 4 == 0 or outer == 39:
        print(f"outer {outer:2d}  evaluations {evals:4d}  mse {loss.item():.3e}")
