import math

from .ops import agreement, soft_assign


class MutualInformation:
    """Lower bound on the information shared by the views, in nats; its negative is minimised."""

    def __init__(self, tau):
        self.tau = tau

    def bound(self, za, zb):
        scores = za @ zb.T / self.tau
        return 0.5 * (agreement(scores) + agreement(scores.T)) + math.log(len(za))

    def sharpness(self, za, zb):
        return soft_assign(za.detach() @ zb.detach().T / self.tau).max(dim=1).values.mean().item()
