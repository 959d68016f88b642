"""Signed running sums with an RNN; the lists get longer from stage to stage."""
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Stage:
    length: int
    steps: int


STAGES = [Stage(3, 150), Stage(6, 150), Stage(10, 200), Stage(16, 250)]


class Adder(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.rnn = nn.GRU(1, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, numbers):
        h, _ = self.rnn(numbers)
        return self.out(h[:, -1]).squeeze(-1)


class StagedTrainer:
    def __init__(self, model, lr, batch):
        self.model = model
        self.batch = batch
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.step = 0

    def draw(self, length):
        numbers = torch.rand(self.batch, length, 1) * 2 - 1
        return numbers, numbers.sum(dim=(1, 2))

    def run_stage(self, stage):
        recent = []
        for _ in range(stage.steps):
            numbers, total = self.draw(stage.length)
            loss = nn.functional.mse_loss(self.model(numbers), total)
            self.opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.opt.step()
            self.step += 1
            recent.append(loss.item())
            if self.step % 50 == 0:
                print(f"step {self.step:4d}  length {stage.length:2d}  mse {sum(recent[-50:]) / len(recent[-50:]):.4f}")

    def run(self):
        for stage in STAGES:
            self.run_stage(stage)


if __name__ == "__main__":
    torch.manual_seed(18)
    StagedTrainer(Adder(), lr=4e-3, batch=64).run()
