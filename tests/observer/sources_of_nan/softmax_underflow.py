"""A temperature drops late in training, a probability underflows to zero, and its log is taken."""

# truth: step=150 phase=forward op=log
import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Dropout(0.1), nn.Linear(24, 5))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=3e-3)
        self.generator = torch.Generator().manual_seed(7)
        self.history = []

    def batch(self):
        x = torch.randn(32, 6, generator=self.generator)
        return x, torch.randint(0, 5, (32,), generator=self.generator)

    def likelihood(self, scores, y, temperature):
        probabilities = torch.softmax(scores / temperature, dim=1)
        chosen = probabilities.gather(1, y[:, None])
        return torch.log(chosen).mean()  # <- here

    def fit(self, steps):
        for step in range(steps):
            x, y = self.batch()
            loss = -self.likelihood(self.model(x), y, temperature=1.0 if step < 150 else 1e-4)
            self.optimizer.zero_grad(set_to_none=False)
            loss.backward()
            self.optimizer.step()
            self.history.append(loss.item())


torch.manual_seed(1)
trainer = Trainer()
trainer.fit(170)
print(trainer.history[::10], trainer.history[-1], torch.rand(1).item())
