from torch import nn


class StageCast(nn.Module):
    def __init__(self, n_columns, hidden):
        super().__init__()
        self.rnn = nn.GRU(n_columns, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)

    def forward(self, history):
        states, _ = self.rnn(history)
        return self.head(states[:, -1]).squeeze(-1)
