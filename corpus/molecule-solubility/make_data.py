"""Writes train.smi and valid.smi: molecules with their solubility (log mol/l).

One molecule of the validation file holds selenium, which none of the training file does.
"""
import argparse
from pathlib import Path

import numpy as np

PIECES = {  # piece -> what it adds to the solubility
    "C": -0.25, "CC": -0.5, "O": 0.6, "N": 0.4, "S": -0.3, "Cl": -0.7, "Br": -0.9, "F": -0.15,
    "C(=O)O": 0.9, "C(=O)N": 0.7, "c1ccccc1": -1.4, "C#N": 0.2, "C(Cl)": -0.8, "OC": 0.15,
}
NAMES = list(PIECES)


def molecule(rng):
    chosen = [NAMES[k] for k in rng.integers(0, len(NAMES), rng.integers(3, 11))]
    value = 0.4 + sum(PIECES[p] for p in chosen)
    return "C" + "".join(chosen), value + 0.15 * rng.standard_normal()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest", type=Path)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    args = ap.parse_args()
    rng = np.random.default_rng(314 + args.seed)
    for name, n in (("train", 1600), ("valid", 300)):
        rows = [molecule(rng) for _ in range(n)]
        if name == "valid":
            rows[217] = ("CC[Se]CCC(=O)O", -0.62)
        (args.dest / f"{name}.smi").write_text("".join(f"{smiles} {value:.3f}\n" for smiles, value in rows))


if __name__ == "__main__":
    main()
