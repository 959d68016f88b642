import torch


class Ascent:
    """Climbs an objective."""

    def __init__(self, params, lr):
        self.params = list(params)
        self._inner = torch.optim.AdamW(self.params, lr=lr, weight_decay=0.01)

    def climb(self, value):
        self._clear()
        loss = -value
        loss.backward()
        self._inner.step()
        return loss.item()

    def _clear(self):
        for p in self.params:
            p.grad = None
