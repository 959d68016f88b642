"""Logs as real tools write them, and the numbers that they hold; each is read as the slow reader reads it, too."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import tomllib
from tests.text.test_log import PHRASES, compare

from stetho.text import assembly, log

STYLES = tomllib.loads((Path(__file__).parent / "styles.toml").read_text(encoding="utf-8"))["style"]
CASES = [pytest.param(one, id=one["name"]) for one in STYLES]


@pytest.mark.parametrize("style", CASES)
def test_a_style_is_read(style: dict[str, Any]) -> None:
    read = log.read(io.BytesIO(style["log"].encode()), PHRASES)
    found = {}
    for one in assembly.series(read, "log"):
        told = {"values": one.values, "steps": one.steps, "epochs": one.epochs, "times": one.times}
        name = f"{one.run}: {one.name}" if one.run else one.name
        found[name] = {key: column.tolist() for key, column in told.items() if column is not None}
    assert list(found) == list(style["series"])
    for name, wanted in style["series"].items():
        assert found[name].keys() == wanted.keys(), name
        for key, column in wanted.items():
            assert found[name][key] == pytest.approx(column, nan_ok=True), (name, key)


@pytest.mark.parametrize("style", CASES)
@pytest.mark.parametrize("size", [40, 300, 1 << 21])
def test_a_style_is_read_as_the_slow_reader_reads_it(style: dict[str, Any], size: int) -> None:
    compare(style["log"].encode() * 3, size=size)


def test_lines_of_windows_change_nothing() -> None:
    for style in STYLES:
        if "\r" not in style["log"] and "\b" not in style["log"]:
            compare(style["log"].replace("\n", "\r\n").encode())
