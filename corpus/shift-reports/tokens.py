import json
import re

_SPLIT = re.compile(r"[a-z]+|[0-9]+")


class Tokenizer:
    def __init__(self, path):
        with open(path) as fh:
            d = json.load(fh)
        self.id = {w: i for i, w in enumerate(d["tokens"])}
        self.pad, self.unk = self.id["[pad]"], self.id["[unk]"]

    def __len__(self):
        return len(self.id)

    def __call__(self, text, length):
        ids = [self.id.get(w, self.unk) for w in _SPLIT.findall(text.lower())][:length]
        return ids + [self.pad] * (length - len(ids))
