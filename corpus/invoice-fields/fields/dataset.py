import json
import random
from pathlib import Path

import torch
from torch.nn.utils.rnn import pad_sequence

from .text import Lookup, shape

PAD = 0
IGNORE = -100


def read_documents(paths, vocab: Lookup, tags: Lookup) -> list[tuple[torch.Tensor, torch.Tensor]]:
    documents = []
    for path in paths:
        with open(path, encoding="utf-8") as fh:
            for line in fh:
                doc = json.loads(line)
                words = torch.tensor([vocab(shape(w)) for w in doc["words"]])
                labels = torch.tensor([tags(t) for t in doc["tags"]])
                documents.append((words, labels))
    return documents


def shards(folder: Path, part: str) -> list[Path]:
    return sorted(folder.glob(f"{part}*.jsonl"))


def collate(documents):
    words = pad_sequence([w for w, _ in documents], batch_first=True, padding_value=PAD)
    labels = pad_sequence([t for _, t in documents], batch_first=True, padding_value=IGNORE)
    return words, labels


class LengthBuckets:
    """Batches of documents of similar length, in random order."""

    def __init__(self, documents, batch_size: int, seed: int):
        by_length = sorted(documents, key=lambda d: len(d[0]))
        self.batches = [by_length[i:i + batch_size] for i in range(0, len(by_length), batch_size)]
        self.rng = random.Random(seed)

    def __len__(self) -> int:
        return len(self.batches)

    def __iter__(self):
        order = list(range(len(self.batches)))
        self.rng.shuffle(order)
        for i in order:
            yield collate(self.batches[i])
