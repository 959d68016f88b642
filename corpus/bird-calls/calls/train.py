import tempfile
from pathlib import Path

import torch

from .archive import CallArchive, Feeds
from .fieldwork import SPECIES, collect
from .listener import Listener, Session

EPOCHS = 5


def main():
    torch.manual_seed(100)
    with tempfile.TemporaryDirectory() as folder:
        collect(Path(folder), n=4000, seed=7)
        archive = CallArchive(folder)
    feeds = Feeds(archive, batch_size=64)
    session = Session(Listener(len(SPECIES)), lr=1e-3)
    for epoch in range(EPOCHS):
        losses = [session.learn(batch) for batch in feeds.train]
        val_loss, val_acc = session.review(feeds.valid)
        print(f"epoch {epoch}  loss {sum(losses) / len(losses):.4f}  val_loss {val_loss:.4f}  val_acc {val_acc:.3f}")


if __name__ == "__main__":
    main()
