"""A text log, read from its first byte to its last: what its lines say, gathered in one pass."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from stetho.phrase import Phrase
from stetho.text import thinning
from stetho.text.blocks import BLOCK, Block, blocks
from stetho.text.figures import Figures
from stetho.text.headers import Headers
from stetho.text.shapes import Shape, Shapes, ranks_of
from stetho.text.stream import Key, Stream
from stetho.text.tracebacks import Tracebacks
from stetho.text.widths import Widths

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stetho.series import Whole

# What a log may hold at most of each; the rest is counted and said to be left out.
MOST_STREAMS = 600
MOST_RANKS = 64
TAIL = 300
CLOCK = 1 << 14
MOST_BANNERS = 100
MOST_EACH = 256
# Shapes times sections up to which those that occur are counted in a table.
MOST_PAIRS = 1 << 20


@dataclass
class Said:
    """A phrase that was found: where first, where last, how often."""

    phrase: str
    line: int
    text: bytes
    order: int
    count: int = 0
    last: int = 0
    last_text: bytes = b""
    last_order: int = -1
    spoken: int = 0
    """Lines of output up to the last time."""


@dataclass
class Repeated:
    """A line by its shape: the first of them, how many there were, and where."""

    text: bytes
    line: int
    count: int
    last: int


@dataclass(eq=False)
class Log:
    """What is known of a log while it is read, and after."""

    phrases: Sequence[Phrase]
    lines: int = 0
    """Lines of the file, as editors count."""
    frames: int = 0
    """Lines, and frames of progress bars."""
    spoken: int = 0
    """Lines of output: not blank, not indented, no part of a traceback, no launcher's farewell."""
    said: dict[str, Said] = field(default_factory=dict)
    each: list[tuple[int, bytes]] = field(default_factory=list)
    """The lines that say something of which every one counts: number and text, at most so many."""
    warnings: dict[int, Repeated] = field(default_factory=dict)
    streams: list[Stream] = field(default_factory=list)
    tracebacks: Tracebacks = field(default_factory=Tracebacks)
    spoken_at: dict[int, int] = field(default_factory=dict)
    tail: deque[tuple[int, int, bytes]] = field(default_factory=lambda: deque(maxlen=TAIL))
    """The last lines: their shape, number and text."""
    left_out: int = 0
    """Points of series beyond the most that a log may have."""

    def __post_init__(self) -> None:
        import numpy as np

        self.shapes = Shapes(self.phrases)
        self._every = frozenset(phrase.id for phrase in self.phrases if phrase.each)
        self.widths = Widths(self.shapes)
        self.figures = Figures(self.shapes, self.widths)
        self.headers = Headers(self.shapes)
        self.clock = Stream(Key((), ()), most=CLOCK)
        self.by_key: dict[Key, int] = {}
        self.last: dict[int, tuple[int, bytes, int, int]] = {}
        self.recent: deque[tuple[Block, Whole]] = deque()
        self.last_tables: dict[int, int] = {}
        self.section, self.tables = 0, 0
        # Sections of tables by number; the first one has no name.
        self.section_names = [b""]
        self._section_numbers = {b"": 0}
        self._section_of = np.zeros(0, np.int64)
        self.banner: int | None = None
        self.banners: list[int] = []
        self.counts = np.zeros(0, np.int64)
        self._stream_of = np.zeros(0, np.int64)
        self._opens = self._speaks = self._tells = self._stamped = self._varies = self._sections = np.zeros(0, np.bool_)

    # --- one block -------------------------------------------------------------------------------------------

    def take(self, block: Block) -> None:
        """Everything that the lines of a block say."""
        import numpy as np

        codes = self.headers.settled(block, self.widths.codes(block.raw, len(block)))
        self._learn()
        tally = np.bincount(codes, minlength=len(self.counts))
        self.counts += tally
        present = np.flatnonzero(tally)
        speaking = self._speaks[codes]
        if self.tracebacks.busy or self._opens[present].any():
            self._trace(block, codes, speaking)
        if self._tells[present].any():
            self._listen(block, codes, present, speaking)
        self.spoken += int(np.count_nonzero(speaking))
        self._measure(block, codes, present)
        self._greet(block, codes, tally)
        self.recent.append((block, codes))
        while sum(len(block) for block, _ in self.recent) - len(self.recent[0][0]) >= TAIL:
            self.recent.popleft()
        self.frames += len(block)
        self.lines = int(block.numbers[-1])

    def _greet(self, block: Block, codes: Whole, tally: Whole) -> None:
        """Where the first words of the log are said again: another start."""
        import numpy as np

        if self.banner is None:
            words = [
                c for c in codes[:200].tolist() if self.shapes.known[c].speaks and not self.shapes.known[c].plan.counts
            ]
            self.banner = words[0] if words else -1
        if 0 <= self.banner < len(tally) and tally[self.banner] and len(self.banners) < MOST_BANNERS:
            at = np.flatnonzero(codes == self.banner)[:MOST_BANNERS]
            self.banners += (block.first + at).tolist()

    def _learn(self) -> None:
        """Bring the tables up to date with shapes that this block was the first to have."""
        import numpy as np

        known, old = self.shapes.known, len(self._stream_of)
        if len(known) == old:
            return
        new = known[old:]
        more = np.fromiter((self._fixed_stream(shape) for shape in new), np.int64, len(new))
        self._stream_of = np.concatenate([self._stream_of, more])
        self.figures.learn()
        self.counts = np.concatenate([self.counts, np.zeros(len(new), np.int64)])

        def flags(old: NDArray[np.bool_], says: Callable[[Shape], bool]) -> NDArray[np.bool_]:
            return np.concatenate([old, np.fromiter(map(says, new), np.bool_, len(new))])

        self._opens = flags(self._opens, lambda shape: shape.opens)
        self._speaks = flags(self._speaks, lambda shape: shape.speaks)
        self._tells = flags(self._tells, lambda shape: bool(shape.phrases) or shape.warns)
        self._stamped = flags(self._stamped, lambda shape: shape.plan.stamp is not None)
        self._varies = flags(
            self._varies, lambda shape: shape.plan.row or (shape.plan.speaker is not None and shape.plan.counts)
        )
        numbers = np.fromiter((self._section_number(shape) for shape in new), np.int64, len(new))
        self._section_of = np.concatenate([self._section_of, numbers])
        self._sections = flags(self._sections, lambda shape: shape.section is not None)

    def _section_number(self, shape: Shape) -> int:
        name = shape.section or b""
        number = self._section_numbers.setdefault(name, len(self.section_names))
        if number == len(self.section_names):
            self.section_names.append(name)
        return number

    # --- who says what ---------------------------------------------------------------------------------------

    def _fixed_stream(self, shape: Shape) -> int:
        plan = shape.plan
        if not plan.counts or plan.row or plan.speaker is not None:
            return -1
        return self._stream(shape, "", b"")

    def _stream(self, shape: Shape, run: str, section: bytes) -> int:
        """The number of the stream that a line belongs to; -1 when there are too many."""
        metrics = shape.plan.metrics
        names = tuple(metric.prefix + b"/" + metric.name if metric.prefix else metric.name for metric in metrics)
        step = b"" if shape.plan.step is None else b"#pair" if shape.plan.paired else b"#step"
        counted = (step, b"#epoch" if shape.plan.epoch is not None else b"")
        nonfinite = tuple(metric.nonfinite is not None for metric in metrics)
        key = Key((*names, *counted), nonfinite, run, section, shape.plan.row)
        found = self.by_key.get(key)
        if found is None:
            if len(self.streams) >= MOST_STREAMS:
                return -1
            found = self.by_key[key] = len(self.streams)
            self.streams.append(Stream(key, most=thinning.limit(found, bool(run or section))))
        return found

    def _varying(self, block: Block, codes: Whole, present: Whole, streams: Whole) -> Whole:
        """Streams of lines whose rank, or whose section of a table, differs from line to line; and their tables."""
        import numpy as np

        sections, tables = self._section_of_rows(codes)
        varying = [self.shapes.known[code] for code in present[self._varies[present]].tolist()]
        if any(shape.plan.speaker is None for shape in varying):
            self._by_section(codes, sections, streams)
        for code, shape in zip(present[self._varies[present]].tolist(), varying, strict=True):
            if shape.plan.speaker is not None:
                self._by_rank(block, shape, np.flatnonzero(codes == code), streams)
        return tables

    def _by_section(self, codes: Whole, sections: Whole, streams: Whole) -> None:
        """Streams of the rows of tables: their shape and the section that they stand in say which."""
        import numpy as np

        rows = np.flatnonzero(self._varies[codes])
        many = len(self.section_names)
        pairs = codes[rows] * many + sections[rows]
        if len(self.shapes.known) * many <= MOST_PAIRS:
            found, which = np.flatnonzero(np.bincount(pairs)), np.zeros(len(self.shapes.known) * many, np.int64)
            which[found] = np.arange(len(found))
            which = which[pairs]
        else:
            found, which = np.unique(pairs, return_inverse=True)
        numbers = np.full(len(found), -1, np.int64)
        for at, pair in enumerate(found.tolist()):
            shape, section = self.shapes.known[pair // many], self.section_names[pair % many]
            if shape.plan.speaker is None:
                numbers[at] = self._stream(shape, "", section)
        streams[rows] = numbers[which]

    def _by_rank(self, block: Block, shape: Shape, at: Whole, streams: Whole) -> None:
        import numpy as np

        ranks = ranks_of(shape, np.frombuffer(block.raw, np.uint8), block.starts[at])
        if ranks is None:
            assert shape.extraction is not None
            said = np.array([shape.extraction.speaker(block.line(index)) for index in at.tolist()], object)
            for run in dict.fromkeys(said.tolist()):
                streams[at[said == run]] = self._stream(shape, run, b"")
            return
        for rank in np.unique(ranks).tolist()[:MOST_RANKS]:
            streams[at[ranks == rank]] = self._stream(shape, f"rank {rank}", b"")

    def _section_of_rows(self, codes: Whole) -> tuple[Whole, Whole]:
        """For every line, the section of the table that it stands in, and how many frames of tables came before."""
        import numpy as np

        begins = self._sections[codes]
        begun = np.flatnonzero(begins)
        said = np.concatenate([[self.section], self._section_of[codes[begun]]])
        tables = self.tables + np.concatenate([[0], np.cumsum(said[1:] == 0)])
        self.section, self.tables = int(said[-1]), int(tables[-1])
        where = np.cumsum(begins)
        return said[where], tables[where]

    # --- numbers ---------------------------------------------------------------------------------------------

    def _measure(self, block: Block, codes: Whole, present: Whole) -> None:
        import numpy as np

        streams, tables = self._stream_of[codes], np.zeros(0, np.int64)
        if self._varies[present].any() or self._sections[present].any():
            tables = self._varying(block, codes, present, streams)
        low = int(streams.min(initial=0))
        members = np.flatnonzero(np.bincount(streams - low, minlength=1)) + low
        picked: list[tuple[int, Whole, Whole]] = []
        for number in members[members >= 0].tolist():
            at = np.flatnonzero(streams == number) if len(members) > 1 else np.arange(len(codes))
            stream = self.streams[number]
            chosen, places = stream.choose(len(at))
            if stream.part > 1 and stream.telling:
                few = stream.count < thinning.READ_FOR_EXTREMES
                ordered = self.figures.order(block, codes, at, stream.telling, few)
                if ordered is not None:
                    every = np.arange(stream.count - len(at), stream.count)
                    high = thinning.extreme(every, ordered, stream.part)
                    high[chosen] = True
                    chosen, places = np.flatnonzero(high), every[high]
            picked.append((number, at[chosen], places))
            end = int(at[-1])
            if stream.key.row:
                self.last_tables[number] = int(tables[end])
            self.last[number] = (int(codes[end]), block.line(end), block.first + end, int(block.numbers[end]))
        if picked:
            self._read(block, codes, picked, tables)
        if self._stamped[present].any():
            at = np.flatnonzero(self._stamped[codes])
            chosen, places = self.clock.choose(len(at))
            for same, times in self.figures.times(block, codes, at[chosen]):
                lines = at[chosen][same]
                self.clock.add(places[same], lines + block.first, block.numbers[lines], times[:, None], None)

    def _read(self, block: Block, codes: Whole, picked: list[tuple[int, Whole, Whole]], tables: Whole) -> None:
        """Read the chosen lines, those of each shape together, and give each stream its own."""
        import numpy as np

        at = np.concatenate([lines for _, lines, _ in picked])
        places = np.concatenate([where for _, _, where in picked])
        owners = np.repeat([number for number, _, _ in picked], [len(lines) for _, lines, _ in picked])
        for same, rows, names in self.figures.read(block, codes, at, tables):
            lines, of = at[same], owners[same]
            for number in np.unique(of).tolist():
                own = np.flatnonzero(of == number)
                where, said = lines[own], None if names is None else names[own]
                line_numbers = block.numbers[where]
                self.streams[number].add(places[same[own]], where + block.first, line_numbers, rows[own], said)

    # --- words -----------------------------------------------------------------------------------------------

    def _trace(self, block: Block, codes: Whole, speaking: NDArray[np.bool_]) -> None:
        """Follow tracebacks line by line, from where one opens until none is open any more."""
        import numpy as np

        index, size = 0, len(block)
        opens = np.flatnonzero(self._opens[codes])
        while True:
            if not self.tracebacks.busy:
                later = np.searchsorted(opens, index)
                if later >= len(opens):
                    break
                index = int(opens[later])
            if index >= size:
                break
            if self.tracebacks.feed(block.line(index), int(block.numbers[index]), block.first + index):
                speaking[index] = False
            index += 1
        if self.tracebacks.named:
            heard = self.spoken + np.cumsum(speaking)
            for order in self.tracebacks.named:
                self.spoken_at[order] = int(heard[order - block.first])
            self.tracebacks.named.clear()
            if len(self.spoken_at) > 100_000:
                kept = {one.order for one in (*self.tracebacks.first, *self.tracebacks.latest)}
                self.spoken_at = {
                    order: n for order, n in self.spoken_at.items() if order in kept or order >= block.first
                }

    def _listen(self, block: Block, codes: Whole, present: Whole, speaking: NDArray[np.bool_]) -> None:
        """Take note of phrases and warnings."""
        import numpy as np

        heard = self.spoken + np.cumsum(speaking)
        for code in present[self._tells[present]].tolist():
            shape = self.shapes.known[code]
            at = np.flatnonzero(codes == code)
            first, last = int(at[0]), int(at[-1])
            for phrase in shape.phrases:
                self._hear(phrase, block, first, last, len(at), int(heard[last]))
            if self._every.intersection(shape.phrases):
                picked = at[: max(0, MOST_EACH - len(self.each))].tolist()
                self.each += [(int(block.numbers[index]), block.line(index)) for index in picked]
            if shape.warns:
                known = self.warnings.get(code)
                if known is None:
                    known = self.warnings[code] = Repeated(block.line(first), int(block.numbers[first]), 0, 0)
                known.count += len(at)
                known.last = int(block.numbers[last])

    def _hear(self, phrase: str, block: Block, first: int, last: int, count: int, heard: int) -> None:
        known = self.said.get(phrase)
        if known is None or block.first + first < known.order:
            before = known
            known = Said(phrase, int(block.numbers[first]), block.line(first), block.first + first)
            if before is not None:
                known.count, known.last, known.last_text = before.count, before.last, before.last_text
                known.last_order, known.spoken = before.last_order, before.spoken
            self.said[phrase] = known
        known.count += count
        if block.first + last > known.last_order:
            known.last, known.last_text = int(block.numbers[last]), block.line(last)
            known.last_order, known.spoken = block.first + last, heard

    def finish(self) -> None:
        """Add the last point of each stream, and put what was gathered in order."""
        import numpy as np

        for number, (code, raw, order, line) in self.last.items():
            stream = self.streams[number]
            if stream.part > 1 and stream.telling:
                stream.thin()
            if not any(int(orders[-1]) == order or order in orders for orders in stream.orders if len(orders)):
                rows, names = self.figures.read_one(code, raw, self.last_tables.get(number, 0))
                stream.add(np.array([stream.count - 1]), np.array([order]), np.array([line]), rows, names)
        for stream in (*self.streams, self.clock):
            stream.sort()
        for block, codes in self.recent:
            for index in range(max(0, len(block) - TAIL), len(block)):
                self.tail.append((int(codes[index]), int(block.numbers[index]), block.line(index)))
        self.recent.clear()


def read(
    handle: BinaryIO,
    phrases: Sequence[Phrase],
    *,
    progress: Callable[[int], None] | None = None,
    size: int = BLOCK,
) -> Log:
    """Read a log; `progress` is told how many bytes are done."""
    log = Log(phrases)
    for block in blocks(handle, progress, size):
        log.take(block)
    log.finish()
    return log
