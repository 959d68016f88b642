"""What a log says in words of numbers that are not finite, where its curves do not show them or not where from."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from stetho.evidence import Place, Source
from stetho.facts import (
    Checkpoints,
    Crash,
    LoggedNonfinite,
    LossCurve,
    LossScale,
    NonfiniteOrigin,
    Statement,
    Statements,
    ValidationLoss,
)
from stetho.logged.ending import LINES_AFTER_THE_END, Told
from stetho.logged.known import Known
from stetho.logged.stability import collapse
from stetho.logged.weights import lost_weights

# Autograd's own search for NaN names the function whose gradient failed.
BACKWARD = re.compile(r"Function '(\w+?)Backward\d*' returned nan values")
GRADIENTS = {
    "Log": "log", "Log2": "log2", "Log10": "log10", "Log1P": "log1p", "Xlogy": "xlogy", "Logit": "logit",
    "SpecialEntr": "entr", "Sqrt": "sqrt", "Rsqrt": "rsqrt", "Norm": "norm", "LinalgVectorNorm": "linalg_vector_norm",
    "Cdist": "cdist", "EuclideanDist": "euclidean_dist", "Std": "std", "Div": "div", "Reciprocal": "reciprocal",
    "Exp": "exp", "Expm1": "expm1", "Exp2": "exp2", "Cosh": "cosh", "Sinh": "sinh",
}  # fmt: skip
# What numpy says, as a warning or as an error, and what JAX's own search for NaN says.
ARITHMETIC = re.compile(
    r"(?P<what>divide by zero|overflow|invalid value(?: \((?P<of>nan|inf)\))?) encountered in (?:scalar |jit\()?"
    r"(?P<name>\w+)"
)
OPERATIONS = {
    **dict.fromkeys(("log", "log2", "log10", "log1p"), "log"),
    **dict.fromkeys(("true_divide", "divide", "double_scalars", "long_scalars", "reciprocal", "div"), "div"),
    **dict.fromkeys(("exp", "expm1", "exp2", "sinh", "cosh"), "exp"),
}
WARNED = ("log-of-zero-warned", "division-by-zero-warned", "exponential-overflow-warned")
PLACE = re.compile(r"(?P<file>[^\s:\"']+\.py):(?P<line>\d{1,7}): RuntimeWarning")
# A warning comes before the loss that it spoils; where two streams were joined, a few lines later.
LATER = 5
LOSS = re.compile(r"(?<![a-z])(loss|losses|objective|grad(ient)?s?|norm)(?![a-z])", re.IGNORECASE)
STATE = re.compile(r"\b(nan|nans|inf|infinite|infinity|non-?finite|not finite|invalid loss)\b", re.IGNORECASE)
DENIED = re.compile(
    r"\b(no|not any|without|never|zero|0) (nan|inf|infinite|non-?finite|invalid)|skip|ignor|recover|dropp",
    re.IGNORECASE,
)
ASKED = re.compile(r"is_?(nan|finite|inf)\b", re.IGNORECASE)
STEP = re.compile(r"\b(?:step|iteration|iter|batch|update)s?\b\W{0,3}(\d{1,12})", re.IGNORECASE)


@dataclass(frozen=True)
class Said:
    """That the loss or a gradient is not finite, and what shows it."""

    words: str
    source: Source
    step: int | None
    what: str = "loss"


@dataclass(frozen=True)
class Beside:
    """What a run left beside its loss curve, and what can show that the loss was lost."""

    curves: Sequence[Known]
    told: Sequence[Told]
    checkpoints: Checkpoints | None = None
    scale: LossScale | None = None


def with_what_is_said(beside: Beside) -> Iterator[Known]:
    """What the curves say, with an end that only words or weights tell; and where the first NaN came from."""
    step, curves = None, 0
    for one in beside.curves:
        if not isinstance(one.fact, LossCurve):
            yield one
            continue
        lost = one.fact.nonfinite_step is not None
        whole = replace(one, source=first_line(one, beside.told)) if lost else spoiled(one, one.fact, beside)
        assert isinstance(whole.fact, LossCurve)
        step, curves = whole.fact.nonfinite_step, curves + 1
        yield whole
    found = origin(beside.told, step, fails=step is not None or not curves)
    if found is not None:
        yield found


def first_line(one: Known, told: Sequence[Told]) -> Source:
    """The line of a log that first has a loss which is not finite, where the curve was read from that log."""
    for other in told:
        fact = other.reading.fact
        if isinstance(fact, LoggedNonfinite) and other.artifact.name == one.source.file and fact.name in one.words:
            return other.source
    return one.source


def spoiled(one: Known, curve: LossCurve, beside: Beside) -> Known:
    """A curve that is finite as far as it was logged, with what shows that the loss or its gradient was not."""
    last = curve.steps[-1] if curve.steps else len(curve.values) - 1
    found = by_words(curve, last, beside) or by_validation(beside) or by_weights(last, beside) or by_scale(last, beside)
    if found is None:
        return one
    fact = replace(curve, nonfinite_step=found.step, nonfinite_in=found.what)
    return Known(fact, f"{one.words}; {found.words}", found.source)


def by_words(curve: LossCurve, last: int, beside: Beside) -> Said | None:
    said = last_words(beside.told)
    if said is None:
        return None
    near = said.step is not None and said.step >= last - stride(curve.steps)
    return said if near else replace(said, step=last)


def by_validation(beside: Beside) -> Said | None:
    for one in beside.curves:
        begun = validation_lost(one.fact) if isinstance(one.fact, ValidationLoss) else None
        if begun is not None:
            return Said(one.words, one.source, begun, "validation loss")
    return None


def by_weights(last: int, beside: Beside) -> Said | None:
    lost = lost_weights(beside.checkpoints) if beside.checkpoints is not None else None
    return None if lost is None else Said(lost.words, Source(file=lost.file), last, "weights")


def by_scale(last: int, beside: Beside) -> Said | None:
    """Each time that a loss scale is halved, a gradient was not finite."""
    scale = beside.scale
    fall = collapse(scale) if scale is not None else None
    if scale is None or fall is None:
        return None
    step = scale.steps[min(fall + 1, len(scale.steps) - 1)] if scale.steps else last
    return Said(f"the loss scale falls to {scale.values[-1]:.3g}", Source(), step, "gradient")


def validation_lost(held: ValidationLoss, *, least: int = 3) -> int | None:
    """The step from which on a validation loss that had been finite is not any more."""
    bad = [not math.isfinite(value) for value in held.values]
    tail = len(bad) if all(bad) else bad[::-1].index(False)
    return held.steps[-tail] if tail >= least and len(bad) - tail >= least else None


def stride(steps: Sequence[int]) -> int:
    """The longest way between two points of a curve."""
    return max((b - a for a, b in pairwise(steps)), default=0)


def last_words(told: Sequence[Told]) -> Said | None:
    """The exception or the statement that ends a run because its loss is not finite."""
    for one in reversed(told):
        fact = one.reading.fact
        if isinstance(fact, Crash) and fact.lines_after <= LINES_AFTER_THE_END and refuses(fact):
            return Said(f"{fact.exception}: {fact.message or fact.code}", one.source, step_in(fact.message))
        if isinstance(fact, Statements):
            for said in fact.of("nonfinite-reported"):
                text = said.last_text or said.text
                if said.lines_after <= LINES_AFTER_THE_END and spoken_of_loss(text):
                    source = Source(file=one.artifact.name, line=said.last_line or said.line)
                    return Said(text, source, step_in(text))
    return None


def spoken_of_loss(text: str) -> bool:
    """Whether a text says that the loss or a gradient is not finite, and does not deny it."""
    return bool(LOSS.search(text) and STATE.search(text) and not DENIED.search(text))


def refuses(crash: Crash) -> bool:
    if not crash.message:
        return bool(LOSS.search(crash.code) and ASKED.search(crash.code))
    return bool(BACKWARD.search(crash.message)) or spoken_of_loss(crash.message)


def step_in(text: str) -> int | None:
    found = STEP.search(text)
    return int(found[1]) if found is not None else None


def origin(told: Sequence[Told], step: int | None, *, fails: bool) -> Known | None:
    """The operation that the log names as the one which made the first NaN."""
    for one in reversed(told):
        fact = one.reading.fact
        if isinstance(fact, Crash) and fact.lines_after <= LINES_AFTER_THE_END:
            operation, phase = operation_in(fact.message)
            if operation:
                where = fact.forward or fact.where
                return made(operation, phase, fact.message, where, step, one.source)
    if not fails:
        return None
    # An infinite exponential is often harmless by itself, as in a sigmoid; the logarithm that follows is not.
    said = sorted(warnings_before(told), key=lambda pair: (pair[1].phrase == WARNED[-1], pair[1].line))
    for one, statement in said:
        operation, phase = operation_in(statement.text)
        if operation:
            place = PLACE.search(statement.text)
            where = Place(place["file"], int(place["line"])) if place is not None else None
            source = Source(file=one.artifact.name, line=statement.line)
            return made(operation, phase, statement.first_told, where, step, source)
    return None


def made(operation: str, phase: str, text: str, where: Place | None, step: int | None, source: Source) -> Known:
    fact = NonfiniteOrigin(step or 0, operation, phase, where, (where,) if where is not None else (), told=text)
    return Known(fact, f"the first NaN comes out of {operation}: {text}"[:500], source)


def operation_in(text: str) -> tuple[str, str]:
    """The operation that a message names, and the phase it was in."""
    found = BACKWARD.search(text)
    if found is not None:
        return GRADIENTS.get(found[1], ""), "backward"
    found = ARITHMETIC.search(text)
    if found is None:
        return "", ""
    operation = OPERATIONS.get(found["name"], "")
    # Of a negative number a logarithm is invalid and not infinite: nothing was zero there.
    invalid = found["what"].startswith("invalid") and found["of"] != "inf"
    return ("" if invalid and operation != "div" else operation), "forward"


def warnings_before(told: Sequence[Told]) -> Iterator[tuple[Told, Statement]]:
    """Warnings of arithmetic up to the line that first has a number that is not finite."""
    for one in told:
        fact = one.reading.fact
        if not isinstance(fact, Statements):
            continue
        lost = [
            t.reading.fact.line
            for t in told
            if t.artifact == one.artifact and isinstance(t.reading.fact, LoggedNonfinite)
        ]
        for said in fact.of(*WARNED):
            if not lost or said.line <= min(lost) + LATER:
                yield one, said
