from pathlib import Path

import torch


class Alphabet:
    """One symbol per line, the line number is the id."""

    def __init__(self, path):
        self.symbols = Path(path).read_text().splitlines()
        self.ids = {s: i for i, s in enumerate(self.symbols)}
        self.pad, self.unk = self.ids["<pad>"], self.ids["<unk>"]

    def __len__(self):
        return len(self.symbols)

    def row(self, symbols, width):
        ids = [self.ids.get(s, self.unk) for s in symbols]
        return ids + [self.pad] * (width - len(ids))


class Addresses:
    """Files of 'word<TAB>tag' lines with an empty line between addresses."""

    def __init__(self, path, words, tags, pad_to):
        blocks = [b.splitlines() for b in Path(path).read_text().strip().split("\n\n")]
        pairs = [[tuple(line.split("\t")) for line in b] for b in blocks]
        self.words = torch.tensor([words.row([w for w, _ in p], pad_to) for p in pairs])
        self.tags = torch.tensor([tags.row([t for _, t in p], pad_to) for p in pairs])
        self.lengths = torch.tensor([len(p) for p in pairs])

    def __len__(self):
        return len(self.words)

    def stream(self, size):
        while True:
            order = torch.randperm(len(self))
            for start in range(0, len(self) - size + 1, size):
                rows = order[start:start + size]
                yield self.words[rows], self.tags[rows]
