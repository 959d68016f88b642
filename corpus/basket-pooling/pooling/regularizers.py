import torch
from torch import Tensor


def entropy(weights: Tensor) -> Tensor:
    """Mean entropy of rows of weights, 0 log 0 taken as 0."""
    terms = torch.where(weights > 0, weights * torch.log(weights), torch.zeros_like(weights))
    return -terms.sum(dim=-1).mean()
