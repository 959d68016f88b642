import torch


class Driver:
    """Optimizer with gradient clipping."""

    def __init__(self, params, lr, limit):
        self.params = list(params)
        self.limit = limit
        self.optimizer = torch.optim.Adam(self.params, lr=lr)

    def prepare(self):
        self.optimizer.zero_grad()

    def advance(self):
        torch.nn.utils.clip_grad_norm_(self.params, self.limit)
        self.optimizer.step()
