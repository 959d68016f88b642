import torch
import torch.nn as nn
import torch.nn.functional as F


class ReportNet(nn.Module):
    """Kim-style text CNN."""

    def __init__(self, n_tokens, n_out, embed, filters):
        super().__init__()
        self.emb = nn.Embedding(n_tokens, embed)
        self.convs = nn.ModuleList([nn.Conv1d(embed, filters, k, padding=k // 2) for k in (1, 3)])
        self.fc = nn.Linear(2 * filters, n_out)

    def forward(self, ids):
        e = self.emb(ids).transpose(1, 2)
        pooled = [F.relu(c(e)).amax(-1) for c in self.convs]
        return self.fc(F.dropout(torch.cat(pooled, 1), 0.2, self.training))
