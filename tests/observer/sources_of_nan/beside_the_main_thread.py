"""The loop runs in a thread of its own; model and optimizer were made in the main one."""

# truth: step=30 phase=forward op=log module=*
import threading

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def train():
    for step in range(40):
        x = torch.randn(8, 3)
        loss = torch.log(model(x).square() * (step != 30)).mean()  # <- here
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


thread = threading.Thread(target=train)
thread.start()
thread.join()
