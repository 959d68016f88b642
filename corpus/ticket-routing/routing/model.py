from torch import nn


class Router(nn.Module):
    """Mean of word vectors, one hidden layer, one score per topic."""

    def __init__(self, n_words, n_topics, dim=48, dropout=0.5):
        super().__init__()
        self.words = nn.EmbeddingBag(n_words, dim, mode="mean")
        self.hidden = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)
        self.scores = nn.Linear(dim, n_topics)
        nn.init.normal_(self.words.weight, std=0.5)

    def forward(self, tokens, offsets):
        bag = self.words(tokens, offsets)
        return self.scores(self.dropout(self.hidden(bag).relu()))
