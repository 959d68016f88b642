import torch
import torch.nn as nn


class RateNet(nn.Module):
    """Log of the expected count."""

    def __init__(self, n_in, width=48):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(n_in, width), nn.ELU(), nn.Linear(width, width), nn.ELU(), nn.Linear(width, 1))

    def forward(self, x):
        return self.layers(x).squeeze(-1)


class Learner:
    def __init__(self, net, train, held, lr, batch, callbacks):
        self.net, self.train, self.held, self.batch = net, train, held, batch
        self.callbacks = callbacks
        self.criterion = nn.PoissonNLLLoss(log_input=True)
        self.optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
        self.epoch, self.loss = 0, float("nan")

    def _tell(self, hook):
        for callback in self.callbacks:
            getattr(callback, hook)(self)

    def _one_batch(self, x, y):
        self._tell("on_batch_start")
        self.optimizer.zero_grad()
        loss = self.criterion(self.net(x), y)
        loss.backward()
        self.loss = loss.item()
        self._tell("on_backward_end")
        self.optimizer.step()
        self._tell("on_batch_end")

    def fit(self, epochs):
        x, y = self.train
        for self.epoch in range(1, epochs + 1):
            for rows in torch.randperm(len(y)).split(self.batch):
                self._one_batch(x[rows], y[rows])
            self._tell("on_epoch_end")

    @torch.no_grad()
    def deviance(self):
        x, y = self.held
        z = self.net(x)
        fit = torch.where(y > 0, y * (torch.log(y.clamp(min=1)) - z), 0.0) - (y - z.exp())
        return 2 * fit.mean().item()
