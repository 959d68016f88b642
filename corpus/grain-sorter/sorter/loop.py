import torch
from torch import nn


class EpochLog:
    def __init__(self):
        print("epoch,train_loss,train_acc,valid_loss,valid_acc")

    def __call__(self, epoch, train, valid):
        print(f"{epoch},{train[0]:.4f},{train[1]:.4f},{valid[0]:.4f},{valid[1]:.4f}")


class Loop:
    def __init__(self, net, optimizer, callbacks=()):
        self.net, self.optimizer, self.callbacks = net, optimizer, callbacks
        self.objective = nn.CrossEntropyLoss()

    def sweep(self, loader, learn):
        self.net.train(learn)
        loss_sum, right, n = 0.0, 0, 0
        with torch.set_grad_enabled(learn):
            for x, y in loader:
                out = self.net(x)
                loss = self.objective(out, y)
                if learn:
                    self.optimizer.zero_grad()
                    loss.backward()
                    self.optimizer.step()
                loss_sum += loss.item() * len(y)
                right += (out.argmax(1) == y).sum().item()
                n += len(y)
        return loss_sum / n, right / n

    def fit(self, train, valid, epochs):
        for epoch in range(1, epochs + 1):
            t, v = self.sweep(train, True), self.sweep(valid, False)
            for call in self.callbacks:
                call(epoch, t, v)
        return v
