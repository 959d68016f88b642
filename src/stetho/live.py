"""A run as it goes: each alarm raised once, and where the run stands in one line."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import median

from stetho import alarms
from stetho.alarms import Alarm
from stetho.evidence import Place
from stetho.tail import Stepped, Tail, Track

BARS = "▁▂▃▄▅▆▇█"
PLAIN_BARS = "_.-~=+*#"
SPARK = 16
# Seconds without a step after which it is watched whether the program computes, and between two such looks.
QUIET, ASK_AGAIN = 20.0, 5.0
# Cores that a program keeps busy on average when it is not idle.
AT_WORK = 0.1


class Lookout:
    """Reads what the run has recorded since the last look, and raises what is new to worry about."""

    def __init__(
        self,
        tail: Tail,
        *,
        now: float,
        spent: Callable[[], float] = lambda: 0.0,
        stall_after: float | None = None,
        users_path: Callable[[str], str] = lambda path: path,
    ) -> None:
        self.tail = tail
        self.spent = spent
        self.stall_after = stall_after
        self.users_path = users_path
        self.raised: list[Alarm] = []
        self.moved = now
        self.quiet: tuple[float, float] | None = None
        """When a long silence was noticed, and the processor time that the program had taken until then."""
        self.asked = now
        self.judged: dict[int, int] = {}
        """The levels of each track that have been looked at."""
        self.bad: dict[int, int] = {}
        """Bad steps in a row, for runs in which a few are normal."""

    def look(self, now: float) -> list[Alarm]:
        """The alarms that are new."""
        steps = self.tail.read()
        before = len(self.raised)
        for step in steps:
            self._nonfinite(step)
        for track in self.tail.tracks.values():
            self._scaler(track)
            self._divergence(track)
        if steps:
            self.resume(now)
        else:
            self._stall(now)
        return self.raised[before:]

    def resume(self, now: float) -> None:
        """Count from now on; a run that was suspended for a while has not stalled."""
        self.moved, self.quiet = now, None

    def has(self, kind: str) -> bool:
        return any(alarm.kind == kind for alarm in self.raised)

    def _nonfinite(self, step: Stepped) -> None:
        if self.has("nan"):
            return
        text = alarms.nonfinite([value for _, value in step.losses], step.gradient)
        key = id(step.track)
        self.bad[key] = self.bad.get(key, 0) + 1 if text else 0
        if text and self.bad[key] >= (alarms.SCALER_PATIENCE if step.track.process.scaled else 1):
            bad = [site for site, value in step.losses if not math.isfinite(value)]
            self._raise("nan", step.index, text, step.track, bad[0] if bad else step.track.site)

    def _scaler(self, track: Track) -> None:
        text = alarms.scaler_stuck(track.left_out)
        if text and not self.has("nan"):
            self._raise("nan", track.steps, text, track, track.site)

    def _divergence(self, track: Track) -> None:
        """Only a run with one objective has a loss that must fall: adversaries and critics rise by turns."""
        levels = track.loss.levels
        if (
            self.has("nan")
            or self.has("divergence")
            or self.judged.get(id(track)) == len(levels)
            or self._objectives(track) > 1
        ):
            return
        self.judged[id(track)] = len(levels)
        losses = track.process.losses
        likelihood = not track.mixed and all(losses.values()) and bool(losses) and set(losses) <= alarms.LIKELIHOODS
        text = alarms.divergence(track.loss.first, levels, track.loss.width, likelihood=likelihood)
        if text:
            self._raise("divergence", track.steps - 1, text, track, track.site)

    def _objectives(self, track: Track) -> int:
        return sum(t.process is track.process and bool(t.loss.first) for t in self.tail.tracks.values())

    def _stall(self, now: float) -> None:
        main = self.tail.main
        if (
            main is None
            or self._finished(main)
            or any(a.kind == "stall" and a.step == main.steps - 1 for a in self.raised)
        ):
            return
        busy = self._busy(now) if self.stall_after is None else False
        if busy is None:
            return
        text = alarms.stall(now - self.moved, main.longest, main.steps, busy=busy, after=self.stall_after)
        if text:
            self._raise("stall", main.steps - 1, text, main, None)

    def _busy(self, now: float) -> bool | None:
        """Whether the program has computed since it went quiet; None while it is too early to say."""
        if now - self.moved <= QUIET or now - self.asked < ASK_AGAIN:
            return None
        self.asked = now
        if self.quiet is None:
            self.quiet = (now, self.spent())
            return None
        then, used = self.quiet
        return self.spent() - used > AT_WORK * (now - then)

    def _finished(self, main: Track) -> bool:
        return main.process.planned is not None and main.steps >= main.process.planned

    def _raise(self, kind: alarms.Kind, step: int, text: str, track: Track, site: int | None) -> None:
        place = track.process.sites.get(site) if site is not None else None
        known = Place(self.users_path(place.file), place.line) if place is not None else None
        self.raised.append(Alarm(kind, step, text, known))


def status(tail: Tail, raised: Sequence[Alarm], width: int, *, bars: str = BARS) -> str:
    """Where the run stands, in one line that fits; what matters least is left out first."""
    main = tail.main
    if main is None:
        return _fitted(["stetho", "torch is loaded, no step yet" if tail.attached else "no torch yet"], width)
    planned = main.process.planned
    parts = ["stetho", f"step {main.steps}" + (f"/{planned}" if planned and planned >= main.steps else "")]
    if main.loss.newest is not None:
        parts.append(f"loss {main.loss.newest:.4g} {sparkline(main.loss.recent, bars)}".rstrip())
    if raised:
        parts.append(f"{raised[-1].kind.upper()} at step {raised[-1].step}")
    if main.gradient is not None:
        parts.append(f"grad {main.gradient:.3g}")
    if main.paces:
        parts.append(pace(sum(main.paces) / len(main.paces)))
    if tail.faults:
        parts.append("observer off")
    return _fitted(parts, width)


def _fitted(parts: list[str], width: int) -> str:
    while len(parts) > 2 and len("  ".join(parts)) > width:
        parts.pop()
    return "  ".join(parts)[: max(0, width)]


def pace(seconds: float) -> str:
    """Speed in the unit that reads best."""
    if seconds >= 1:
        return f"{seconds:.3g} s/step"
    return f"{1 / seconds:.3g} steps/s" if seconds > 0 else ""


def sparkline(values: Sequence[float], bars: str = BARS, width: int = SPARK) -> str:
    """The newest values as a row of bars; a stretch with no number in it is an x."""
    if len(values) < 2:
        return ""
    known = list(values)
    size = max(1.0, len(known) / width)
    stretches = [known[int(i * size) : int((i + 1) * size)] for i in range(min(width, len(known)))]
    heights = [median(finite) if (finite := [v for v in s if math.isfinite(v)]) else None for s in stretches]
    found = [h for h in heights if h is not None]
    low, high = min(found, default=0.0), max(found, default=0.0)
    spread = high - low
    if not spread or not math.isfinite(spread):
        return "".join("x" if h is None else bars[0] for h in heights)
    top = len(bars) - 1
    return "".join("x" if h is None else bars[round((h - low) / spread * top)] for h in heights)
