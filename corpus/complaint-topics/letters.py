import json
from pathlib import Path

import torch
from torch.utils.data import Dataset

PAD, CLS, UNK = 0, 1, 2


class Letters(Dataset):
    def __init__(self, folder, part):
        folder = Path(folder)
        vocab = {w: i for i, w in enumerate((folder / "vocab.txt").read_text().split())}
        self.desks = json.loads((folder / "desks.json").read_text())
        self.items = []
        for path in sorted(folder.glob(f"{part}*.jsonl")):
            for line in path.read_text().splitlines():
                row = json.loads(line)
                ids = [CLS] + [vocab.get(w, UNK) for w in row["text"].split()]
                self.items.append({"input_ids": ids, "label": self.desks.index(row["desk"])})

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class PadToLongest:
    def __call__(self, items):
        longest = max(len(item["input_ids"]) for item in items)
        rows = [item["input_ids"] + [PAD] * (longest - len(item["input_ids"])) for item in items]
        input_ids = torch.tensor(rows)
        return {
            "input_ids": input_ids,
            "attention_mask": (input_ids != PAD).long(),
            "labels": torch.tensor([item["label"] for item in items]),
        }
