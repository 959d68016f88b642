"""What is written is what is read back: every kind of fact, non-finite numbers, places inside, keys from the future."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

from stetho.codec import decode, encode
from stetho.evidence import Evidence, Place, Source
from stetho.experiment import Change, Edit, Experiment
from stetho.facts import (
    FACTS,
    Association,
    Coverage,
    Crash,
    Fact,
    GradientNorms,
    GradientReset,
    InputScale,
    LearningRate,
    LossCurve,
    LossInput,
    LossInputs,
    Machine,
    NonfiniteOrigin,
    RunEnd,
    SourceLines,
    UpdateRatios,
)

NAN, INF = math.nan, math.inf
HERE = Place("train.py", 41, 4, "main", "sample 7")
THERE = Place("/home/é/модель.py", 3, key="self.net")
SITE = LossInput(
    function="cross_entropy",
    where=HERE,
    looked_at=40,
    normalised=40,
    classes=10,
    reduction="mean",
    produced_by="softmax",
    produced_at=(THERE, HERE),
    accuracy_first=0.1,
    accuracy_last=NAN,
)

BY_HAND: tuple[Fact, ...] = (
    LossCurve(values=(2.3, NAN, INF, -INF, 0.0), steps=(0, 1, 2, 3, 4), where=HERE, chance=2.303, nonfinite_step=1),
    LossCurve(values=()),
    RunEnd(code=None, signal="SIGKILL", steps=3, seconds=1.5, attached=False, stopped_by="time"),
    RunEnd(code=0),
    Crash(exception="KeyError", message="'lr' ünd nan", where=HERE, frames=(THERE, HERE), log_line=7),
    Crash(exception="", message=""),
    SITE,
    LossInput(function="mse_loss", where=None, looked_at=0, normalised=0),
    LossInputs(sites=(SITE, replace(SITE, where=None, produced_at=()))),
    LossInputs(sites=()),
    GradientReset(optimizer="SGD", steps=199, kept=4, step_at=HERE, backward_at=THERE),
    Coverage(reached=1000, left_out=900, names=("Net.body.weight",), loaded=True, covering=(HERE, THERE)),
    UpdateRatios(steps=(0, 1), ratios=(1e-3, INF), rates=(0.1, 0.0)),
    LearningRate(optimizer="SGD", steps=(0, 5), values=(0.1, NAN), initial=0.1, where=HERE, frames=(HERE, THERE)),
    LearningRate(optimizer="SGD", steps=(), values=(), initial=INF),
    GradientNorms(steps=(0, 1, 2), norms=(0.0, INF, NAN)),
    NonfiniteOrigin(step=12, operation="log", phase="backward", frames=(HERE, THERE), input_min=-INF, input_max=NAN),
    InputScale(mean=NAN, std=NAN, low=-INF, high=INF, feature_spread=5000.0, nonfinite=3),
    Association(samples=1500, agreement=0.102, expected=0.1, error=1e-6),
    SourceLines(subject="softmax", places=(HERE, THERE)),
    Machine(cores=2, memory_total=2**40, memory_free=0, disk_free=10**15),
)


def filled(kind: Any, default: object = None) -> Any:
    """A value of a type that is not its default, so that a field which is forgotten on the way shows."""
    options = [a for a in get_args(kind) if a is not type(None)]
    if isinstance(kind, UnionType) or get_origin(kind) is Union:
        return filled(options[0], default)
    if get_origin(kind) is tuple:
        return (filled(options[0]), filled(options[0]))
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{f.name: filled(hints[f.name], f.default) for f in fields(kind)})
    return {float: -INF, int: 7, str: "nan", bool: not default}[kind]


EXAMPLES = [*BY_HAND, *(filled(kind) for kind in FACTS.values())]


def same(one: Any, two: Any) -> bool:
    """Equal, in type too; NaN equals itself. `repr` shows every field of a dataclass."""
    return type(one) is type(two) and repr(one) == repr(two)


def through_json(value: object) -> Any:
    return json.loads(json.dumps(encode(value), allow_nan=False))


@pytest.mark.parametrize("fact", EXAMPLES, ids=lambda fact: fact.fact)
def test_a_fact_survives_json(fact: Fact) -> None:
    assert same(decode(type(fact), through_json(fact)), fact)


def test_a_fact_is_found_by_its_name() -> None:
    assert all(FACTS[fact.fact] is type(fact) for fact in EXAMPLES)


@pytest.mark.parametrize("kind", list(FACTS.values()), ids=list(FACTS))
def test_every_field_is_tried_with_a_value_that_is_not_its_default(kind: type[Fact]) -> None:
    for field in fields(kind):
        assert repr(getattr(filled(kind), field.name)) != repr(field.default)


def with_unknown_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {"from_the_future": [1, {"x": "nan"}], **{k: with_unknown_keys(v) for k, v in value.items()}}
    return [with_unknown_keys(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize("fact", EXAMPLES, ids=lambda fact: fact.fact)
def test_keys_it_does_not_know_are_passed_over_at_every_depth(fact: Fact) -> None:
    assert same(decode(type(fact), with_unknown_keys(through_json(fact))), fact)


@pytest.mark.parametrize("fact", EXAMPLES, ids=lambda fact: fact.fact)
def test_what_is_left_out_takes_its_default(fact: Fact) -> None:
    """An older record has fewer keys."""
    required = {f.name: through_json(getattr(fact, f.name)) for f in fields(fact) if not has_default(f)}
    expected = type(fact)(**{name: getattr(fact, name) for name in required})
    assert same(decode(type(fact), required), expected)


def has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


@pytest.mark.parametrize(
    ("value", "kept"), [(NAN, "nan"), (INF, "inf"), (-INF, "-inf"), (0.5, 0.5), (3, 3), (True, True)]
)
def test_json_has_no_word_for_what_is_not_finite(value: float, kept: object) -> None:
    assert encode(value) == kept
    assert type(encode(value)) is type(kept)


def test_a_whole_number_becomes_a_float_where_one_is_wanted() -> None:
    curve = decode(LossCurve, {"values": [1, "nan", 2.5], "chance": 2})
    assert same(curve, LossCurve((1.0, NAN, 2.5), chance=2.0))


def test_a_text_that_looks_like_a_number_stays_a_text() -> None:
    crash = Crash("inf", "nan", Place("nan", key="inf"))
    assert same(decode(Crash, through_json(crash)), crash)


def test_a_fact_that_is_one_already_is_left_as_it_is() -> None:
    curve = LossCurve((1.0,), where=HERE)
    assert decode(LossCurve, curve) is curve
    assert decode(LossCurve, {"values": [1.0], "where": HERE}) == curve


@pytest.mark.parametrize("data", [None, 3, "x", [1, 2]])
def test_what_is_no_mapping_is_no_fact(data: object) -> None:
    with pytest.raises(TypeError):
        decode(LossCurve, data)


def test_a_fact_without_what_it_needs_is_refused() -> None:
    with pytest.raises(TypeError):
        decode(LossCurve, {"chance": 1.0})


def test_what_json_cannot_hold_is_refused() -> None:
    with pytest.raises(TypeError, match="object"):
        encode({"x": object()})


@dataclass(frozen=True)
class Nested:
    """Shapes that facts do not use and other records do."""

    tables: dict[str, dict[str, float]]
    pair: tuple[int, float]
    rows: tuple[tuple[int, float], ...]


def test_tables_pairs_and_rows_survive() -> None:
    record = Nested({"a": {"b": NAN, "c": 1.0}}, (3, INF), ((1, 2.0), (3, NAN)))
    assert same(decode(Nested, through_json(record)), record)


def records() -> Iterator[object]:
    edit = Edit("train.py", "a\r\n", "b\r\n", 1, "a  ->  b")
    change = Change("lr", "x0.1", group="lower", edits=(edit,), command=("python", "train.py"))
    source = Source(file="train.py", line=3, step=4, command="python train.py")
    yield Evidence("E1", "observation", "seen", source, fact="loss-curve", run="base", data={"a": [1]})
    yield Experiment(
        id="X1",
        kind="control",
        change=change,
        question="why?",
        predicted={"hp/lr-too-high": {"same": 0.5, "worse": 0.5}},
        outcome="same",
        detail="told",
        seconds=1.5,
        steps=60,
        before=NAN,
        after=None,
        evidence=("E1",),
        tests="hp/lr-too-high",
    )


@pytest.mark.parametrize("record", list(records()), ids=lambda record: type(record).__name__)
def test_other_records_survive(record: Any) -> None:
    assert same(decode(type(record), through_json(record)), record)
