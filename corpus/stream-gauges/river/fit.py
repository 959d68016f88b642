import torch

from .model import masked_mse


def train_epoch(model, loader, optimizer, clip):
    model.train()
    total, batches = 0.0, 0
    for values, masks, level in loader:
        forecast = model(values, masks)
        loss = masked_mse(forecast, level)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total += loss.item()
        batches += 1
    return total / batches


@torch.no_grad()
def forecast_all(model, loader):
    model.eval()
    forecasts, levels = [], []
    for values, masks, level in loader:
        forecasts.append(model(values, masks))
        levels.append(level)
    return torch.cat(forecasts), torch.cat(levels)


def rmse(a, b):
    error = a - b
    error = error[torch.isfinite(error)]
    return (error ** 2).mean().sqrt().item()
