import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, n_chars, dim, hidden):
        super().__init__()
        self.emb = nn.Embedding(n_chars, dim, padding_idx=0)
        self.gru = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)

    def forward(self, source):
        states, last = self.gru(self.emb(source))
        return states, torch.tanh(last[0] + last[1])


class Decoder(nn.Module):
    """One step at a time, looking at the source with dot-product attention."""

    def __init__(self, n_chars, dim, hidden):
        super().__init__()
        self.emb = nn.Embedding(n_chars, dim, padding_idx=0)
        self.cell = nn.GRUCell(dim + 2 * hidden, hidden)
        self.query = nn.Linear(hidden, 2 * hidden)
        self.out = nn.Linear(3 * hidden, n_chars)

    def step(self, char, state, context, states, padding):
        state = self.cell(torch.cat([self.emb(char), context], dim=1), state)
        scores = torch.bmm(states, self.query(state).unsqueeze(2)).squeeze(2)
        scores = scores.masked_fill(padding, float("-inf"))
        weights = scores.softmax(dim=1)
        context = torch.bmm(weights.unsqueeze(1), states).squeeze(1)
        return self.out(torch.cat([state, context], dim=1)), state, context


class DateTranslator(nn.Module):
    def __init__(self, n_source, n_target, dim=24, hidden=40):
        super().__init__()
        self.encoder = Encoder(n_source, dim, hidden)
        self.decoder = Decoder(n_target, dim, hidden)

    def forward(self, source, target_in):
        """Teacher forcing: logits for every position of target_in."""
        states, state = self.encoder(source)
        padding = source == 0
        context = states.new_zeros(len(source), states.shape[2])
        logits = []
        for t in range(target_in.shape[1]):
            step_logits, state, context = self.decoder.step(target_in[:, t], state, context, states, padding)
            logits.append(step_logits)
        return torch.stack(logits, dim=1)

    @torch.no_grad()
    def translate(self, source, bos, length):
        states, state = self.encoder(source)
        padding = source == 0
        context = states.new_zeros(len(source), states.shape[2])
        char = torch.full((len(source),), bos)
        chars = []
        for _ in range(length):
            step_logits, state, context = self.decoder.step(char, state, context, states, padding)
            char = step_logits.argmax(1)
            chars.append(char)
        return torch.stack(chars, dim=1)
