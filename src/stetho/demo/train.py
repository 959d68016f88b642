"""Tag the words of synthetic log lines with a small bidirectional GRU."""

import argparse
import random

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

VOCAB, TAGS, LENGTH = 60, 12, 14


def make_lines(count: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Each word belongs to a tag; some words change it depending on the word before them."""
    words = torch.randint(1, VOCAB, (count, LENGTH), generator=generator)
    before = torch.roll(words, 1, dims=1)
    before[:, 0] = 0
    tags = torch.where(words % 5 == 0, (words + before) % TAGS, words % TAGS)
    return words, tags


class Tagger(nn.Module):
    def __init__(self, width: int = 48, dropout: float = 0.1):
        super().__init__()
        self.words = nn.Embedding(VOCAB, width)
        self.encoder = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.tags = nn.Linear(2 * width, TAGS)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        hidden, _ = self.encoder(self.words(words))
        return F.softmax(self.tags(self.dropout(hidden)), dim=-1)


@torch.no_grad()
def accuracy(model: Tagger, loader: DataLoader) -> float:
    model.eval()
    right = total = 0
    for words, tags in loader:
        right += (model(words).argmax(-1) == tags).sum().item()
        total += tags.numel()
    return right / total


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch-size", type=int, default=64)
    args = parser.parse_args()

    random.seed(7)
    torch.manual_seed(7)
    generator = torch.Generator().manual_seed(7)
    train = DataLoader(TensorDataset(*make_lines(4000, generator)), args.batch_size, shuffle=True)
    valid = DataLoader(TensorDataset(*make_lines(500, generator)), 250)

    model = Tagger()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs * len(train))

    for epoch in range(args.epochs):
        model.train()
        for words, tags in train:
            optimizer.zero_grad(set_to_none=True)
            scores = model(words)
            loss = F.cross_entropy(scores.flatten(0, 1), tags.flatten())
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        print(f"epoch {epoch} loss {loss.item():.4f} accuracy {accuracy(model, valid):.3f}")


if __name__ == "__main__":
    main()
