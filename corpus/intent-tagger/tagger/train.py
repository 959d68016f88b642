import torch

from .corpus import SLOTS, VOCAB, Corpus
from .engine import Engine
from .model import Tagger
from .objective import TokenObjective

STEPS = 500
REPORT = 50


def main() -> None:
    torch.manual_seed(42)
    train, valid = Corpus(3000, seed=1), Corpus(500, seed=2)
    engine = Engine(Tagger(VOCAB, len(SLOTS)), TokenObjective(), lr=3e-3)
    held_out = valid.take(torch.arange(len(valid)))
    average = None
    for step, batch in enumerate(train.stream(32, seed=3), start=1):
        loss = engine.update(batch)
        average = loss if average is None else 0.95 * average + 0.05 * loss
        if step % REPORT == 0:
            val_loss, val_acc = engine.score(held_out)
            print(f"step={step} loss={average:.4f} val_loss={val_loss:.4f} val_acc={val_acc:.4f}")
        if step == STEPS:
            break


if __name__ == "__main__":
    main()
