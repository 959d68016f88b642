import torch
from torch import nn


def train_epoch(model, loader, optimizer, report):
    loss_fn = nn.CrossEntropyLoss()
    seen, total = 0, 0.0
    for i, (x, state) in enumerate(loader, 1):
        loss = loss_fn(model(x), state)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        seen, total = seen + 1, total + loss.item()
        if i % report == 0:
            print(f"  batch {i:4d}  loss {total / seen:.4f}")
            seen, total = 0, 0.0


@torch.no_grad()
def validate(model, loader):
    loss_fn = nn.CrossEntropyLoss(reduction="sum")
    total = right = n = 0
    for x, state in loader:
        logits = model(x)
        total += loss_fn(logits, state).item()
        right += int((logits.argmax(1) == state).sum())
        n += len(state)
    return total / n, right / n
