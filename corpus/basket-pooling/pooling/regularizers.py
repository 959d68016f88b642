import torch
from torch import Tensor


def entropy(weights: Tensor) -> Tensor:
    """Mean entropy of the rows."""
    terms = torch.where(weights > 0, weights * torch.log(weights), torch.zeros_like(weights))
    return -terms.sum(dim=-1).mean()
