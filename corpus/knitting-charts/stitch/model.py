import torch.nn as nn
import torch.nn.functional as F


class StitchModel(nn.Module):
    def __init__(self, n_stitches, embed=24, hidden=64, kind="gru"):
        super().__init__()
        rnn = {"gru": nn.GRU, "lstm": nn.LSTM}[kind]
        self.embed = nn.Embedding(n_stitches, embed)
        self.rnn = rnn(embed, hidden, batch_first=True)
        self.head = nn.Linear(hidden, n_stitches)

    def forward(self, tokens, targets=None):
        states, _ = self.rnn(self.embed(tokens))
        logits = self.head(states)
        if targets is None:
            return logits
        # the output at a stitch is about the stitch after it
        loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), targets[:, 1:].flatten(), ignore_index=-100)
        return logits, loss
