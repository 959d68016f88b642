import torch


class ViewStream:
    """Two cameras see the same hidden state."""

    def __init__(self, batch, seed, state=6, pixels=40, noise=0.2):
        world = torch.Generator().manual_seed(999)
        self.cams = [torch.randn(state, pixels, generator=world) for _ in range(2)]
        self.gen = torch.Generator().manual_seed(seed)
        self.batch, self.state, self.pixels, self.noise = batch, state, pixels, noise

    def pull(self):
        hidden = torch.randn(self.batch, self.state, generator=self.gen)
        return [
            torch.tanh(hidden @ cam) + self.noise * torch.randn(self.batch, self.pixels, generator=self.gen)
            for cam in self.cams
        ]
