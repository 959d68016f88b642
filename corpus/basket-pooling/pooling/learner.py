import torch
import torch.nn.functional as F

from .regularizers import entropy


class Learner:
    def __init__(self, model, lr, bonus):
        self.model = model
        self.bonus = bonus
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def losses(self, batch):
        value, weights = self.model(batch["items"], batch["present"])
        fit = F.mse_loss(value, batch["value"])
        return fit - self.bonus * entropy(weights), fit

    def step(self, batch):
        self.opt.zero_grad()
        total, fit = self.losses(batch)
        total.backward()
        self.opt.step()
        return fit.item()

    def check(self, batch):
        with torch.no_grad():
            return self.losses(batch)[1].item()
