import random

import numpy as np
import torch
from torch import nn

from .model import StageCast
from .series import windows
from .settings import Settings


def skill(model, x, y):
    """1 - MSE / variance: 0 is as good as always saying the mean."""
    model.eval()
    with torch.no_grad():
        error = (model(x) - y).square().mean()
    model.train()
    return (1 - error / y.var()).item(), error.sqrt().item()


def main(s=Settings()):
    random.seed(s.seed)
    np.random.seed(s.seed)
    torch.manual_seed(s.seed)
    (x, y), later, scale = windows(s)
    model = StageCast(len(s.columns), s.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=s.lr)
    criterion = nn.MSELoss()
    step = 0
    for epoch in range(s.epochs):
        for rows in torch.randperm(len(x)).split(s.batch):
            optimizer.zero_grad()
            loss = criterion(model(x[rows]), y[rows])
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            if step % 20 == 0:
                print(f"step={step} loss={loss.item():.4f}")
        r2, rmse = skill(model, *later)
        print(f"== epoch {epoch + 1}: later hours rmse {rmse * scale:.2f} cm, skill {r2:.3f}")
    s.out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), s.out / "stagecast.pt")


main()
