import torch.nn.functional as F
from torch import Tensor


class TokenObjective:
    """Average token loss and accuracy over the real (unpadded) positions."""

    def __init__(self, smoothing: float = 0.0):
        self.smoothing = smoothing

    def __call__(self, scores: Tensor, batch: dict) -> Tensor:
        keep = batch["mask"]
        return F.cross_entropy(scores[keep], batch["tags"][keep], label_smoothing=self.smoothing)

    def accuracy(self, scores: Tensor, batch: dict) -> float:
        keep = batch["mask"]
        return (scores[keep].argmax(-1) == batch["tags"][keep]).float().mean().item()
