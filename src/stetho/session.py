"""A session under way, such as a notebook's, observed from inside: attach, record, detach, measure."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType

from stetho import attachment, catalogue, config, measure, observation, observer, recording
from stetho.case import Case, Request, new_case, writable_root
from stetho.errors import StethoError
from stetho.experiment import Plan
from stetho.inquiry import BASE, Inquiry
from stetho.measure import Measured


@dataclass(frozen=True)
class Left:
    """How the observed block was left."""

    seconds: float
    code: int | None = 0
    stopped_by: str | None = None
    signal: str | None = None
    injection_error: str | None = None


class Session:
    """What `stetho.observe()` gives: where the recording is, and what it says."""

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = path
        self.case: Case | None = None
        """The case that was opened; None inside `stetho run` or `why`, whose recording then serves."""
        self.folder: Path | None = None
        self.request = Request((), os.getcwd(), None, 0.0, symptom=None, experiments=False, created=time.time())
        self.begun = time.monotonic()
        self.detach: Callable[[], None] = lambda: None

    @property
    def recording(self) -> Path:
        """The folder that the observer writes to."""
        if self.folder is None:
            raise StethoError("nothing is recorded yet; use it as: with stetho.observe() as session:")
        return self.folder

    def __enter__(self) -> Session:
        if self.folder is not None:
            raise StethoError("this session is over, or under way; call stetho.observe() again for another")
        if observer.recording is not None:
            raise StethoError(f"this process is observed already, into {observer.recording}; end that first")
        injected = getattr(sys.modules.get("_stetho_observer"), "recording", None)
        if injected is not None:
            self.folder = Path(injected)
            return self
        root, moved = writable_root(Path(self.path or config.load(Path.cwd()).case))
        if moved:
            warnings.warn(f"stetho: {moved}", stacklevel=2)
        self.case = new_case(root, self.request)
        self.folder = self.case.recordings / BASE
        self.folder.mkdir()
        self.begun = time.monotonic()
        self.detach = observer.attach(asdict(Plan(str(self.folder), seed=None)))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.detach()
        seconds = time.monotonic() - self.begun
        if isinstance(error, KeyboardInterrupt):
            left = Left(seconds, None, "interrupt")
        else:
            left = Left(seconds, 0 if error is None else 1)
        try:
            self._file(left)
            why_not = self.why_not()
        except Exception as wrong:  # noqa: BLE001 - measuring must not break the session; what was caught is said
            why_not = f"the recording could not be judged: {wrong!r}"
        if why_not and error is None:
            warnings.warn(f"stetho: {why_not}", stacklevel=2)

    def facts(self) -> list[Measured]:
        """Every fact that was measured, each with a sentence that says it."""
        return list(measure.facts(recording.read(self.recording)))

    def why_not(self) -> str:
        """Why no step was recorded, or not all were; empty when nothing went wrong."""
        record = recording.read(self.recording)
        if record.faults:
            return f"the observer switched itself off: {record.faults[0]}"
        return attachment.why_not(record, self.recording, ())

    def _file(self, left: Left) -> None:
        """Put the facts on record, so that `stetho cases resume` can judge them."""
        if self.case is None:
            return
        with self.case.open_ledger() as ledger:
            inquiry = Inquiry(self.case, ledger, self.request, catalogue.load(), lambda line: None, lambda line: None)
            record = recording.read(self.recording, inquiry.users_path)
            observation.put_end(inquiry, left, record)
            observation.put_facts(inquiry, record)
