import torch
from torch.nn.functional import cross_entropy

OPTIMIZERS = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}


def freeze(model, prefixes):
    for name, p in model.named_parameters():
        if any(name.startswith(prefix) for prefix in prefixes):
            p.requires_grad_(False)


def make_optimizer(model, name, lr, weight_decay):
    params = [p for p in model.parameters() if p.requires_grad]
    return OPTIMIZERS[name](params, lr=lr, weight_decay=weight_decay)


def train_epoch(model, loader, optimizer):
    model.train()
    seen = []
    for wave, word in loader:
        loss = cross_entropy(model(wave), word)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        seen.append(loss.detach())
    return torch.stack(seen).mean().item()


@torch.no_grad()
def recall(model, loader):
    model.eval()
    right = sum((model(w).argmax(1) == y).sum().item() for w, y in loader)
    return right / len(loader.dataset)
