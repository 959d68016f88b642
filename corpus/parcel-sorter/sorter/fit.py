import torch
from torch import nn


def evaluate(net, loader):
    loss_fn = nn.CrossEntropyLoss(reduction="sum")
    net.eval()
    total, hits, count = 0.0, 0, 0
    with torch.no_grad():
        for scans, lanes in loader:
            logits = net(scans)
            total += loss_fn(logits, lanes).item()
            hits += (logits.argmax(1) == lanes).sum().item()
            count += len(lanes)
    net.train()
    return total / count, hits / count


def fit(net, train_loader, held_loader, epochs, lr):
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(net.parameters(), lr=lr)
    for epoch in range(1, epochs + 1):
        running = 0.0
        for scans, lanes in train_loader:
            loss = loss_fn(net(scans), lanes)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item()
        held_loss, held_acc = evaluate(net, held_loader)
        print(f"epoch {epoch:2d}  train loss {running / len(train_loader):.4f}  "
              f"held-out loss {held_loss:.4f}  acc {held_acc:.4f}")
