"""An explanation says all that a declaration says, in every format, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from markdown_it import MarkdownIt

from stetho.artifact import Artifact
from stetho.cause import Cause, prior
from stetho.check import Finding, check
from stetho.errors import BadRequest
from stetho.evidence import Place
from stetho.facts import LossCurve, LossInputs, Machine
from stetho.intervention import Intervention, declared_in
from stetho.probe import Piece, Target, probe
from stetho.reader import Example as ReaderExample
from stetho.reader import Piece as ReaderPiece
from stetho.reader import reader
from stetho.render.explanation import Declaration, explain
from stetho.render.page import paragraphs, split

DOUBLE_SOFTMAX = Cause(
    id="loss/double-softmax",
    share=0.15,
    symptoms={"loss-flat": 0.5, "loss-slow": 0.4, "none": 0.1},
    predicts={"normalised-input": 0.97, "loss-input": {"symptom-gone": 0.8, "same": 0.2}},
    mechanism=("normalised-input",),
    statement="The loss is handed probabilities where it expects scores.",
    test="Train with the scores: the loss must stay where it is.",
    fix="Hand the scores to the loss.",
    trial="loss-input",
    subtle=True,
    references=("https://pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html",),
    doc="Probabilities go into a loss that expects scores.\n\n## How it happens\nThe model ends in a\n"
    "softmax, and `cross_entropy` applies another.\n\n"
    "## Look-alikes\n- hp/lr-too-low\n- data/labels-misaligned",
)


@check(
    reads=(LossCurve, LossInputs),
    root="loss-inputs",
    fires={"every row sums to one": {}},
    quiet={"plain scores": {}},
    supplied_by="close-look",
    given={"hp/lr-too-low": 0.1},
    background=0.04,
)
def normalised_input(curve: LossCurve, inputs: LossInputs, *, share: float = 0.9) -> Iterator[Finding]:
    """The loss is handed probabilities.

    ## Why it matters
    The second softmax flattens the gradient.
    """
    yield Finding("never run here", (Place("train.py", 1),))


@probe(gives=Machine, reads="/proc/meminfo")
def machine(target: Target) -> Iterator[Piece]:
    """What the machine has to give."""
    yield from ()


@reader(recognises=lambda artifact: 0.0, gives=(LossCurve,), examples={"one loss per line": ReaderExample("loss 1")})
def loss_lines(artifact: Artifact) -> Iterator[ReaderPiece]:
    """Loss values that a program printed."""
    yield from ()


def rate() -> Intervention:
    module = ModuleType("somewhere.learning_rate")
    module.__doc__ = "Scale the learning rate.\n\n## What it tells\nWhether the rate matters."
    module.__file__ = "somewhere/learning_rate.py"
    module.__dict__.update(
        kind="control",
        question="Does the symptom follow the rate?",
        applies="any optimizer with an lr",
        values={"xK": "K times the program's own"},
        backgrounds={"x0.1": {"same": 0.8, "better": 0.2}, "x10": {"same": 0.6, "worse": 0.4}},
        cost=1.5,
        apply=lambda run, value: None,
    )
    declared = declared_in(module)
    assert declared is not None
    return declared


EVERY: dict[str, Declaration] = {
    "cause": DOUBLE_SOFTMAX,
    "check": normalised_input,
    "intervention": rate(),
    "probe": machine,
    "reader": loss_lines,
}
SAID = {
    "cause": [
        "How it happens", "cross_entropy", "Look-alikes", "data/labels-misaligned", "normalised-input",
        "fires 97 %", "symptom-gone 80 %, same 20 %", "loss-flat 50 %", "Train with the scores",
        "Hand the scores", "loss-input",
        "https://pytorch.org", "2 % before anything is seen", "subtle",
    ],
    "check": [
        "Why it matters", "loss-curve", "Every loss call site of the run", "close-look", "share", "0.9",
        "4 %",
        "hp/lr-too-low", "10 %", "every row sums to one", "plain scores",
    ],
    "intervention": [
        "What it tells", "Does the symptom follow the rate?", "control", "any optimizer with an lr",
        "learning-rate=x0.1", "learning-rate=x10", "same 60 %, worse 40 %", "1.5 ×",
    ],
    "probe": ["What the machine has to give.", "/proc/meminfo", "machine"],
    "reader": ["Loss values that a program printed.", "loss-curve", "one loss per line"],
}  # fmt: skip


@pytest.mark.parametrize("format", ["text", "md"])
@pytest.mark.parametrize("kind", EVERY)
def test_everything_declared_is_said(kind: str, format: str) -> None:
    text = explain(EVERY[kind], format, width=100)
    assert EVERY[kind].id in text
    assert [said for said in SAID[kind] if said not in text] == []


@pytest.mark.parametrize("width", [60, 80])
@pytest.mark.parametrize("kind", EVERY)
def test_the_text_fits(kind: str, width: int) -> None:
    text = explain(EVERY[kind], "text", width=width)
    assert max(map(len, text.split("\n"))) <= width
    assert "\x1b" not in text
    assert "\x1b[1m" in explain(EVERY[kind], "text", width=width, colour=True)


@pytest.mark.parametrize("kind", EVERY)
def test_the_markdown_is_a_page_with_one_title(kind: str) -> None:
    text = explain(EVERY[kind], "md")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    headings = [(t.tag, tokens[i + 1].content) for i, t in enumerate(tokens) if t.type == "heading_open"]
    assert headings[0] == ("h1", EVERY[kind].id)
    assert {tag for tag, _ in headings[1:]} == {"h2"}
    titles = [title for _, title in headings]
    assert len(titles) == len(set(titles))


def test_a_cause_predicts_in_a_table() -> None:
    tokens = MarkdownIt("commonmark").enable("table").parse(explain(DOUBLE_SOFTMAX, "md"))
    cells = [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "td_open"]
    assert cells == [
        "symptom", "loss-flat 50 %, loss-slow 40 %, none 10 %",
        "normalised-input", "fires 97 %",
        "loss-input", "symptom-gone 80 %, same 20 %",
    ]  # fmt: skip


def document(kind: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(explain(EVERY[kind], "json"))
    return parsed


def test_the_json_keeps_the_declared_values() -> None:
    cause = document("cause")
    assert (cause["type"], cause["id"]) == ("cause", "loss/double-softmax")
    assert cause["predicts"] == {"normalised-input": 0.97, "loss-input": {"symptom-gone": 0.8, "same": 0.2}}
    assert cause["prior"] == prior(DOUBLE_SOFTMAX)
    assert cause["summary"] == "Probabilities go into a loss that expects scores."
    assert list(cause["sections"]) == ["How it happens", "Look-alikes"]
    declared = document("check")
    assert declared["reads"] == ["loss-curve", "loss-inputs"]
    assert (declared["fires"], declared["quiet"]) == (["every row sums to one"], ["plain scores"])
    assert declared["options"] == {"share": "0.9"}
    variants = document("intervention")
    assert variants["names"] == ["learning-rate=x0.1", "learning-rate=x10"]
    assert "path" not in variants, "where it is installed is no part of what it is"
    assert document("probe")["gives"] == ["machine"]
    assert document("reader")["examples"] == ["one loss per line"]


def test_a_cause_without_a_story_is_still_explained() -> None:
    bare = Cause("env/odd", 0.1, {}, {}, (), "It is odd.", "", "")
    text = explain(bare, "md")
    assert text.startswith("# env/odd\n\n*cause*\n\nIt is odd.\n")
    assert "## What it predicts" not in text
    assert "## References" not in text


def test_an_unknown_format_is_the_users_mistake() -> None:
    with pytest.raises(BadRequest, match="there is no format 'html'"):
        explain(DOUBLE_SOFTMAX, "html")


def test_a_docstring_is_split_at_its_headings() -> None:
    lead, sections = split("Lead one.\n\nLead two.\n\n## A b\ntext ## not a heading\n\n## C\nmore\n")
    assert lead == "Lead one.\n\nLead two."
    assert [part.title for part in sections] == ["A b", "C"]


def test_line_breaks_that_mean_something_are_kept() -> None:
    found = paragraphs("one\ntwo\n\n- a\n- b\n\n    code\n    more\n\n1. x\n2. y")
    assert [may_wrap for _, may_wrap in found] == [True, False, False, False]
