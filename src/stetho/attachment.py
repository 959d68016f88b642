"""Why a run could not be observed, from what was seen of the Pythons that it started."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from stetho.observer.arrival import ARRIVALS
from stetho.recording import Recording

INJECT = str(Path(__file__).parent / "observer" / "inject")
ISOLATE = str(Path(__file__).parent / "isolation" / "isolate.py")
PYTHON = re.compile(r"(python|pypy)[0-9.]*(\.exe)?")
# Seconds between two looks at the running processes: soon after the start, then ever more rarely.
FIRST_LOOK, LAST_LOOK, SLOWER = 0.05, 5.0, 1.2


@dataclass(frozen=True)
class Python:
    """An interpreter that a run started: its command line, and what of the observer's variables reached it."""

    words: tuple[str, ...]
    pid: int | None = None
    path: str | None = None
    """Its PYTHONPATH."""
    planned: bool | None = None
    """Whether STETHO_PLAN was in its environment; None when that could not be read."""

    @property
    def flags(self) -> str:
        """The letters of its options, up to the program it runs."""
        found = ""
        rest = iter(self.words[1:])
        for word in rest:
            options = re.fullmatch("-([A-Za-z?]*?)([cmWX].*)?", word)
            if word == "-" or options is None:
                break
            letters, with_value = options.groups(default="")
            found += letters
            if with_value.startswith(("c", "m")):
                break
            if with_value in ("W", "X"):
                next(rest, None)
        return found

    def __str__(self) -> str:
        line = " ".join(self.words)
        return line if len(line) <= 80 else line[:77] + "..."


class Witness:
    """Looks, from outside, at the Pythons that this process starts: one that was missed can say nothing itself."""

    def __init__(self) -> None:
        self.found: dict[int, Python] = {}
        self.own: tuple[str, ...] = ()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._look_on, daemon=True)

    def __enter__(self) -> Witness:
        self.thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.over.set()
        self.thread.join()

    @property
    def pythons(self) -> tuple[Python, ...]:
        return tuple(self.found.values())

    def _look_on(self) -> None:
        pause = FIRST_LOOK
        while not self.over.wait(pause):
            self.look()
            pause = min(LAST_LOOK, pause * SLOWER)

    def look(self) -> None:
        """Note what is new; a process may become another program, and the last one counts."""
        import psutil

        try:
            own = psutil.Process()
            self.own = self.own or tuple(own.cmdline())
            running = own.children(recursive=True)
        except psutil.Error:
            return
        for process in running:
            try:
                words = tuple(process.cmdline())
                if words == self.own:
                    # Forked from this process, and not yet what it will become.
                    continue
                known = self.found.get(process.pid)
                # An environment that could not be read, as in the middle of an exec, is asked for again.
                old = known is not None and known.words == words and known.planned is not None
                if is_python(words) and ISOLATE not in words and not old:
                    self.found[process.pid] = Python(words, _own_pid(process.pid), *_variables(process))
            except (psutil.Error, OSError):
                continue


def _own_pid(pid: int) -> int:
    """The number by which a process knows itself; in a namespace of its own it has another one."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as handle:
            numbers = next((line.split()[1:] for line in handle if line.startswith("NSpid:")), [])
    except OSError:
        numbers = []
    return int(numbers[-1]) if numbers else pid


def _variables(process: object) -> tuple[str | None, bool | None]:
    import psutil

    try:
        environment = process.environ()  # type: ignore[attr-defined]
    except (psutil.Error, OSError):
        return None, None
    return environment.get("PYTHONPATH"), "STETHO_PLAN" in environment


def is_python(words: Sequence[str]) -> bool:
    return bool(words) and PYTHON.fullmatch(os.path.basename(words[0])) is not None


def arrivals(folder: Path) -> tuple[Python, ...]:
    """The interpreters that loaded the observer, each by the mark it left."""
    found = []
    try:
        lines = (folder / ARRIVALS).read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return ()
    for line in lines:
        try:
            mark = json.loads(line)
            found.append(Python(tuple(map(str, mark["words"])), int(mark["pid"]), planned=True))
        except (ValueError, LookupError, TypeError):
            continue
    return tuple(found)


def why_not(
    record: Recording,
    folder: Path,
    command: Sequence[str],
    seen: Sequence[Python] | None = None,
    error: str | None = None,
) -> str:
    """Why no step was recorded, in words that name the mechanism; empty when steps were recorded.

    `seen` is what a Witness saw, None without one; `error` is what the observer left as it failed to start. Without
    a command, it was this very process that was observed.
    """
    if record.steps:
        return ""
    if error:
        return f"the observer failed as it started: {error.strip().splitlines()[-1]}"
    if record.faults:
        return f"the observer switched itself off: {record.faults[0]}"
    if not command:
        return _without_steps(record) if record.attached else "torch was not imported while it was observed"
    reached = arrivals(folder)
    known = {python.pid for python in reached}
    missed = [python for python in seen or () if python.pid not in known]
    if not reached and is_python(command):
        missed.append(Python(tuple(command)))
    reason = next((r for r in map(kept_out, missed) if r), "")
    inside = _without_steps(record) if record.attached else _without_torch(reached)
    if inside and reason:
        return f"{inside}, and {reason}"
    if inside or reason:
        return inside or reason
    if seen is not None and not missed:
        return f"no Python was seen to be started by '{command[0]}', and only Python can be observed"
    return "no Python that the command started loaded the observer"


def kept_out(python: Python) -> str:
    """What kept the observer out of an interpreter; empty when nothing that is known did."""
    flags = python.flags
    hook = f"stetho run --install-hook {python.words[0]} lets it in"
    if "S" in flags:
        return f"a Python was started with -S, which no observer gets past ({python})"
    if python.planned is False:
        return (
            "a Python was started in an environment without STETHO_PLAN, as env -i or sudo make it, so the observer "
            f"was not loaded ({python}); keep that variable and PYTHONPATH, or use stetho.observe() in the program"
        )
    for flag in "IE":
        if flag in flags:
            return f"a Python was started with -{flag}, so the observer was not loaded ({python}); {hook}"
    entries = (python.path or "").split(os.pathsep)
    if python.planned and INJECT not in entries:
        set_to = f"set to '{python.path}'" if python.path else "cleared"
        return f"a Python was started with PYTHONPATH {set_to}, so the observer was not loaded ({python}); {hook}"
    before = entries[: entries.index(INJECT)] if INJECT in entries else []
    hiding = next((e for e in before if os.path.exists(os.path.join(e, "sitecustomize.py"))), None)
    if python.planned and hiding is not None:
        return f"the sitecustomize.py in '{hiding}' comes before the observer's on PYTHONPATH ({python}); {hook}"
    return ""


def _without_torch(reached: Sequence[Python]) -> str:
    if not reached:
        return ""
    times = "once" if len(reached) == 1 else f"{len(reached)} times"
    return f"Python was started {times} and never imported torch ({reached[0]})"


def _without_steps(record: Recording) -> str:
    names = sorted({str(made.get("name")) for made in record.of("optimizer")})
    made = f"of the optimizers made ({', '.join(names)}) none stepped" if names else "no torch optimizer was made"
    return f"torch was imported, but {made} ({record.backwards} backward calls were seen)"
