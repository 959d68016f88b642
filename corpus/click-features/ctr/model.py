from torch import nn


class ClickModel(nn.Module):
    def __init__(self, encoder, hidden=16):
        super().__init__()
        self.encoder = encoder
        self.norm = nn.LayerNorm(encoder.width)
        self.hidden = nn.Linear(encoder.width, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, rows):
        x = self.encoder(rows)
        x = self.hidden(self.norm(x)).relu()
        return self.out(x).squeeze(1)
