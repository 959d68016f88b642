"""What the numbers of a line are: a name, a separator, a number — and steps, epochs, times and ranks.

One grammar for all logs. It works on evened text and never looks at a digit, so what it says holds for every line of
the same shape.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from stetho.text import openings, words
from stetho.text.lexer import Token, tokens
from stetho.text.naming import Named, Naming

Span = tuple[int, int]

DURATIONS = frozenset(b"eta time elapsed remaining left took total duration runtime".split())
SCALES = {b"k": 1e3, b"K": 1e3, b"M": 1e6, b"G": 1e9, b"T": 1e12, b"B": 1e9}
RATES = re.compile(rb"^(?:it|s|ms|us|sec|samples?|tok|tokens|img|imgs|ex|steps?)/")
# Who speaks, at the beginning of a line or after a stamp: torchrun, accelerate, srun --label, DeepSpeed, Ray.
SPEAKER = re.compile(
    rb"^(?:\[(?:rank|Rank|RANK|default|worker)[ :]?(?P<a>0)\]:? ?|(?:rank|Rank|RANK)[ :_=]?(?P<b>0)(?:\]|:| \|| -) ?"
    rb"|\[0,(?P<c>0)\]<std(?:out|err)>: ?|\([A-Za-z_.: ]+ pid=(?P<d>0)(?:, ip=[0.]+)?\) ?"
    rb"|(?:worker|node|gpu|host|proc|trainer)[-_]?(?P<e>0)(?: ?\|| ?:) (?=.))"
)
LATER_SPEAKER = re.compile(rb"^.{0,60}?\[(?:rank|Rank|RANK)[ :]?(?P<a>0)\]")
LABEL = re.compile(rb"^ ?(0): ?(?=.)")
ROW = re.compile(rb"^\|( ?)([A-Za-z_][^|]*?) ?\| ?([^|]*?) ?\|$")
FRAME = re.compile(rb"^ ?[-+=]{6,}$")


@dataclass(frozen=True)
class Metric:
    """A number with a name."""

    name: bytes
    """As written, digits evened; `key` tells where the digits are."""
    value: Span
    divisor: Span | None = None
    scale: float = 1.0
    nonfinite: float | None = None
    """The value itself where it is a word: nan, inf or -inf."""
    key: Span | None = None
    """Where the name stands, when it has digits."""
    prefix: bytes = b""


@dataclass(frozen=True)
class Plan:
    """What to read from the lines of a shape."""

    metrics: tuple[Metric, ...] = ()
    step: Span | None = None
    total: Span | None = None
    epoch: Span | None = None
    epochs: Span | None = None
    stamp: Span | None = None
    speaker: Span | None = None
    paired: bool = False
    """The step is the first half of a bare pair: it may be that of any bar."""
    row: bool = False
    """A row of a table, whose section stands in an earlier row."""

    @property
    def counts(self) -> bool:
        return bool(self.metrics) or self.step is not None or self.epoch is not None


def speaker_of(line: bytes) -> tuple[Span | None, int]:
    """Where a line says which rank speaks, and where its own text begins."""
    found = SPEAKER.match(line)
    if found is not None:
        group = found.lastgroup or "a"
        return found.span(group), found.end()
    if b"ank" in line[:80] and (found := LATER_SPEAKER.match(line)) is not None:
        return found.span("a"), 0
    return None, 0


def read(line: bytes) -> Plan:
    """The plan of one evened line; an empty one when it has nothing to read."""
    speaker, begin = speaker_of(line)
    if b"0" not in line[begin:] and not _NONFINITE.search(line):
        return Plan(speaker=speaker)
    row = ROW.match(line[begin:])
    if row is not None:
        return _row(line, begin, speaker)
    label = LABEL.match(line) if speaker is None else None
    if label is not None:
        inner = _Reading(line, label.end()).plan(None)
        if inner.step is not None or not inner.metrics:
            return Plan(**{**vars(inner), "speaker": label.span(1)})
        return Plan(**{**vars(inner), "step": label.span(1)})
    return _Reading(line, begin).plan(speaker)


_NONFINITE = re.compile(rb"(?i:nan|inf)")


def _row(line: bytes, begin: int, speaker: Span | None) -> Plan:
    """`|    ep_rew_mean | 21.3 |`: a table's row, one name and one number."""
    found = ROW.match(line[begin:])
    assert found is not None
    name, cell = found[2], found[3]
    at = begin + found.start(3)
    inside = tokens(cell)
    if len(inside) != 1 or inside[0].kind not in ("number", "nonfinite"):
        return Plan(speaker=speaker)
    token = inside[0]
    span = (at + token.start, at + token.end)
    key = (begin + found.start(2), begin + found.end(2)) if b"0" in name else None
    if name.lower() in words.EPOCHS:
        return Plan((), epoch=span, speaker=speaker, row=True)
    if name.lower() in words.STEPS and b"." not in token.text:
        return Plan((metric_of(name, token, span, key),), step=span, speaker=speaker, row=True)
    return Plan((metric_of(name, token, span, key),), speaker=speaker, row=True)


def metric_of(name: bytes, token: Token, span: Span, key: Span | None = None, prefix: bytes = b"") -> Metric:
    nonfinite = None
    if token.kind == "nonfinite":
        lower = token.text.lower()
        nonfinite = float("nan") if b"nan" in lower else float("-inf") if lower.startswith(b"-") else float("inf")
    return Metric(name, span, scale=SCALES.get(token.unit, 1.0), nonfinite=nonfinite, key=key, prefix=prefix)


class _Reading(Naming):
    """One line being read."""

    def plan(self, speaker: Span | None) -> Plan:
        said = openings.opening(self.line, self.begin)
        found = [
            self.named(i)
            for i, token in enumerate(self.tokens)
            if token.kind in ("number", "nonfinite", "pair") and not said.covers(token.start, token.end)
        ]
        stamp = self._stamp(found)
        found = [one for one in found if (one.token.start, one.token.end) != stamp]
        step, total, epoch, epochs, paired, used = self._counters(found)
        if said.spans.keys() & {"step", "epoch"}:
            step, total = (said.spans.get("step", step), said.spans.get("total", total))
            epoch, epochs = (said.spans.get("epoch", epoch), said.spans.get("epochs", epochs))
            paired = paired and "step" not in said.spans
        left = [one for one in found if one.token not in used]
        metrics = self._metrics(left, counted=step is not None or epoch is not None)
        if said.value is not None:
            inside = tokens(self.line[: said.value[1]], said.value[0])[:1]
            others = (metric for metric in metrics if metric.name != said.name)
            metrics = (*(metric_of(said.name, token, said.value) for token in inside), *others)
        return Plan(metrics, step, total, epoch, epochs, stamp, speaker, paired)

    def _stamp(self, found: list[Named]) -> Span | None:
        """When the line was written: a stamp among its first words or named as one, or seconds at its beginning."""
        for at, token in enumerate(self.tokens):
            if token.kind == "stamp" and self._tells_when(at):
                return token.start, token.end
        for one in found:
            if one.token.kind == "number" and not one.token.unit and one.name.lower() in words.STAMPS:
                return one.token.start, one.token.end
        leading = words.SECONDS.match(self.line, self.begin)
        return leading.span(leading.lastindex or 1) if leading is not None else None

    def _tells_when(self, at: int) -> bool:
        """Whether a stamp is that of its line: early in it or behind `"time": "`, and not how long something took."""
        before = [token.text.lower() for token in self.tokens[max(0, at - 5) : at] if token.kind == "word"]
        last = before[-1] if before else b""
        if re.fullmatch(rb"0:0:0(?:[.,]0)?", self.tokens[at].text) and last in DURATIONS:
            return False
        return at < 12 or last in words.STAMPS or last in (b"time", b"asctime", b"date", b"datetime", b"at")

    # --- steps and epochs ----------------------------------------------------------------------------------

    def _counters(
        self, found: list[Named]
    ) -> tuple[Span | None, Span | None, Span | None, Span | None, bool, set[Token]]:
        """Where the step and the epoch stand, with what they count up to."""
        step = total = epoch = epochs = None
        rank, used = 0, set[Token]()
        for one in found:
            token, name = one.token, _last_words(one.name)
            whole = token.kind == "pair" or (token.kind == "number" and b"." not in token.text and not token.unit)
            if not whole and name != one.name.lower() and words.is_measure(one.name):
                # `accuracy over epoch: 0.8` is no epoch.
                continue
            if name in words.EPOCHS and token.kind != "nonfinite" and (whole or one.separator) and not token.unit:
                if epoch is None:
                    epoch, epochs = halves(token)
                used.add(token)
            elif name in words.STEPS and (whole or _is_global(one)) and b"e" not in token.text.lower():
                weight = 3 if name in words.GLOBAL else 2
                if weight > rank:
                    (step, total), rank = halves(token), weight
                used.add(token)
            elif token.kind == "pair" and not words.is_measure(one.name):
                if rank < 1 and self._stands_alone(token):
                    (step, total), rank = halves(token), 1
                used.add(token)
        if step is None and (leading := self._leading()) is not None:
            step = (leading.start, leading.end)
            used.add(leading)
        return step, total, epoch, epochs, rank == 1, used

    def _stands_alone(self, token: Token) -> bool:
        """Whether `450/1000` is progress: in a bar, in brackets or at the beginning, and no part of a path."""
        before, after = self.line[token.start - 1 : token.start], self.line[token.end : token.end + 2]
        return before in (b"", b" ", b"[", b"(", b"|", b":", b"\t") and after[:1] in (
            b"",
            b" ",
            b"]",
            b")",
            b",",
            b":",
            b"|",
            b"[",
        )

    def _leading(self) -> Token | None:
        """`[10]` at the beginning of a line of measures: the round of a boosting library."""
        texts = self.tokens[:3]
        if len(texts) == 3 and texts[0].text == b"[" and texts[2].text == b"]" and texts[1].text == b"0":
            return texts[1]
        return None

    # --- measures ------------------------------------------------------------------------------------------

    def _metrics(self, found: list[Named], counted: bool) -> tuple[Metric, ...]:
        if self.settings is not None:
            begin, end = self.settings
            found = [one for one in found if not begin <= one.token.start < end]
        certain = [one for one in found if _certain(one, counted)]
        sure = {one.token for one in certain if one.separator or _says(one)}
        spaced = any(one.token in sure and not one.separator for one in certain)
        evidence = bool(sure) or counted
        accepted: list[Metric] = []
        names: set[bytes] = set()
        first = self._phase(found)
        phases = self._phases(found, first)
        for one in found:
            token = one.token
            if not self._is_metric(one, sure, evidence, spaced):
                if evidence and RATES.match(token.unit) and token.kind == "number":
                    one = Named(token, token.unit, token.end, token.end, b":", False, True)
                else:
                    continue
            phase = first
            for place, said in phases:
                phase = said if place <= one.start else phase
            if phase + one.name in names and b"0" not in one.name:
                continue
            names.add(phase + one.name)
            key = (one.start, one.end) if b"0" in one.name else None
            prefix = phase if phase and not words.VALIDATION.search(one.name.lower()) else b""
            value, divisor = halves(token)
            metric = metric_of(one.name, token, value, key, prefix)
            if divisor is not None:
                metric = Metric(one.name, value, divisor, key=key, prefix=prefix)
            accepted.append(metric)
        return tuple(accepted)

    def _phases(self, found: list[Named], first: bytes) -> list[tuple[int, bytes]]:
        """Where a line turns from one phase to another: `train: loss 0.5 acc 0.8 | val: loss 0.6 acc 0.7`."""
        named = [(one.start, one.end) for one in found if one.name]
        turns = []
        for at, token in enumerate(self.tokens):
            said = words.turn(token.text) if token.kind == "word" else None
            if said is None or any(a <= token.start < b for a, b in named):
                continue
            after = self.tokens[at + 1 : at + 3]
            begins = len(after) == 2 and after[0].kind == "space" and any(a == after[1].start for a, _ in named)
            if begins or (after and after[0].text in (b":", b"[", b"(", b"]", b")", b"|")):
                turns.append((token.start, said))
        # A line with one phase only has said it before its first measure, or says nothing.
        return turns if {said for _, said in turns} | {first} >= {b"", b"val"} and len(turns) > 1 else []

    def _is_metric(self, one: Named, sure: set[Token], evidence: bool, spaced: bool) -> bool:
        token = one.token
        if not one.name or words.is_count(one.name) or self._is_share(token):
            return False
        lower = one.name.lower()
        if lower in words.PHASES and b"." not in token.text:
            return False
        if lower in words.STEPS or lower in words.UNITS or lower.endswith(b".py"):
            return False
        if token in sure:
            # `train.py:37` and `cuda:0` are places; a measure beside a colon without a space has decimals.
            return not (one.glued and one.separator == b":" and b"/" in one.name and b"." not in token.text)
        if token.kind == "pair":
            return False
        if one.separator:
            if one.glued and one.separator == b":" and b"." not in token.text:
                return False
            return evidence
        return spaced and one.listed and token.kind == "number" and len(one.name.split()) <= 2

    def _is_share(self, token: Token) -> bool:
        """Whether a number is how far a bar has come: `45%|`."""
        return token.unit == b"%" and self.line[token.end + 1 : token.end + 2] == b"|"

    def _phase(self, found: list[Named]) -> bytes:
        """`val` when the line says before its first measure that it is about validation."""
        first = next((one.start for one in found if one.name and words.is_measure(one.name)), 0)
        before = self.line[self.tokens[0].start : first].lower() if self.tokens and first else b""
        said = words.VALIDATION.search(before)
        return b"val" if said is not None and not words.TRAINING.search(before) else b""


def _certain(one: Named, counted: bool) -> bool:
    """Whether a name is that of a measure, whatever stands beside it."""
    if not one.name or words.is_count(one.name):
        return False
    alone = one.name.lower() in words.PHASES and (bool(one.separator) or counted) and b"." in one.token.text
    return alone or words.is_measure(one.name)


def _last_words(name: bytes) -> bytes:
    """A counter's name without what stands before it: `saving at step` is `step`."""
    lower = name.lower()
    if lower in words.STEPS or lower in words.EPOCHS:
        return lower
    two = b" ".join(lower.split()[-2:])
    return two if two in words.STEPS or two in words.EPOCHS else lower.split()[-1] if lower else b""


def _is_global(one: Named) -> bool:
    """Whether it is a step that is written as `9.0`."""
    return one.name.lower() in words.GLOBAL and one.token.kind == "number" and not one.token.unit and one.glued


def _says(one: Named) -> bool:
    """Whether a name and a number with nothing but a space between them are a measure: `loss 0.53`."""
    last = one.name.split()[-1]
    return (words.is_measure(last) or last.lower() in words.PHASES) and (
        one.token.kind != "number" or bool(one.token.text.strip(b"0,-+")) or bool(one.token.unit) or one.listed
    )


def halves(token: Token) -> tuple[Span, Span | None]:
    if token.kind != "pair":
        return (token.start, token.end), None
    return (token.start, token.start + 1), (token.end - 1, token.end)
