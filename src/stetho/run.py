"""A real run, observed: recorded into a case as it goes, warned about at once, summed up at its end."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from stetho import attachment, catalogue, late, observation, recording, snapshot
from stetho.case import Case, Request, new_case
from stetho.errors import StethoError
from stetho.executors import direct
from stetho.executors.relay import Relay
from stetho.experiment import Plan
from stetho.inquiry import BASE, Inquiry, path_from
from stetho.live import BARS, PLAIN_BARS, Lookout, status
from stetho.output import Elsewhere, Kept
from stetho.render.inert import on_one_line
from stetho.screen import Screen, usable
from stetho.summary import summary
from stetho.tail import Tail

TERMINAL = 2


@dataclass(frozen=True)
class Wishes:
    """What the user asked for beside the command."""

    stop_on: frozenset[str] = field(default_factory=frozenset)
    stall_after: float | None = None
    quiet: bool = False
    ring: Mapping[str, float] | None = field(default_factory=dict)
    """Bounds of the recent state that is kept, where they are not the usual ones; None keeps none."""


def run(root: Path, request: Request, wishes: Wishes) -> int:
    """Run the command as if stetho were not there, and file what it did. The exit code is the command's own."""
    _open_standard_streams()
    case = new_case(root, request)
    _at_no_cost(lambda: snapshot.keep(case.path, request.command, request.cwd))
    folder = case.recordings / BASE
    folder.mkdir()
    plan_file = case.path / "plan.json"
    ring = None if wishes.ring is None else {"folder": str(late.folder_of(case)), **wishes.ring}
    plan_file.write_text(json.dumps(asdict(Plan(str(folder), None, ring=ring))))
    _file(case, request, observation.probe)
    screen = Screen(TERMINAL, colour="NO_COLOR" not in os.environ) if wants_status(wishes) else None
    output, past_us = folder / "output.txt", Elsewhere()
    relay = Relay(screen, Kept(output).add) if screen else None
    watch = Watch(case, request, wishes, screen)
    try:
        ran = direct.run(request.command, plan_file, watch, relay)
        watch.look()
    finally:
        if screen:
            screen.release()
    if relay is None:
        past_us.copy_to(output)
    if not wishes.quiet:
        _at_no_cost(lambda: watch.tell(*summary(watch.lookout, ran, case.path, request, watch.why_not(folder, ran))))
    _file(case, request, lambda inquiry: put(inquiry, ran, watch))
    return ran.exit_code


def wants_status(wishes: Wishes) -> bool:
    """On a terminal that nobody else writes to: what reads our output from a pipe may do so, as `| less` does."""
    mode = os.fstat(1).st_mode
    return not wishes.quiet and usable(TERMINAL) and not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


def _open_standard_streams() -> None:
    """Whoever starts us with one closed would otherwise have our own files in its place."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(number, True)


class Watch(direct.Watcher):
    """Reads the recording while it is written; shows where the run stands, warns, and asks for its end."""

    def __init__(self, case: Case, request: Request, wishes: Wishes, screen: Screen | None) -> None:
        self.wishes = wishes
        self.screen = screen
        self.lookout = Lookout(
            Tail(case.recordings / BASE),
            now=time.monotonic(),
            stall_after=wishes.stall_after,
            users_path=lambda path: path_from(request.cwd, path),
        )
        encoding = getattr(sys.stderr, "encoding", None) or ""
        self.bars = BARS if encoding.lower().replace("-", "") == "utf8" else PLAIN_BARS
        self.failed = False
        self.command = request.command
        self.witness = attachment.Witness()
        self.next_witness, self.pause = 0.0, attachment.FIRST_LOOK

    def begun(self, family: direct.Family) -> None:
        self.lookout.spent = family.spent

    def resumed(self) -> None:
        self.lookout.resume(time.monotonic())

    def look(self) -> str | None:
        """Whatever goes wrong here is no reason to disturb the run: it goes on unwatched."""
        if self.failed:
            return None
        try:
            return self._look()
        except Exception as error:  # noqa: BLE001 - the run is the user's, and goes on
            self.failed = True
            self.tell(f"the run is no longer watched: {error!r}")
            return None

    def why_not(self, folder: Path, ran: direct.Ran) -> str:
        """Why no step was recorded; empty when steps were."""
        if self.lookout.tail.main is not None:
            return ""
        return attachment.why_not(
            recording.read(folder), folder, self.command, self.witness.pythons, ran.injection_error
        )

    def _look(self) -> str | None:
        now = time.monotonic()
        new = self.lookout.look(now)
        if not self.lookout.tail.attached and now > self.next_witness:
            self.witness.look()
            self.pause = min(attachment.LAST_LOOK, self.pause * attachment.SLOWER)
            self.next_witness = now + self.pause
        for alarm in new:
            self.tell(str(alarm))
        if self.screen:
            raised = self.lookout.raised
            line = status(self.lookout.tail, raised, self.screen.columns - 3, bars=self.bars)
            self.screen.show(f" {line}", alarmed=bool(raised))
        reason = next((a.kind for a in new if a.kind in self.wishes.stop_on), None)
        if reason:
            self.tell(f"ending the run, as --stop-on {reason} asks")
        return reason

    def tell(self, *lines: str) -> None:
        """Lines of our own on standard error, among the program's."""
        for line in lines:
            if self.screen:
                self.screen.say(f"stetho: {on_one_line(line)}")
            else:
                say(line)


def put(inquiry: Inquiry, ran: direct.Ran, watch: Watch) -> None:
    """What the run left, on the record of its case."""
    folder = inquiry.case.recordings / BASE
    record = recording.read(folder, inquiry.users_path)
    observation.put_end(inquiry, ran, record, watch.witness.pythons)
    if (folder / "output.txt").exists():
        observation.put_output(inquiry, ran, folder / "output.txt")
    observation.put_facts(inquiry, record)
    for alarm in watch.lookout.raised:
        inquiry.ledger.add_note(f"raised while it ran: {alarm}")


def _file(case: Case, request: Request, add: Callable[[Inquiry], None]) -> None:
    """Add to the record of the case."""

    def open_and_add() -> None:
        with case.open_ledger() as ledger:
            add(Inquiry(case, ledger, request, catalogue.load(), lambda line: None, lambda line: None))

    _at_no_cost(open_and_add)


def _at_no_cost(act: Callable[[], None]) -> None:
    """Whatever becomes of our own work, the run happens and its exit code is the command's; what failed is said."""
    try:
        act()
    except KeyboardInterrupt:
        say("interrupted; the recording is kept, and stetho why reads it")
    except Exception as error:  # noqa: BLE001 - the user's run is not to suffer
        say(f"the case is not complete: {error if isinstance(error, StethoError) else repr(error)}")


def say(line: str) -> None:
    """One line on standard error, past any buffer; a terminal that is gone has no reader."""
    with contextlib.suppress(OSError):
        os.write(TERMINAL, f"stetho: {on_one_line(line)}\n".encode("utf-8", "backslashreplace"))
