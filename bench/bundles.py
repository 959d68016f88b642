"""How long a bundle of a huge log takes, how large it is, and whether it is judged as the folder is.

    python bench/bundles.py [--size 200] [--styles Megatron,tqdm]

Each log is made as its program would write it, with warnings in its midst and an exception at its end. Fails when a
verdict differs, or a bundle is larger than it may be.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from text_logs import STYLES

from stetho import catalogue, post_mortem
from stetho.bundles import writing
from stetho.case import Request

SIZES = (20 << 20, 1 << 20, 256 << 10)
END = """Traceback (most recent call last):
  File "/home/mira/train.py", line 8, in <module>
    main()
RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB
"""


def make(file: Path, style: str, size: int) -> None:
    """A log of so many bytes."""
    random.seed(1)
    written = 0
    with file.open("w", encoding="utf-8") as handle:
        for number, line in enumerate(STYLES[style]()):
            written += handle.write(line)
            if number % 200_000 == 100_000:
                handle.write(f"\nUserWarning: the loader was slow at {number}\nNCCL WARN Connection refused\n")
            if written > size:
                break
        handle.write("\n" + END)


def verdict(target: Path, cases: Path) -> tuple[str, float]:
    """What is said of a target, without where it lies, and the seconds that it took."""
    begun = time.perf_counter()
    found = post_mortem.judge(cases, Request((), "/", 0, 60.0, None, False, 0.0), str(target))
    seconds = time.perf_counter() - begun
    return repr([(one.run, replace(one.verdict, target={}, case="", cost=None)) for one in found.runs]), seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=200, help="MB of each log")
    parser.add_argument("--styles", default="Megatron,Hugging Face,tqdm")
    given = parser.parse_args()
    wrong = 0
    print(
        f"{'style':14} {'at most':>9} {'bundle':>9} {'points':>7} {'write':>7} {'why DIR':>8} {'FILE':>9} {'same':>5}"
    )
    for style in given.styles.split(","):
        with tempfile.TemporaryDirectory() as place:
            folder, output, cases = Path(place) / "run", Path(place) / "b.tgz", Path(place) / "cases"
            folder.mkdir()
            make(folder / "train.log", style, given.size << 20)
            here, reading = verdict(folder, cases)
            for size in SIZES:
                begun = time.perf_counter()
                made = writing.write(folder, output, catalogue.load(), size=size, force=True)
                seconds = time.perf_counter() - begun
                there, again = verdict(output, cases)
                wrong += there != here or made.size > size
                print(
                    f"{style:14} {size >> 10:6} KB {made.size >> 10:6} KB {made.manifest.points or 'all':>7} "
                    f"{seconds:5.1f} s {reading:6.1f} s {again:7.1f} s {there == here!s:>5}"
                )
    print(f"at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB of memory")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
