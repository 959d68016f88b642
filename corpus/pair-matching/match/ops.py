"""Tensor operations used by towers and criteria."""
import torch


def unit(x):
    return x / (x.norm(dim=-1, keepdim=True) + 1e-6)


def soft_assign(scores):
    return torch.softmax(scores, dim=-1)


def agreement(scores):
    return scores.diagonal().mean() - torch.logsumexp(scores, dim=1).mean()
