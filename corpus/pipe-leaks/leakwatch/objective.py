import torch
from torch import nn


class FocalLoss(nn.Module):
    """Focal loss (Lin et al. 2017) for a single output.

    Leaks are rare, so easy negatives are weighted down by (1 - p_t) ** gamma.
    """

    def __init__(self, gamma=2.0, alpha=0.6, eps=1e-6):
        super().__init__()
        self.gamma, self.alpha, self.eps = gamma, alpha, eps

    def forward(self, p, target):
        p = p.clamp(self.eps, 1 - self.eps)
        p_t = torch.where(target > 0.5, p, 1 - p)
        a_t = torch.where(target > 0.5, self.alpha, 1 - self.alpha)
        return (-a_t * (1 - p_t) ** self.gamma * torch.log(p_t)).mean()
