from torch import Tensor, nn

from .corpus import PAD
from .ops import normalize_scores


class Tagger(nn.Module):
    def __init__(self, vocab: int, n_tags: int, dim: int = 32, hidden: int = 32):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=PAD)
        self.rnn = nn.GRU(dim, hidden, batch_first=True, bidirectional=True)
        self.proj = nn.Linear(2 * hidden, n_tags)

    def forward(self, tokens: Tensor) -> Tensor:
        states, _ = self.rnn(self.embed(tokens))
        return normalize_scores(self.proj(states))
