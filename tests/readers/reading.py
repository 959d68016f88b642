"""What tests of readers share: content on disk under a name that says nothing, and damage of every kind."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path

from stetho.artifact import Artifact, artifact_at
from stetho.reader import Content, Flaw, Piece, Reader
from stetho.series import Series


def at(content: Content, folder: Path) -> Artifact:
    """The content as an artifact."""
    path = folder / "thing"
    files = content if isinstance(content, Mapping) else {"": content}
    for name, held in files.items():
        file = path / name if name else path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(held if isinstance(held, bytes) else held.encode())
    found = artifact_at(path)
    assert found is not None
    return found


def read(one: Reader, content: Content, folder: Path) -> list[Piece]:
    """Everything that a reader makes of the content."""
    artifact = at(content, folder)
    assert 0.0 <= one.recognises(artifact) <= 1.0
    return list(one.function(artifact))


def series(pieces: list[Piece]) -> dict[str, list[float]]:
    """The values of each series by its name."""
    return {one.name: one.values.tolist() for one in pieces if isinstance(one, Series)}


def flaws(pieces: list[Piece]) -> list[Flaw]:
    return [one for one in pieces if isinstance(one, Flaw)]


def mutated(data: bytes, count: int, seed: int = 0) -> Iterator[bytes]:
    """The content damaged in many ways: bytes changed, cut out, doubled, or put in; and the end cut off."""
    rng = random.Random(seed)
    for _ in range(count):
        changed = bytearray(data)
        for _ in range(rng.choice([1, 1, 2, 5, 20])):
            place = rng.randrange(len(changed) + 1)
            how = rng.randrange(6)
            if how == 0 and place < len(changed):
                changed[place] = rng.randrange(256)
            elif how == 1 and place < len(changed):
                changed[place] ^= 1 << rng.randrange(8)
            elif how == 2:
                del changed[place : place + rng.randrange(1, 9)]
            elif how == 3:
                changed[place:place] = changed[place : place + rng.randrange(1, 40)]
            elif how == 4:
                changed[place:place] = rng.randbytes(rng.randrange(1, 9))
            elif rng.random() < 0.2:
                del changed[place:]
        yield bytes(changed)
