"""What a lint rule is: a pattern in training code that is usually a silent bug, with code that shows it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Hit:
    """One place that a rule points at."""

    line: int
    column: int
    message: str


@dataclass(frozen=True)
class Rule:
    """A declared rule: `bad` and `good` are code that must and must not be reported."""

    id: str
    cause: str
    bad: Mapping[str, str]
    good: Mapping[str, str]
    function: Callable[[ast.Module], Iterator[Hit]]
    doc: str


def rule(
    *, cause: str, bad: Mapping[str, str], good: Mapping[str, str]
) -> Callable[[Callable[[ast.Module], Iterator[Hit]]], Rule]:
    """Declare a rule. Its id is the function's name; `cause` is what it would lead to."""

    def declare(function: Callable[[ast.Module], Iterator[Hit]]) -> Rule:
        return Rule(
            id=function.__name__.replace("_", "-"),
            cause=cause,
            bad=bad,
            good=good,
            function=function,
            doc=re.sub(r"\n    ", "\n", function.__doc__ or "").strip(),
        )

    return declare
