"""Every change shows itself in every style; the six that everything rests on are run here in all six styles."""

from __future__ import annotations

import re

import pytest
from cells import STYLES
from matrix import APPLIED, PAGE, ROWS, show

from stetho import catalogue

CORE = ("lr", "one-batch", "shuffled-labels", "noise-inputs", "seed", "loss-input")
OTHERS = sorted(set(ROWS) - set(CORE))


def spread(name: str) -> str:
    """One style for each of the other changes, all styles in turn; `make matrix` runs every cell."""
    row, names = ROWS[name], list(STYLES)
    turned = names[OTHERS.index(name) % len(names) :] + names
    return next(style for style in turned if style not in row.lacks)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", CORE)
def test_what_everything_rests_on_works_in_every_style(name: str, style: str) -> None:
    assert style not in ROWS[name].lacks
    shown = show(name, style)
    assert shown.state == APPLIED, shown
    assert shown.count and shown.verified


@pytest.mark.parametrize("name", OTHERS)
def test_every_other_change_works_in_one_style(name: str) -> None:
    shown = show(name, spread(name))
    assert shown.state == APPLIED, shown
    assert shown.count and shown.verified


def test_every_change_has_a_row_and_every_row_a_cell_for_each_style() -> None:
    known = {one.id for one in catalogue.load().interventions.values() if one.by_hand}
    assert known == set(ROWS)
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert len(lines) == len(ROWS), "docs/matrix.md is stale: make matrix"
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")[1:]]
        assert len(cells) == len(STYLES)
        assert all(re.fullmatch(r"–|[1-9]\d* / [1-9]\d*", cell) for cell in cells), line


def test_nothing_is_called_lacking_that_could_be_there() -> None:
    assert not any(ROWS[name].lacks for name in CORE)
    assert all(reason for row in ROWS.values() for reason in row.lacks.values())
