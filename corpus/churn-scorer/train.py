import time

import numpy as np
import torch
import torch.nn as nn


def customers(n, seed):
    """Usage profile -> leaves within the quarter?"""
    r = np.random.RandomState(seed)
    x = r.normal(size=(n, 16)).astype("float32")
    risk = 2.5 * x[:, 0] - 2.0 * x[:, 1] * (x[:, 2] > 0) + 1.5 * np.abs(x[:, 3]) + x[:, 4] - 2.5
    keep = np.abs(risk) > 0.5  # undecided customers are not in the survey
    return torch.from_numpy(x[keep]), torch.from_numpy((risk[keep] > 0).astype("float32"))


class ChurnModel(nn.Module):
    def __init__(self, n_in, hidden=64):
        super().__init__()
        self.seq = nn.Sequential(
            nn.Linear(n_in, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, x):
        return torch.sigmoid(self.seq(x)).squeeze(1)


class ChurnTrainer:
    def __init__(self, model, pos_weight=1.0, lr=1e-3, batch=100):
        self.model = model
        self.pos_weight = pos_weight
        self.batch = batch
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.started = time.time()

    def weighted_bce(self, prob, y):
        pos = self.pos_weight * y * torch.log(prob)
        neg = (1 - y) * torch.log(1 - prob)
        return -(pos + neg).mean()

    def fit(self, x, y, x_val, y_val, epochs):
        n = len(x)
        for epoch in range(epochs):
            perm = torch.randperm(n)
            total = 0.0
            for s in range(0, n - self.batch + 1, self.batch):
                ix = perm[s:s + self.batch]
                loss = self.compute_loss(x[ix], y[ix])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total += loss.item()
            self.report(epoch, total / (n // self.batch), x_val, y_val)

    def compute_loss(self, x, y):
        prob = self.model(x)
        return self.weighted_bce(prob, y)

    def report(self, epoch, train_loss, x_val, y_val):
        with torch.no_grad():
            prob = self.model(x_val)
            acc = ((prob > 0.5).float() == y_val).float().mean().item()
        print("epoch {:2d} | {:5.1f}s | loss {:.5f} | val acc {:.4f}".format(epoch, time.time() - self.started, train_loss, acc))


if __name__ == "__main__":
    torch.manual_seed(8)
    x, y = customers(5000, 0)
    x_val, y_val = customers(1000, 1)
    weight = float((1 - y).sum() / y.sum())
    print("customers", len(x), "positive weight %.2f" % weight)
    trainer = ChurnTrainer(ChurnModel(16), pos_weight=weight)
    trainer.fit(x, y, x_val, y_val, epochs=20)
