"""Every fact, and every field of it, says in a sentence what it is; the reference page is made of these."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, fields

import pytest

import stetho.facts
from stetho import reference
from stetho.facts import FACTS, Fact, documentation

RECORDS = [c for name in documentation.FAMILIES for c in documentation.records(documentation.family(name))]


@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_a_fact_and_its_fields_are_documented(kind: type) -> None:
    lead = kind.__doc__ or ""
    assert lead.endswith(".") and "\n" not in lead and not lead.startswith(f"{kind.__name__}(")
    for field in documentation.documented(kind):
        assert field.meaning.endswith("."), f"{kind.__name__}.{field.name} has no text"


def test_every_fact_is_in_a_family_and_known_by_its_name() -> None:
    assert {c.fact: c for c in RECORDS if issubclass(c, Fact)} == FACTS
    modules = {info.name for info in pkgutil.iter_modules(stetho.facts.__path__)}
    assert modules == {*documentation.FAMILIES, "documentation"}


def test_every_record_can_be_imported_from_the_package() -> None:
    package = importlib.import_module("stetho.facts")
    assert {c.__name__ for c in RECORDS} <= set(package.__all__)
    assert all(getattr(package, c.__name__) is c for c in RECORDS)


def test_the_reference_page_names_every_field() -> None:
    page = reference.facts_page()
    for kind in RECORDS:
        assert f"`{kind.__name__}`" in page
        assert all(f"| `{field.name}` |" in page for field in fields(kind))
    assert all(f"## {name} (" in page for name in FACTS)


@dataclass(frozen=True)
class Half:
    """Half of it has a text."""

    told: tuple[int, ...] | None
    """What it means,
    over two lines."""
    untold: str = ""


def test_a_field_without_a_text_is_noticed() -> None:
    told, untold = documentation.documented(Half)
    assert (told.name, told.kind, told.meaning) == ("told", "list of int, or none", "What it means, over two lines.")
    assert (untold.name, untold.kind, untold.meaning) == ("untold", "str", "")


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        ("float", "float"),
        ("Place | None", "Place, or none"),
        ("tuple[tuple[str, ...], ...] | None", "list of list of str, or none"),
    ],
)
def test_types_are_told_in_words(annotation: str, words: str) -> None:
    assert documentation.in_words(annotation) == words
