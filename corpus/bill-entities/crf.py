import torch
from torch import nn


class LinearChainCRF(nn.Module):
    """log p(tags | emissions) with learned start, transition and end scores. Lafferty et al. 2001."""

    def __init__(self, n_tags):
        super().__init__()
        self.start = nn.Parameter(torch.zeros(n_tags))
        self.end = nn.Parameter(torch.zeros(n_tags))
        self.trans = nn.Parameter(0.1 * torch.randn(n_tags, n_tags))

    def path_score(self, emit, tags, mask):
        score = self.start[tags[:, 0]] + emit[:, 0].gather(1, tags[:, :1]).squeeze(1)
        step = self.trans[tags[:, :-1], tags[:, 1:]] + emit[:, 1:].gather(2, tags[:, 1:, None]).squeeze(2)
        score = score + (step * mask[:, 1:]).sum(1)
        last = tags.gather(1, mask.sum(1, keepdim=True).long() - 1).squeeze(1)
        return score + self.end[last]

    def log_z(self, emit, mask):
        """Forward algorithm."""
        move = self.trans.exp()
        alpha = (self.start + emit[:, 0]).exp()
        for t in range(1, emit.shape[1]):
            step = (alpha @ move) * emit[:, t].exp()
            alpha = torch.where(mask[:, t, None] > 0, step, alpha)
        return (alpha * self.end.exp()).sum(1).log()

    def nll(self, emit, tags, mask):
        return (self.log_z(emit, mask) - self.path_score(emit, tags, mask)).mean()

    @torch.no_grad()
    def decode(self, emit, mask):
        """Viterbi."""
        best = self.start + emit[:, 0]
        back = []
        for t in range(1, emit.shape[1]):
            value, arg = (best[:, :, None] + self.trans).max(1)
            keep = mask[:, t, None] > 0
            back.append(torch.where(keep, arg, torch.arange(arg.shape[1]).expand_as(arg)))
            best = torch.where(keep, value + emit[:, t], best)
        tag = (best + self.end).argmax(1)
        path = [tag]
        for arg in reversed(back):
            tag = arg.gather(1, tag[:, None]).squeeze(1)
            path.append(tag)
        return torch.stack(path[::-1], dim=1)
