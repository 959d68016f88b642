"""What any reader makes of anything survives a bundle: facts, flaws, and numbers to the last bit."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.reading import at
from tests.readers.test_all import READERS, strange

from stetho import codec
from stetho.bundles.cover import Cover
from stetho.bundles.stored import lines_of, pieces_in
from stetho.reader import Piece, Reader
from stetho.series import Series


class Open(Cover):
    """Hides nothing, so that what comes back can be compared."""

    def text(self, text: str) -> str:
        return text

    def json(self, value: object) -> object:
        return value


def exactly(piece: Piece) -> object:
    """A piece as something that can be compared, NaN and all."""
    if not isinstance(piece, Series):
        return type(piece).__name__, repr(codec.encode(piece))
    arrays = (piece.values, piece.steps, piece.epochs, piece.times, piece.at)
    kept = [None if array is None else (array.tobytes(), len(array)) for array in arrays]
    return piece.name, piece.file, piece.unit, piece.run, kept


@pytest.mark.parametrize("one", READERS, ids=lambda one: one.id)
def test_a_readers_pieces_come_back(one: Reader, tmp_path: Path) -> None:
    contents = [example.content for example in one.examples.values()]
    for number, content in enumerate([*contents, *strange()]):
        folder = tmp_path / str(number)
        folder.mkdir()
        pieces = list(one.function(at(content, folder)))
        written = lines_of(pieces, Open())
        assert list(map(exactly, pieces_in(written.splitlines()))) == list(map(exactly, pieces))
