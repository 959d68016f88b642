"""Small tensor helpers shared by the models."""
import torch
from torch import Tensor


def lengths_to_mask(lengths: Tensor, max_len: int) -> Tensor:
    return torch.arange(max_len)[None, :] < lengths[:, None]


def normalize_scores(scores: Tensor) -> Tensor:
    weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return weights / weights.sum(dim=-1, keepdim=True)
