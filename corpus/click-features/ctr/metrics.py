import torch


class Mean:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def add(self, value, n=1):
        self.total += float(value) * n
        self.count += n

    def __float__(self):
        return self.total / max(self.count, 1)


def auc(score, label):
    order = torch.argsort(score)
    rank = torch.empty(len(score))
    rank[order] = torch.arange(1, len(score) + 1, dtype=torch.float)
    pos = label > 0.5
    n_pos, n_neg = pos.sum(), (~pos).sum()
    return ((rank[pos].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)).item()
