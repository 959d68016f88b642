"""Two networks that train against each other: each has its own optimizer, loss, clipping, schedule and pace."""

import torch
from slow import Steps, tell
from torch import nn

torch.manual_seed(5)
maker = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 2))
judge = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
for_maker = torch.optim.Adam(maker.parameters(), lr=0.01)
for_judge = torch.optim.SGD(judge.parameters(), lr=0.1)
slower = torch.optim.lr_scheduler.ExponentialLR(for_maker, 0.9)
halved = torch.optim.lr_scheduler.StepLR(for_judge, 3, 0.5)
makes, judges, own = Steps(for_maker), Steps(for_judge), nn.BCEWithLogitsLoss()
for i in range(10):
    for_maker.zero_grad()
    for_judge.zero_grad()
    real, fake = torch.randn(16, 2) + 3, maker(torch.randn(16, 4))
    right = own(judge(real), torch.ones(16, 1))
    wrong = own(judge(fake.detach()), torch.zeros(16, 1))
    loss = right + wrong
    loss.backward()  # @judge
    judges.backward()
    nn.utils.clip_grad_norm_(judge.parameters(), 0.02)
    judges.begin()
    for_judge.step()
    judges.end(loss=loss.item(), made=[right.item(), wrong.item()])
    if i % 2:
        loss = own(judge(fake), torch.ones(16, 1))
        loss.backward()  # @maker
        makes.backward()
        nn.utils.clip_grad_value_(maker.parameters(), 0.001)
        makes.begin()
        for_maker.step()
        makes.end(loss=loss.item())
        slower.step()
    if i % 4 == 3:
        halved.step()
tell(optimizers=[makes.rows, judges.rows])
