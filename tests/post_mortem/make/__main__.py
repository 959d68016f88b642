"""Remakes the fixtures: `python tests/post_mortem/make [NAME or FAMILY …]`, all of them without arguments."""

import importlib
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import fixture  # noqa: E402

FAMILIES = sorted(path.stem for path in HERE.glob("*_runs.py"))


def main(wanted: list[str]) -> None:
    for family in FAMILIES:
        importlib.import_module(family)
    for name, made in fixture.FIXTURES.items():
        family = made.make.__module__.removesuffix("_runs")
        if not wanted or name in wanted or family in wanted:
            fixture.remake(made)
            print(f"{family:12} {name}", flush=True)


main(sys.argv[1:])
