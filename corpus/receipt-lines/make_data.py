"""Receipt lines with the role of every token."""
import argparse
from pathlib import Path

import numpy as np

GOODS = ("milk bread butter cheese apples pears rice flour sugar eggs coffee tea jam oats beans soap salt ham juice yoghurt "
         "organic fresh large small sliced smoked brown white sweet dry").split()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed + 15)

    def number():
        return str(rng.integers(1, 60))

    def line():
        out = []
        for _ in range(rng.integers(0, 2)):
            out += [(number(), "CODE"), (":", "WORD")]
        out += [(str(w), "WORD") for w in rng.choice(GOODS, rng.integers(1, 4))]
        if rng.random() < 0.6:
            out += [(number(), "QTY"), ("x", "WORD")]
        out += [(number(), "PRICE"), ("eur", "WORD")]
        if rng.random() < 0.5:
            out += [("vat", "WORD"), (number(), "RATE")]
        if rng.random() < 0.4:
            out += [("less", "WORD"), (number(), "OFF"), ("eur", "WORD")]
        out += [("=", "WORD"), (number(), "SUM")]
        if rng.random() < 0.3:
            out += [("eur", "WORD")]
        return " ".join(f"{t}/{r}" for t, r in out)

    folder = Path(a.dest) / "lines"
    folder.mkdir(parents=True, exist_ok=True)
    for part, n in (("train", 2500), ("dev", 200)):
        (folder / f"{part}.txt").write_text("\n".join(line() for _ in range(n)) + "\n")


if __name__ == "__main__":
    main()
