import torch

from .ascent import Ascent
from .criterion import MutualInformation
from .towers import Towers
from .views import ViewStream


def main():
    torch.manual_seed(12)
    stream, probe = ViewStream(96, seed=1), ViewStream(300, seed=2).pull()
    towers = Towers(40, 8)
    criterion = MutualInformation(tau=0.1)
    ascent = Ascent(towers.parameters(), lr=2e-3)
    for step in range(701):
        za, zb = towers(*stream.pull())
        loss = ascent.climb(criterion.bound(za, zb))
        if step % 70 == 0:
            with torch.no_grad():
                pa, pb = towers(*probe)
                top1 = ((pa @ pb.T).argmax(1) == torch.arange(len(pa))).float().mean().item()
            print(f"step {step:4d} loss {loss:+.4f} sharpness {criterion.sharpness(za, zb):.3f} top-1 {top1:.3f}")


if __name__ == "__main__":
    main()
