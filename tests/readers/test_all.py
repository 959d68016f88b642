"""Every reader on what is none of its own: whatever it is handed, it answers with pieces, and the surest one reads."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.readers.reading import at, mutated

from stetho import catalogue
from stetho.artifact import artifact_at
from stetho.reader import Flaw, Reader, Reading
from stetho.series import Series

READERS = list(catalogue.load().readers.values())
CONTENTS = [
    example.content.encode() if isinstance(example.content, str) else example.content
    for one in READERS
    for example in one.examples.values()
    if not isinstance(example.content, Mapping)
]


def strange() -> Iterator[bytes]:
    """What no writer writes: noise, halves of two formats, and a great deal of one thing."""
    rng = random.Random(0)
    for size in (1, 2, 7, 8, 12, 16, 100, 5000):
        yield rng.randbytes(size)
        yield bytes(size)
        yield b"\n" * size
        yield bytes(rng.choice(b'{}[]":,0123456789.-e \n') for _ in range(size))
    for _ in range(60):
        one, two = rng.choice(CONTENTS), rng.choice(CONTENTS)
        yield one[: rng.randrange(len(one) + 1)] + two[rng.randrange(len(two) + 1) :]
    for one in CONTENTS:
        yield from mutated(one, 2, seed=len(one))


@pytest.mark.parametrize("one", READERS, ids=lambda one: one.id)
def test_a_reader_answers_whatever_it_is_handed(one: Reader, tmp_path: Path) -> None:
    for content in strange():
        artifact = at(content, tmp_path)
        assert 0.0 <= one.recognises(artifact) <= 1.0
        for piece in one.function(artifact):
            assert isinstance(piece, (Series, Flaw, Reading))


@pytest.mark.parametrize("one", READERS, ids=lambda one: one.id)
def test_what_is_gone_is_no_error(one: Reader, tmp_path: Path) -> None:
    """A file may vanish between being found and being read."""
    artifact = at(CONTENTS[0], tmp_path)
    artifact.path.unlink()
    assert one.recognises(artifact) == 0.0
    assert all(isinstance(piece, Flaw) for piece in one.function(artifact))


@pytest.mark.parametrize("one", READERS, ids=lambda one: one.id)
def test_a_folder_of_anything_is_no_error(one: Reader, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("meta.yaml", "metrics", "params"):
        (tmp_path / "folder" / name).write_text("a: b\n")
    artifact = artifact_at(tmp_path / "folder")
    assert artifact is not None
    for piece in one.function(artifact):
        assert isinstance(piece, (Series, Flaw, Reading))


@pytest.mark.parametrize("one", READERS, ids=lambda one: one.id)
def test_every_point_says_where_it_stands(one: Reader, tmp_path: Path) -> None:
    for place, example in enumerate(one.examples.values()):
        folder = tmp_path / str(place)
        folder.mkdir()
        for piece in one.function(at(example.content, folder)):
            if isinstance(piece, Series):
                assert piece.at is not None and piece.file.startswith(str(folder))
                held = (piece.values, piece.at, piece.steps, piece.epochs, piece.times)
                assert {len(column) for column in held if column is not None} == {len(piece)}
                assert piece.values.dtype == "float64" and piece.at.dtype == "int64"
                assert piece.steps is None or piece.steps.dtype == "int64"


def test_lines_of_wide_letters_are_lines(tmp_path: Path) -> None:
    """As consoles write them that know only such letters; a byte order mark is no part of the first line."""
    lines = [f"step {i} loss 1.5\n" for i in range(3000)]
    path = tmp_path / "wide"
    path.write_bytes("".join(lines).encode("utf-16"))
    artifact = artifact_at(path)
    assert artifact is not None and list(artifact.lines()) == lines
