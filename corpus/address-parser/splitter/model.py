from torch import nn


class ConvTagger(nn.Module):
    def __init__(self, n_words, n_tags, dim, channels, kernel):
        super().__init__()
        same = kernel // 2
        self.embed = nn.Embedding(n_words, dim)
        self.conv1 = nn.Conv1d(dim, channels, kernel, padding=same)
        self.conv2 = nn.Conv1d(channels, channels, kernel, padding=same)
        self.score = nn.Conv1d(channels, n_tags, 1)
        self.act = nn.ReLU()

    def forward(self, words):
        h = self.embed(words).transpose(1, 2)
        h = self.act(self.conv1(h))
        h = h + self.act(self.conv2(h))
        return self.score(h)  # (batch, tags, positions)
