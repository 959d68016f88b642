import torch
from torch import nn


class GaugeForecaster(nn.Module):
    def __init__(self, columns, hidden):
        super().__init__()
        self.rnn = nn.GRU(2 * columns, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, values, masks):
        states, _ = self.rnn(torch.cat([values, masks], dim=-1))
        return self.head(states[:, -1]).squeeze(-1)


def masked_mse(forecast, level):
    known = torch.isfinite(level)
    error = forecast - torch.where(known, level, forecast.detach())
    return (error ** 2).sum() / known.sum().clamp(min=1)
