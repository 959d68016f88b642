"""Ways to say a step or an epoch without a name beside it, which many scripts have copied from each other.

[1,  2000] loss: 2.173              epoch and step
[0/25][50/1583] Loss_D: 0.7         epoch and step, each of how many
Train: 3 [  50/1251 (  4%)]         epoch and step behind the name of a phase
Cost after iteration 100: 0.58      the step stands between the name and the number
250 val 5.12                        the step, the phase, the number
Trial 4 finished with value: 0.8    the trial, and what it reached
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from stetho.text import words
from stetho.text.lexer import NUMBER

Span = tuple[int, int]

_PHASE = rb"(?:[Tt]rain(?:ing)?|[Ee]val(?:uation)?|[Vv]al(?:id|idation)?|[Tt]est(?:ing)?|TRAIN|VAL|EVAL|TEST)"
_COUNTER = rb"(?:epoch|step|iteration|iter|batch|update|round|episode|generation)"
_ALL = (
    re.compile(rb"^ ?\[(?P<epoch>0), ?(?P<step>0)\](?= ?[A-Za-z])"),
    re.compile(rb"^ ?\[ ?(?P<epoch>0)/ ?(?P<epochs>0)\] ?\[ ?(?P<step>0)/ ?(?P<total>0)\]"),
    re.compile(rb"^ ?" + _PHASE + rb": (?P<epoch>0) \[ ?(?P<step>0) ?/ ?(?P<total>0)"),
    re.compile(rb"\] \[(?P<step>0)\](?= [A-Za-z_][A-Za-z0-9_./-]*=)"),
    re.compile(rb"^ ?(?P<step>0) (?P<name>" + _PHASE + rb"|[a-z_]*(?:loss|acc)) (?P<value>-?0?\.0(?:e-?0)?)$"),
    re.compile(rb"[Tt]rial (?P<step>0) finished with (?P<name>value): (?P<value>-?" + NUMBER + rb")(?= |$)"),
    re.compile(
        rb"(?P<name>[A-Za-z_]+(?: [A-Za-z_]+){0,3}?)(?: \([A-Za-z ]+\))? (?:after|at|for|in|on|of)(?: the)?"
        rb"(?: training)? (?i:(?P<counter>" + _COUNTER + rb")) #?(?P<step>0)(?: ?/ ?(?P<total>0))?(?: ?[:=]| is| was) ?"
        rb"(?P<value>-?" + NUMBER + rb"|-?(?i:nan|inf))(?![A-Za-z0-9_])"
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Opening:
    """What was said in such a way."""

    spans: dict[str, Span] = field(default_factory=dict)
    """By `step`, `total`, `epoch`, `epochs`."""
    name: bytes = b""
    value: Span | None = None

    def covers(self, start: int, end: int) -> bool:
        """Whether something lies where this has read already."""
        taken = [*self.spans.values(), *([self.value] if self.value is not None else [])]
        return any(start < b and a < end for a, b in taken)


def opening(line: bytes, begin: int) -> Opening:
    """What an evened line says in one of these ways; an empty one when it does not."""
    for pattern in _ALL:
        found = pattern.search(line[begin : begin + 400])
        if found is None:
            continue
        groups = {name: _moved(found.span(name), begin) for name, text in found.groupdict().items() if text is not None}
        name = found["name"] if "name" in groups else b""
        if "counter" in groups:
            if not words.is_measure(name):
                continue
            if found["counter"].lower() == b"epoch":
                groups["epoch"] = groups.pop("step")
                if "total" in groups:
                    groups["epochs"] = groups.pop("total")
        kept = {key: span for key, span in groups.items() if key in ("step", "total", "epoch", "epochs")}
        return Opening(kept, name, groups.get("value"))
    return Opening()


def _moved(span: Span, by: int) -> Span:
    return span[0] + by, span[1] + by
