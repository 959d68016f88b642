import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

# how long cars stay in the garage (log minutes), learned day by day from the gate records
torch.manual_seed(12)
rng = np.random.default_rng(12)

N_DAYS = 440
HELD_OUT = 40
EPOCHS = 3
LR = 0.03

# busy days have a hundred cars and more, quiet ones a handful
cars = np.clip(np.exp(rng.normal(2.8, 0.9, N_DAYS)), 3, 200).astype(int)
start = np.concatenate([[0], np.cumsum(cars)])
n = start[-1]
weekday = np.repeat(np.arange(N_DAYS) % 7, cars)
rain = np.repeat(rng.random(N_DAYS) < 0.35, cars)
hour = np.clip(rng.normal(13, 4, n), 0, 24)
resident = rng.random(n) < 0.2
event = np.repeat(rng.random(N_DAYS) < 0.15, cars)

logmin = (
    4.2
    + 0.9 * resident
    - 0.25 * np.abs(hour - 9) / 3
    + 0.5 * event * (hour > 16)
    - 0.4 * (weekday >= 5) * ~resident
    + 0.2 * rain * (hour < 12)
    + 0.15 * rng.normal(size=n)
)
feats = np.stack(
    [np.sin(hour * np.pi / 12), np.cos(hour * np.pi / 12), (hour - 13) / 4, resident, event, rain, weekday >= 5], axis=1
)
x = torch.tensor(feats.astype(np.float32))
y = torch.tensor(((logmin - logmin.mean()) / logmin.std()).astype(np.float32))
print(f"{N_DAYS} days, {n} cars, {cars.min()}..{cars.max()} a day")

net = nn.Sequential(nn.Linear(7, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=LR)

last_train = N_DAYS - HELD_OUT
x_held, y_held = x[start[last_train]:], y[start[last_train]:]

for epoch in range(EPOCHS):
    seen = []
    for k, day in enumerate(rng.permutation(last_train)):
        rows = slice(start[day], start[day + 1])
        pred = net(x[rows]).squeeze(1)
        loss = F.smooth_l1_loss(pred, y[rows], reduction="sum")
        opt.zero_grad()
        loss.backward()
        opt.step()
        seen.append(((pred.detach() - y[rows]) ** 2).mean().item())
        if (k + 1) % 100 == 0:
            print(f"epoch {epoch} day {k + 1:3d}  mse {np.mean(seen[-100:]):.4f}")
    with torch.no_grad():
        held = ((net(x_held).squeeze(1) - y_held) ** 2).mean().item()
    print(f"epoch {epoch} done  held-out mse {held:.4f}")
