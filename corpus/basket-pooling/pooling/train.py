import torch

from .attention import BasketModel
from .baskets import FEATURES, BasketStream
from .learner import Learner


def main():
    torch.manual_seed(55)
    stream = BasketStream(64, short_rate=0.00012, seed=4)
    held_out = next(BasketStream(500, short_rate=0.0, seed=5))
    learner = Learner(BasketModel(FEATURES), lr=3e-3, bonus=0.005)
    recent = []
    for step in range(1, 801):
        recent.append(learner.step(next(stream)))
        if step % 80 == 0:
            print(f"{step:4d} mse {sum(recent) / len(recent):.4f} held-out {learner.check(held_out):.4f}")
            recent = []


if __name__ == "__main__":
    main()
