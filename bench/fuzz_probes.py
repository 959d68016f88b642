"""Every parser of the probes on mutated, cut, repeated and random text: none may fail, or take long.

`python bench/fuzz_probes.py [--cases N] [--seed N]` prints how many cases there were and the slowest of them. It ends
with 1 when a parser failed, and prints the text that made it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from stetho import catalogue, kernel_log
from stetho.redaction import redact, redact_words
from stetho.waits import parse_dump, told

SAMPLES = Path(__file__).parent.parent / "tests" / "probes" / "samples"
SIGNS = "\0\n\r|,:;=()[]{}<> 0123456789-.xé\x1b٣²'\"\\/@#%&_aAzZ"
SECRETS = "WANDB_API_KEY=abc token: xyz https://u:p@h/ Bearer aaaaaaaaaaaaaaaaaaa1 -----BEGIN RSA PRIVATE KEY-----\nx"
SLOW = 1.0
Parser = Callable[[str], object]


def kernel(text: str) -> object:
    return kernel_log.newest(kernel_log.events(text.split("\n")), 60)


def stacks(text: str) -> object:
    return [told(stack.frames) for stack in parse_dump(text)]


def words(text: str) -> object:
    return redact_words(text.split(" "))


def seeds() -> Iterator[tuple[Parser, str]]:
    """Every parser with a text that it is made for."""
    for one in catalogue.load(("probes",)).probes.values():
        for example in one.examples.values():
            yield example.parser, example.text
    for name in ("dmesg.txt", "journal.txt"):
        yield kernel, (SAMPLES / name).read_text(encoding="utf-8")
    yield stacks, (SAMPLES / "pyspy.json").read_text(encoding="utf-8")
    yield redact, SECRETS
    yield words, "python train.py --password x --token abcdefghij -u a:b --lr 3e-4"


def mutated(text: str, draw: random.Random) -> str:
    """The text cut, with a part repeated, or replaced by noise, and some signs changed."""
    signs, kind = list(text), draw.random()
    if kind < 0.3:
        signs = signs[: draw.randrange(len(signs) + 1)]
    elif kind < 0.5:
        begin = draw.randrange(len(signs))
        end = begin + draw.randrange(200)
        signs = signs[:begin] + signs[begin:end] * draw.randrange(1, 30) + signs[end:]
    elif kind < 0.6:
        signs = draw.choices(SIGNS, k=draw.randrange(400))
    for _ in range(draw.randrange(20) if signs else 0):
        signs[draw.randrange(len(signs))] = draw.choice(SIGNS)
    return "".join(signs)


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--cases", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    draw, known = random.Random(chosen.seed), list(seeds())
    slowest, name = 0.0, ""
    for _ in range(chosen.cases):
        parser, text = draw.choice(known)
        case = mutated(text, draw)
        begun = time.process_time()
        try:
            parser(case)
        except Exception as error:  # noqa: BLE001 - any failure is what is looked for
            print(f"{parser.__name__} failed with {error!r} on {case!r}")
            return 1
        took = time.process_time() - begun
        if took > slowest:
            slowest, name = took, parser.__name__
    print(f"{chosen.cases} cases of {len(known)} texts, none failed; the slowest took {slowest * 1000:.1f} ms ({name})")
    return 1 if slowest > SLOW else 0


if __name__ == "__main__":
    sys.exit(main())
