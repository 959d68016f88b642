"""The numbers of many lines of one shape, read at once; a slower way takes what the fast one cannot."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from stetho.text.even import plain, uncoloured
from stetho.text.grammar import Plan, Span
from stetho.text.numerals import eights, marking, number, numbers, order, pieces, same
from stetho.text.stamps import seconds, seconds_of, stamps_at

if TYPE_CHECKING:
    from stetho.series import Floats, Whole

NAN = float("nan")
# What numbers are made of, from the plainest on: the first that cuts out all that is wanted is taken.
_TABLES = tuple((kept, marking(kept)) for kept in (b"0123456789.+-", b"0123456789.+-eE", b"0123456789.,+-"))
_DIGITS = marking(b"0123456789")
# Of a line as it was written, no more is searched for the numbers that its evened text shows.
LONGEST = 1 << 16


class Extraction:
    """How the lines of a shape are read; made once for a shape."""

    def __init__(self, shown: bytes, plan: Plan) -> None:
        self.shown, self.plan = shown, plan
        spans: list[Span] = []
        for metric in plan.metrics:
            if metric.nonfinite is None:
                spans.append(metric.value)
            if metric.divisor is not None:
                spans.append(metric.divisor)
        counters = (plan.step, plan.total, plan.epoch, plan.epochs)
        spans += [span for span in counters if span is not None]
        self.spans = spans
        self.wanted = [*spans, plan.stamp] if plan.stamp is not None else spans
        """What is read of a line: its numbers, and its stamp behind them."""
        self.named = any(metric.key is not None for metric in plan.metrics)

    @cached_property
    def _places(self) -> tuple[tuple[int, ...], int, bytes] | None:
        """Which of the pieces that look like numbers are wanted, of how many, by which table; None if one is glued."""
        for kept, table in _TABLES:
            found = [match.span() for match in re.finditer(b"[" + re.escape(kept) + b"]+", self.shown)]
            at = {span: index for index, span in enumerate(found)}
            if all(span in at for span in self.spans):
                return tuple(at[span] for span in self.spans), len(found), table
        return None

    @cached_property
    def _key_digits(self) -> tuple[tuple[int, ...], int]:
        """Which of the runs of digits stand in names, of how many."""
        keys = [metric.key for metric in self.plan.metrics if metric.key is not None]
        runs = [match.start() for match in re.finditer(b"0", self.shown)]
        return tuple(i for i, at in enumerate(runs) if any(a <= at < b for a, b in keys)), len(runs)

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        """A pattern for the whole line with a group for each number, each name with digits, the stamp and the rank."""
        marks: dict[int, bytes] = {}
        for begin, end in self._groups:
            marks[begin] = marks.get(begin, b"") + b"("
            marks[end] = b")" + marks.get(end, b"")
        last = max(marks, default=0)
        parts = []
        for at in range(last):
            char = self.shown[at : at + 1]
            parts.append(marks.get(at, b""))
            parts.append(
                b"[0-9]+"
                if char == b"0"
                else b"[ \t]+"
                if char == b" "
                else b"[\x00-\x02]"
                if char == b"\x02"
                else re.escape(char)
            )
        parts.append(marks.get(last, b""))
        return re.compile(b"".join(parts))

    @cached_property
    def _groups(self) -> list[Span]:
        keys = [metric.key for metric in self.plan.metrics if metric.key is not None]
        stamp = [self.plan.stamp] if self.plan.stamp is not None else []
        speaker = [self.plan.speaker] if self.plan.speaker is not None else []
        return sorted({*self.spans, *keys, *stamp, *speaker})

    def _matched(self, line: bytes) -> dict[Span, bytes] | None:
        found = self._pattern.match(line)
        return None if found is None else dict(zip(self._groups, found.groups(), strict=True))

    def speaker(self, line: bytes) -> str:
        """The rank that a line says it is from."""
        found = self._matched(plain(line)[:LONGEST])
        span = self.plan.speaker
        return "" if found is None or span is None else f"rank {int(found[span][:6])}"

    # --- many lines at once ----------------------------------------------------------------------------------

    def read(self, lines: list[bytes]) -> tuple[Floats, list[tuple[str, ...]] | None]:
        """A row for each line: the metrics, then step, total, epoch, epochs and time; and the names with digits."""
        import numpy as np

        made = np.full((len(lines), len(self.plan.metrics) + 5), NAN)
        blob = b"\n".join(lines)
        if b"\x1b" in blob:
            blob = uncoloured(blob)
            lines = blob.split(b"\n")
        columns, names = self._together(blob, lines), None
        if columns is None:
            columns, names = self._slowly(lines)
        elif self.named:
            names = [self._names(self._matched(lines[0][:LONGEST]))] * len(lines)
        self._fill(made, dict(zip(self.spans, columns, strict=True)))
        if self.plan.stamp is not None:
            made[:, -1] = self.times(lines)
        return made, names

    def read_at(self, raw: bytes, begins: Whole, ends: Whole) -> Floats | None:
        """The same for lines whose places are known, without cutting them out; None where names or stamps differ.

        `begins` and `ends` have a row for each of what is `wanted`.
        """
        import numpy as np

        if self.named:
            return None
        made = np.full((begins.shape[1], len(self.plan.metrics) + 5), NAN)
        if self.plan.stamp is not None:
            times = stamps_at(raw, begins[-1], ends[-1])
            if times is None:
                return None
            made[:, -1] = times
        many = len(self.spans)
        self._fill(made, dict(zip(self.spans, self._columns(raw, begins[:many], ends[:many]), strict=True)))
        return made

    def _columns(self, raw: bytes, begins: Whole, ends: Whole) -> list[Floats]:
        """Numbers at these places, a row of them for each span; those that are written alike are read together."""
        import numpy as np

        found: list[Floats] = [np.zeros(0)] * len(self.spans)
        alike: dict[tuple[bool, bool, int], list[int]] = {}
        longest = (ends - begins).max(axis=1, initial=0).tolist()
        for at, (span, length) in enumerate(zip(self.spans, longest, strict=True)):
            text = self.shown[slice(*span)].lower()
            alike.setdefault((b"e" in text, b"," in text, length.bit_length()), []).append(at)
        for (exponents, commas, _), rows in alike.items():
            read = numbers(raw, begins[rows].ravel(), ends[rows].ravel(), exponents=exponents, commas=commas)
            for at, column in zip(rows, read.reshape(len(rows), -1), strict=True):
                found[at] = column
        return found

    def plainly(self, metrics: Sequence[int]) -> list[Span] | None:
        """The spans of some metrics that are all written as 0.0; None where one is not."""
        wanted = [self.plan.metrics[at] for at in metrics]
        if any(m.nonfinite is not None or m.divisor is not None or m.value not in self.spans for m in wanted):
            return None
        return [m.value for m in wanted] if all(self.shown[slice(*m.value)] == b"0.0" for m in wanted) else None

    def order_at(self, eight: Whole, begins: Whole, ends: Whole, metrics: Sequence[int]) -> list[Whole] | None:
        """The order of the values of some metrics of lines whose places are known, far cheaper than to read them.

        None where they are not written plainly, with the same decimals all through.
        """
        wanted = self.plainly(metrics)
        if wanted is None:
            return None
        at = map(self.spans.index, wanted)
        known = [one for place in at if (one := order(eight, begins[place], ends[place])) is not None]
        return known if len(known) == len(wanted) else None

    def order(self, raw: bytes, starts: Whole, ends: Whole, metrics: Sequence[int]) -> list[Whole] | None:
        """The same for lines whose places are to be found; these must lie side by side."""
        wanted = self.plainly(metrics)
        beside = int(ends[-1] - starts[0]) == int((ends - starts).sum()) + len(starts) - 1
        if self._places is None or wanted is None or not beside:
            return None
        blob = raw[starts[0] : ends[-1]]
        places, width, table = self._places
        begun, over = pieces(blob, table)
        if len(begun) != len(starts) * width or b"\x1b" in blob:
            return None
        at = [places[self.spans.index(span)] for span in wanted]
        eight = eights(blob)
        found = [order(eight, begun[place::width], over[place::width]) for place in at]
        known = [one for one in found if one is not None]
        return known if len(known) == len(found) else None

    def _together(self, blob: bytes, lines: list[bytes]) -> list[Floats] | None:
        """The numbers of all lines at once; None when they can not be cut out, or names differ from line to line."""
        if self._places is None or max(map(len, lines)) > LONGEST:
            return None
        places, width, table = self._places
        starts, ends = pieces(blob, table)
        if len(starts) != len(lines) * width:
            return None
        if self.named:
            wanted, runs = self._key_digits
            begun, over = pieces(blob, _DIGITS)
            if len(begun) != len(lines) * runs or not all(same(blob, begun[i::runs], over[i::runs]) for i in wanted):
                return None
        written = [self.shown[a:b].lower() for a, b in self.spans]
        return [
            numbers(blob, starts[n::width], ends[n::width], exponents=b"e" in text, commas=b"," in text)
            for n, text in zip(places, written, strict=True)
        ]

    def _names(self, found: dict[Span, bytes] | None) -> tuple[str, ...]:
        said = (
            metric.name if metric.key is None or found is None else found[metric.key] for metric in self.plan.metrics
        )
        return tuple(name.decode("utf-8", "backslashreplace") for name in said)

    def _slowly(self, lines: list[bytes]) -> tuple[list[Floats], list[tuple[str, ...]]]:
        import numpy as np

        columns: list[list[float]] = [[] for _ in self.spans]
        names = []
        for line in lines:
            found = self._matched(line[:LONGEST])
            for column, span in zip(columns, self.spans, strict=True):
                column.append(NAN if found is None else number(found[span]))
            names.append(self._names(found))
        return [np.array(column) for column in columns], names

    def _fill(self, made: Floats, columns: Mapping[Span, Floats]) -> None:
        for at, metric in enumerate(self.plan.metrics):
            if metric.nonfinite is not None:
                made[:, at] = metric.nonfinite
                continue
            made[:, at] = columns[metric.value]
            if metric.divisor is not None:
                below = made[:, at].copy()
                below[:] = columns[metric.divisor]
                below[below == 0] = NAN
                made[:, at] /= below
            elif metric.scale != 1.0:
                made[:, at] *= metric.scale
        for at, span in enumerate((self.plan.step, self.plan.total, self.plan.epoch, self.plan.epochs)):
            if span is not None:
                made[:, len(self.plan.metrics) + at] = columns[span]

    def times(self, lines: list[bytes]) -> list[float] | Floats:
        """When each line was written; stamps of one width at one place are read all at once."""
        assert self.plan.stamp is not None
        first = self._pattern.match(plain(lines[0])[:LONGEST]) if lines else None
        if first is not None:
            begin, end = first.span(self._groups.index(self.plan.stamp) + 1)
            together = seconds_of(b"".join([line[begin : end + 1] for line in lines]), len(lines), end - begin)
            if together is not None:
                return together
        matched = (self._matched(plain(line)[:LONGEST]) for line in lines)
        read = (seconds(match[self.plan.stamp]) if match is not None else None for match in matched)
        return [NAN if time is None else time for time in read]

    @cached_property
    def alike(self) -> tuple[object, ...] | None:
        """Equal for shapes whose lines can be read together, as those of a bar that grows; None where it can not."""
        if self.named or self._places is None or self.plan.stamp is not None:
            return None
        plan = self.plan
        counters = tuple(span is None for span in (plan.step, plan.total, plan.epoch, plan.epochs))
        metrics = tuple((m.name, m.prefix, m.nonfinite, m.scale, m.divisor is None) for m in plan.metrics)
        exponents = tuple(b"e" in self.shown[a:b].lower() for a, b in self.spans)
        return self._places, counters, metrics, exponents, plan.row
