"""usage: python main.py [config.yaml]"""
import sys
from pathlib import Path

import torch
from torch import nn

from splitter import settings
from splitter.corpus import Addresses, Alphabet
from splitter.model import ConvTagger


def dev_scores(model, dev):
    with torch.no_grad():
        guess = model(dev.words).argmax(1)
    real = torch.arange(dev.words.shape[1]) < dev.lengths[:, None]
    right = (guess == dev.tags) & real
    return right.sum().item() / real.sum().item(), (right.sum(1) == dev.lengths).float().mean().item()


def main():
    cfg = settings.load(sys.argv[1] if len(sys.argv) > 1 else "config.yaml")
    data, run = cfg["data"], cfg["train"]
    torch.manual_seed(cfg["seed"])

    folder = Path(data["folder"])
    words, tags = Alphabet(folder / "words.txt"), Alphabet(folder / "tags.txt")
    train = Addresses(folder / "train.tsv", words, tags, data["pad_to"])
    dev = Addresses(folder / "dev.tsv", words, tags, data["pad_to"])

    model = ConvTagger(len(words), len(tags), **cfg["model"])
    criterion = nn.CrossEntropyLoss(ignore_index=data["ignore_tag"])
    optimizer = torch.optim.SGD(model.parameters(), lr=run["lr"], momentum=run["momentum"])

    stream = train.stream(run["batch_size"])
    window = 0.0
    for step in range(1, run["steps"] + 1):
        x, t = next(stream)
        loss = criterion(model(x), t)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        window += loss.item()
        if step % run["eval_every"] == 0:
            token, exact = dev_scores(model, dev)
            print(f"{step:>5}  loss={window / run['eval_every']:.4f}  dev tokens={token:.4f}  dev exact={exact:.4f}")
            window = 0.0


if __name__ == "__main__":
    main()
