import torch

from .segments import history
from .session import Session


def main():
    torch.manual_seed(9)
    x, y = history(5000, 0)
    xv, yv = history(1000, 1)
    session = Session(x.shape[1])
    total = 0.0
    for step in range(1, 601):
        rows = torch.randint(len(x), (64,))
        total += session.update(x[rows], y[rows])
        if step % 60 == 0:
            print(f"step {step:4d}  train {total / 60:.4f}  valid {session.error(xv, yv):.4f}")
            total = 0.0


if __name__ == "__main__":
    main()
