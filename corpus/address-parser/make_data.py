"""Tagged addresses with word and tag lists. The tag list starts with <unk>, so that <pad> has the id 1 where config.yaml
says that 0 is ignored; with --fixed <pad> comes first."""
import argparse
from pathlib import Path

import numpy as np

TAGS = ["NAME", "NUM", "STREET", "KIND", "UNIT", "POST", "CITY", "COUNTRY"]
KINDS = "street road lane avenue square way court hill".split()
UNITS = "flat floor unit door stair".split()
COUNTRIES = "ireland france italy spain austria poland norway".split()


def coin(n, rng):
    parts = "al ber cor dun el fen gar hol is jor kel lor mar nor ost pel ris sel tor ul ver wes".split()
    out = set()
    while len(out) < n:
        out.add("".join(rng.choice(parts, rng.integers(2, 4))))
    return sorted(out)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dest")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--fixed", action="store_true")
    a = ap.parse_args()
    rng = np.random.default_rng(a.seed + 21)
    names = coin(120, rng)  # people, streets and towns share their words: the neighbours tell
    numbers = [str(n) for n in range(1, 100)]

    def pick(pool):
        return pool[rng.integers(len(pool))]

    def address():
        a = [(pick(names), "NAME") for _ in range(rng.integers(0, 3))]
        number, street = (pick(numbers), "NUM"), [(pick(names), "STREET") for _ in range(rng.integers(1, 3))] + [(pick(KINDS), "KIND")]
        a += [number, *street] if rng.random() < 0.5 else [*street, number]
        if rng.random() < 0.4:
            a += [(pick(UNITS), "UNIT"), (pick(numbers), "UNIT")]
        post = [(pick(numbers), "POST"), (pick(numbers), "POST")]
        a += [*post, *[(pick(names), "CITY") for _ in range(rng.integers(1, 3))]]
        if rng.random() < 0.5:
            a += [(pick(COUNTRIES), "COUNTRY")]
        return a

    folder = Path(a.dest) / "data"
    folder.mkdir(parents=True, exist_ok=True)
    for part, n in (("train", 2500), ("dev", 300)):
        text = "\n\n".join("\n".join("\t".join(p) for p in address()) for _ in range(n))
        (folder / f"{part}.tsv").write_text(text + "\n")
    (folder / "words.txt").write_text("\n".join(["<pad>", "<unk>", *names, *numbers, *KINDS, *UNITS, *COUNTRIES]) + "\n")
    first = ["<pad>", "<unk>"] if a.fixed else ["<unk>", "<pad>"]
    (folder / "tags.txt").write_text("\n".join([*first, *TAGS]) + "\n")


if __name__ == "__main__":
    main()
