import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from stetho.artifact import Artifact
from stetho.evidence import Place
from stetho.facts import Crash, Progress, Statements
from stetho.formats.json_text import Broken, document, flaw
from stetho.formats.notebook import printed, text_of
from stetho.reader import Example, Piece, reader
from stetho.readers.text_log import text_log

BEGINS = re.compile(rb'\s*\{\s*"(?:cells|metadata|nbformat|nbformat_minor)"\s*:')
STREAM = {"name": "stdout", "output_type": "stream", "text": ["epoch 1 loss 0.7\n", "epoch 2 loss 0.5\n"]}
ERROR = {
    "ename": "KeyError", "evalue": "'lr'", "output_type": "error",
    "traceback": [
        "\x1b[31m-----\x1b[39m", "\x1b[31mKeyError\x1b[39m   Traceback (most recent call last)",
        "Cell \x1b[32mIn[2]\x1b[39m, line 1\n\x1b[32m----> 1\x1b[39m fit()\n",
        "File \x1b[32m~/fit.py:8\x1b[39m, in fit(x)\n      7 x\n----> 8 config['lr']\n", "KeyError: 'lr'",
    ],
}  # fmt: skip


def notebook_of(*outputs: object) -> str:
    cells = [{"cell_type": "code", "outputs": [one], "source": ["fit()"]} for one in outputs]
    return json.dumps({"cells": cells, "nbformat": 4}, indent=1)


@dataclass(frozen=True)
class Output(Artifact):
    """The output of a notebook, read as a log."""

    text: bytes = b""

    def opened(self) -> BinaryIO:
        return io.BytesIO(self.text)

    def part(self, offset: int, size: int) -> bytes:
        return self.text[offset : offset + size]


@reader(
    gives=text_log.gives,
    recognises=lambda a: 0.95 if BEGINS.match(a.head) and b'"cells"' in a.head and b'"cell_type"' in a.head else 0.0,
    examples={
        "what a cell printed": Example(
            notebook_of(STREAM), series={"loss": [0.7, 0.5]}, facts=(Progress(epoch=2.0), Statements())
        ),
        "an exception": Example(
            notebook_of(STREAM, ERROR),
            series={"loss": [0.7, 0.5]},
            facts=(Progress(epoch=2.0), Statements(), Crash("KeyError", "'lr'", Place("~/fit.py", 8))),
        ),
        "cut off": Example(
            notebook_of(STREAM, ERROR)[:300], series={"loss": [0.7, 0.5]}, facts=(Progress(), Statements()), flaws=1
        ),
    },
)
def notebook(artifact: Artifact) -> Iterator[Piece]:
    """A Jupyter notebook: what its cells printed and raised when they ran.

    ## What it reads
    Streams, plain text of results, and exceptions, as a text log would have them, on the lines of the notebook.

    ## What it leaves
    The code, pictures, HTML and widgets. Cells are taken in their order, in whatever order they were run.
    """
    parts: list[str] = []
    whole, broken = document(artifact), None
    try:
        parts.extend(text_of(printed(whole)))
    except Broken as error:
        broken = error
    text = "".join(parts).encode("utf-8", "replace")
    yield from text_log.function(Output(artifact.name, artifact.path, len(text), artifact.modified, text=text))
    if broken is not None:
        yield flaw(artifact, whole, broken)
