import torch

_KINDS = {
    "sgd": torch.optim.SGD,
    "adam": torch.optim.Adam,
    "rmsprop": torch.optim.RMSprop,
}


class Updater:
    """Thin layer over torch.optim so that the loop does not depend on the concrete optimizer."""

    def __init__(self, params, name, lr, **extra):
        self.inner = _KINDS[name](list(params), lr=lr, **extra)

    def reset(self):
        for group in self.inner.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.grad.detach_()

    def apply(self, loss):
        loss.backward()
        self.inner.step()

    @property
    def lr(self):
        return self.inner.param_groups[0]["lr"]
