"""Hands every reader damaged, truncated and random files: none may raise, hang or take much memory.

    python bench/fuzz.py [--cases N] [--seed N] [READER ...]

A case is an example of some reader, damaged in a few places or joined with another, and is read by the reader it was
made for and by the one that is surest of it. Anything but pieces, a case of more than two processor seconds, and memory
beyond the bound are reported with the seed that makes them again, and end with code 1.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.readers.reading import mutated  # noqa: E402

from stetho import catalogue  # noqa: E402
from stetho.artifact import artifact_at  # noqa: E402
from stetho.reader import Flaw, Reader, Reading  # noqa: E402
from stetho.series import Series  # noqa: E402

SECONDS = 2.0
MEGABYTES = 600


def case(contents: list[tuple[Reader, bytes]], seed: int) -> tuple[Reader, bytes]:
    """A reader and what it is handed."""
    rng = random.Random(seed)
    one, content = rng.choice(contents)
    how = rng.random()
    if how < 0.05:
        return one, rng.randbytes(rng.randrange(2000))
    if how < 0.15:
        _, other = rng.choice(contents)
        content = content[: rng.randrange(len(content) + 1)] + other[rng.randrange(len(other) + 1) :]
    elif how < 0.2:
        content = content * rng.randrange(2, 40)
    (changed,) = mutated(content, 1, seed)
    return one, changed


def read(readers: list[Reader], file: Path) -> str:
    """What went wrong; empty when nothing did."""
    artifact = artifact_at(file)
    assert artifact is not None
    start = time.process_time()
    try:
        for one in readers:
            assert 0.0 <= one.recognises(artifact) <= 1.0
            for piece in one.function(artifact):
                assert isinstance(piece, (Series, Flaw, Reading))
        for piece in catalogue.load().read(artifact):
            assert isinstance(piece, (Series, Flaw, Reading))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return f"{type(error).__name__}: {error}"
    seconds = time.process_time() - start
    return f"took {seconds:.1f} s" if seconds > SECONDS else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="READER")
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    contents = [
        (one, example.content.encode() if isinstance(example.content, str) else example.content)
        for one in catalogue.load().readers.values()
        for example in one.examples.values()
        if not isinstance(example.content, Mapping) and (not given.names or one.id in given.names)
    ]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "thing")
        for seed in range(given.seed, given.seed + given.cases):
            one, content = case(contents, seed)
            file.write_bytes(content)
            wrong = read([one], file)
            if wrong:
                failures += 1
                print(f"seed {seed}, {one.id}: {wrong}", flush=True)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{given.cases} cases, {failures} failures, {most} MB at most")
    sys.exit(1 if failures or most > MEGABYTES else 0)


if __name__ == "__main__":
    main()
