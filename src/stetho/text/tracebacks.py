"""Tracebacks as they go by, line by line and rank by rank, with what they were chained to."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field, replace

from stetho.evidence import Place
from stetho.text.even import text
from stetho.text.fatal import FATAL, FATAL_ERROR, Dump

OPENS = re.compile(
    rb"Traceback \(most recent call last\)|^(?:[^\"]{0,40}[ >|])?File \"[^\"]+\", line 0(?:, in .+)?$"
    rb"|Exception ignored (?:in|on|while)\b|Error in atexit\b|Exception in (?:thread|callback) |Fatal Python error: "
    rb"|--- Logging error ---|Task exception was never retrieved"
)
# One of these is in every line that opens one.
WORDS = (b"Traceback (", b'File "', b"Exception ", b"Error in atexit", b"Fatal Python", b"Logging error", b"Task excep")
BEGIN = "Traceback (most recent call last)"
FRAME = re.compile(r'^[\s>|]*File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>.+))?$')
BOXED = re.compile(r"^[│|] (?P<file>[^\s│]+\.py):(?P<line>\d+) in (?P<name>\S+)")
ENDING = re.compile(r"^(?P<name>[A-Za-z_][\w.]*)(?:: ?(?P<message>.*))?$")
CHAINS = ("During handling of the above exception", "The above exception was the direct cause")
NESTED = ("Original Traceback", "-- Process ")
# A traceback of another rank inside the message of this one's exception.
OF_A_RANK = re.compile(r"Traceback \(most recent call last\): \(RANK \d{1,6}\)")
LIBRARY = re.compile(r"[/\\](site-packages|dist-packages)[/\\]|[/\\]lib[/\\]python3|^<|stetho[/\\]observer[/\\]")
SPEAKER = re.compile(
    r"^(?:\[(?:rank|Rank|RANK|default|worker)[ :]?(\d+)\]:? ?|\[\d+,(\d+)\]<std(?:out|err)>: ?"
    r"|\([A-Za-z_.: ]+ pid=(\d+)(?:, ip=[^)]*)?\) ?)"
)
LABEL = re.compile(r"^ ?(\d+): ?(?=Traceback|  File )")
GROUPED = re.compile(r"^\s*[|+] ?")
# Python reports what it cannot raise, as in a destructor or on its way out, and goes on as if nothing had been.
UNRAISABLE = re.compile(
    r"^(?:Exception ignored (?:in|on|while)\b|Error in atexit\b|--- Logging error ---|Call stack:$)"
    r"|^Exception in callback |Task exception was never retrieved"
)
# What ends a thread does not end its program.
IN_A_THREAD = re.compile(r"^Exception in thread (?!MainThread)(?P<name>[^\n\"]{1,80}?):?$")
# What a shell is about to run, as it shows it where it was asked to.
SHELL = re.compile(r"^\++ \S")
LONGEST = 4000
# A message goes on over the indented lines below it, so far.
CONTINUED = 12
# Lines of something else that may stand inside a traceback, and behind one whose rank has fallen silent.
FOREIGN, SILENCE = 3, 200
KEPT = 40
# Letters of a line of code that are kept.
SHOWN = 300
# Innermost calls that are kept of a traceback.
CALLS = 12


def called(file: str, function: str) -> str:
    """A call in short: where its file lies in its package, and the function."""
    parts = re.split(r"[/\\](?:site-packages|dist-packages)[/\\]|[/\\]lib[/\\]python3[^/\\]*[/\\]", file)
    return f"{parts[-1][-120:]} {function[:80]}".replace("\\", "/")


@dataclass(frozen=True)
class Raised:
    """One exception, as its traceback tells it."""

    exception: str
    message: str
    where: Place | None
    frames: tuple[Place, ...]
    line: int
    """The line of the log that names it."""
    order: int
    """The same, counted with frames of bars, from 0."""
    run: str = ""
    chain: tuple[str, ...] = ()
    """The exceptions that led to it, the first one first."""
    spoken: int = 0
    """Lines of output up to it."""
    code: str = ""
    """The code at `where`, as the traceback shows it."""
    forward: Place | None = None
    """The user's line whose gradient failed, where autograd's search for NaN shows it before the exception."""
    calls: tuple[str, ...] = ()
    """Its innermost calls, whoever's they are: the end of the file's path and the function."""
    thread: str = ""
    """The thread that it ended; empty for the program's own."""

    def __str__(self) -> str:
        return f"{self.exception}: {self.message}".rstrip(": ")


@dataclass
class _Open:
    """A traceback under way, of one rank."""

    frames: list[Place] = field(default_factory=list)
    code: dict[Place, str] = field(default_factory=dict)
    """What the traceback shows of each frame: the line below it."""
    loose: tuple[Place, ...] = ()
    """Frames that were shown before, without an exception."""
    calls: list[str] = field(default_factory=list)
    inside: bool = False
    grouped: bool = False
    foreign: int = 0
    silent: int = 0
    last: Raised | None = None
    """What was named last, while its message may go on or another exception may follow from it."""
    lines: int = 0
    chained: bool = False
    unraisable: bool = False
    thread: str = ""


class Tracebacks:
    """Everything raised in a log: the first ones, the last ones, and how many there were."""

    def __init__(self) -> None:
        self.first: list[Raised] = []
        self.latest: deque[Raised] = deque(maxlen=KEPT)
        self.count = 0
        self.open: dict[str, _Open] = {}
        self.labels: set[str] = set()
        self.dumps: dict[str, Dump] = {}
        self.announced: dict[str, tuple[int, str]] = {}
        """Where a rank last said that an exception is ignored, or which thread it is of."""
        self.named: list[int] = []
        """Where exceptions were named since somebody last asked."""

    @property
    def busy(self) -> bool:
        return bool(self.open or self.dumps)

    def found(self) -> list[Raised]:
        """The first and the last ones, in order, each once."""
        for run in [*self.open, *self.dumps]:
            self._close(run)
        seen = {one.order for one in self.latest}
        return [one for one in self.first if one.order not in seen] + list(self.latest)

    def feed(self, raw: bytes, number: int, order: int) -> bool:
        """Take one line; whether it belongs to a traceback."""
        line = text(raw[:LONGEST]).rstrip()
        run, line = self._speaker(line)
        dump = self.dumps.get(run)
        if dump is not None and dump.takes(line):
            return True
        fatal, thread = FATAL.match(line), IN_A_THREAD.match(line)
        if dump is not None or fatal is not None or thread is not None or UNRAISABLE.match(line):
            self._close(run)
        if fatal is not None:
            self.dumps[run] = Dump(fatal["message"], number, order)
            self.named.append(order)
            return True
        if thread is not None or UNRAISABLE.match(line):
            self.announced[run] = order, thread["name"] if thread is not None else ""
            return False
        state = self.open.get(run)
        for name in [name for name in self.open if name != run]:
            self.open[name].silent += 1
            if self.open[name].silent > SILENCE:
                self._close(name)
        begins = BEGIN in line
        if state is None:
            if not begins and not FRAME.match(line):
                return False
            state = self.open[run] = _Open()
            if not begins:
                self._announce(state, run, order, chained=False)
        state.silent = 0
        return self._step(state, run, line, begins, number, order)

    def _speaker(self, line: str) -> tuple[str, str]:
        found = SPEAKER.match(line)
        if found is None:
            label = LABEL.match(line)
            if label is not None:
                self.labels.add(label[1])
            if self.labels and (found := re.match(r"^ ?(\d+): ?", line)) is not None and found[1] not in self.labels:
                found = None
        if found is None:
            return "", line
        rank = next((group for group in found.groups() if group), "0")
        return f"rank {int(rank[:6])}", line[found.end() :]

    def _step(self, state: _Open, run: str, line: str, begins: bool, number: int, order: int) -> bool:
        if begins:
            nested = line.lstrip("| +").startswith(NESTED) or OF_A_RANK.search(line) is not None
            chained = state.chained or nested
            if not chained:
                self._keep(state)
            state.loose = tuple(state.frames) if state.inside and state.last is None else ()
            state.frames, state.calls, state.code = [], [], {}
            state.inside, state.foreign, state.chained = True, 0, chained
            state.grouped = state.grouped or "Exception Group" in line
            self._announce(state, run, order, chained=chained)
            return True
        if state.grouped:
            line = GROUPED.sub("", line)
        frame = FRAME.match(line) or BOXED.match(line)
        if frame is not None:
            if state.last is not None and not state.inside and not state.chained:
                self._keep(state)
                state.frames, state.calls = [], []
            state.frames.append(Place(frame["file"], int(frame["line"][:9])))
            state.calls.append(called(frame["file"], frame["name"] or ""))
            state.inside, state.foreign = True, 0
            return True
        if not line.strip():
            return state.inside or state.last is not None
        indented = (line[0].isspace() or line[0] in "│╭╰|+^~>") and not SHELL.match(line)
        if state.inside:
            if indented and state.frames:
                state.code.setdefault(state.frames[-1], line.strip(" >|│")[:SHOWN])
            return indented or self._named(state, run, line, number, order)
        return self._after(state, run, line, indented)

    def _announce(self, state: _Open, run: str, order: int, *, chained: bool) -> None:
        """Whose a traceback is, where the lines above it said so."""
        said, thread = self.announced.pop(run, (-FOREIGN - 1, ""))
        if not chained:
            state.unraisable, state.thread = False, ""
        if order - said <= FOREIGN:
            state.unraisable, state.thread = not thread, thread

    def _named(self, state: _Open, run: str, line: str, number: int, order: int) -> bool:
        """The line that ends a traceback; something else may have been written in between."""
        ending = ENDING.match(line)
        plausible = ending is not None and ("." in ending["name"] or ending["name"][0].isupper() or not state.frames)
        if ending is None or not plausible:
            state.foreign += 1
            if state.foreign > FOREIGN:
                self._close(run)
            return False
        before = state.last if state.chained else None
        own = [f for f in state.frames if not LIBRARY.search(f.file)]
        if not own and before is not None:
            own = list(before.frames)
        where = own[-1] if own else state.frames[-1] if state.frames else None
        name, message = ending["name"].rsplit(".", 1)[-1], ending["message"] or ""
        chain = (*before.chain, str(before)[:300]) if before is not None else ()
        code = state.code.get(where, "") if where is not None else ""
        state.last = Raised(
            name, message, where, tuple(own[-5:]), number, order, run, chain[-6:],
            code=code, forward=_forward(state), calls=tuple(state.calls[-CALLS:]), thread=state.thread,
        )  # fmt: skip
        state.inside, state.lines, state.chained = False, 0, False
        self.named.append(order)
        return True

    def _after(self, state: _Open, run: str, line: str, indented: bool) -> bool:
        """Below the exception: its message goes on, another follows from it, or it is over."""
        if line.lstrip().startswith(CHAINS):
            state.chained = True
            return True
        state.lines += 1
        if state.grouped and line.lstrip("-+ ").rstrip("-+ ").isdigit():
            state.chained, state.lines = True, 0
            return True
        if indented and state.last is not None and state.lines <= CONTINUED:
            message = f"{state.last.message} {' '.join(line.split())}".strip()
            state.last = replace(state.last, message=message[:LONGEST])
            return True
        if line.startswith(NESTED):
            state.chained = True
            return True
        if not state.chained or state.lines > CONTINUED:
            self._close(run)
        return False

    def _keep(self, state: _Open) -> None:
        if state.last is None or state.unraisable:
            state.last = None
            return
        self._found(state.last)
        state.last = None

    def _found(self, one: Raised) -> None:
        self.count += 1
        if len(self.first) < KEPT:
            self.first.append(one)
        self.latest.append(one)

    def _close(self, run: str) -> None:
        state, dump = self.open.pop(run, None), self.dumps.pop(run, None)
        if state is not None:
            self._keep(state)
        if dump is not None:
            self._found(_fatal(dump, run))


def _forward(state: _Open) -> Place | None:
    """The innermost of the user's frames that were shown right before a traceback."""
    return next((f for f in reversed(state.loose) if not LIBRARY.search(f.file)), None)


def _fatal(dump: Dump, run: str) -> Raised:
    """Python's last word, at the innermost line of the user's."""
    own = [frame for frame in dump.frames if not LIBRARY.search(frame.file)]
    where = next(iter([*own, *dump.frames]), None)
    calls = [called(frame.file, name) for frame, name in zip(dump.frames, dump.names, strict=True)][:CALLS]
    return Raised(
        FATAL_ERROR, dump.message[:LONGEST], where, tuple(own[:5][::-1]), dump.number, dump.order, run,
        calls=tuple(calls[::-1]),
    )  # fmt: skip
