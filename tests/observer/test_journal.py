"""The recording as a file: it rolls over and stays small, is readable at any moment and wherever it is cut."""

from __future__ import annotations

import errno
import functools
import itertools
import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from recorded import block
from stetho.observer import guard, twin
from stetho.observer.record import journal, thinning
from stetho.observer.record.journal import Journal
from stetho.recording import Recording, read, read_process

SEGMENT, SEGMENTS = 20_000, 6
ONCE = ("attached", "run", "loader", "optimizer")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments of a few lines, thinned at once: a process of its own would still be at work when we look."""
    monkeypatch.setattr(journal, "SEGMENT", SEGMENT)
    monkeypatch.setattr(twin, "refusal", lambda: "the test does not wait")


def loss(step: int) -> float:
    return 1.0 / (1 + step)


def write_steps(into: Journal, first: int, count: int, size: int = 10) -> None:
    """Blocks of steps whose loss tells which step it is."""
    for start in range(first, first + count, size):
        body = block(start, [loss(i) for i in range(start, start + size)], lr=[[0.1]], order=["zfbs"])
        body.pop("e")
        into.write_plain("steps", body)


def begin(folder: Path) -> Journal:
    """A journal with everything in it that is said once."""
    made = Journal(str(folder))
    made.write("attached", pid=os.getpid(), torch="2.0")
    made.write("run", argv=["train.py"], cwd="/home/me", rank=0, world=1)
    made.write("loader", l=0, site=made.site([("/home/me/train.py", 3, "main")]), samples=100)
    made.write("optimizer", o=0, name="SGD", site=made.site([("/home/me/train.py", 4, "main")]))
    return made


def right(found: Recording) -> bool:
    """Whether every step has the number of the step that it is."""
    return all(s.losses == ((7, loss(s.index)),) for s in found.steps)


def size_of(folder: Path) -> int:
    return sum(f.stat().st_size for f in folder.iterdir())


def in_child(work: Callable[[], object]) -> int:
    """Do something in a forked child; its number."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return child


def exit_code(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_segments_follow_each_other(small: None, tmp_path: Path) -> None:
    written = begin(tmp_path)
    write_steps(written, 0, 1000)
    assert written.segment >= 2
    assert all(f.stat().st_size <= SEGMENT for f in tmp_path.iterdir())
    found = read(tmp_path)
    assert [s.index for s in found.steps] == list(range(1000)) and right(found)
    assert found.segments == written.segment + 1


def test_a_long_recording_stays_small_and_keeps_what_matters(small: None, tmp_path: Path) -> None:
    written = begin(tmp_path)
    for n in range(400):
        write_steps(written, 50 * n, 50)
        written.write("epoch", l=0, step=50 * n)
        if n == 200:
            written.write("skipped", o=0, i=50 * n, scale=1.0)
            written.write("origin", step=50 * n, op="log", phase="forward", site=0)
        assert size_of(tmp_path) <= SEGMENT * (SEGMENTS + 1)
    written.write("end", reason="bound")
    found = read(tmp_path)
    indices = [s.index for s in found.steps]
    assert written.segment > 8 * SEGMENTS, "so much was written that most of it had to go"
    assert right(found) and indices == sorted(set(indices))
    assert indices[0] == 0 and indices[-1] == 50 * 400 - 1
    assert len(indices) < 10_000 and max(b - a for a, b in itertools.pairwise(indices)) <= 2_000
    assert all(len(found.of(kind)) == 1 for kind in (*ONCE, "skipped", "origin", "end"))
    assert len(found.sites) == 2 and found.place(found.of("optimizer")[0]["site"]).line == 4  # type: ignore[union-attr]


def test_thinning_in_a_process_of_its_own_leaves_whole_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(journal, "SEGMENT", SEGMENT)
    written = begin(tmp_path)
    for n in range(60):
        write_steps(written, 50 * n, 50)
        assert right(read(tmp_path))
    paths = [written.path(s) for s in range(written.segment)]
    while not thinning.locked(paths[0]):
        os.sched_yield()
    assert any(b'"e":"thinned"' in Path(p).read_bytes() for p in paths)
    assert not list(tmp_path.glob("*.thinner"))


def test_a_disk_that_fills_while_a_segment_is_thinned_costs_nothing(
    small: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    written = begin(tmp_path)
    write_steps(written, 0, 500)
    path = Path(written.path(1))
    before = path.read_bytes()
    monkeypatch.setattr(thinning, "every_second", functools.partial(fail, OSError(errno.ENOSPC, "no space")))
    with pytest.raises(OSError, match="no space"):
        thinning.thin(str(path))
    assert path.read_bytes() == before and not list(tmp_path.glob("*.thinner"))


def fail(error: BaseException, *_: object) -> None:
    raise error


def test_a_recording_cut_anywhere_gives_what_came_before(tmp_path: Path) -> None:
    written = begin(tmp_path)
    for start in range(0, 12, 3):
        write_steps(written, start, 3, 3)
        written.write("epoch", l=0, step=start)
    data = Path(written.path(0)).read_bytes()
    whole = read(tmp_path)
    cut = tmp_path / "cut.jsonl"
    seen = set()
    for offset in range(len(data) + 1):
        cut.write_bytes(data[:offset])
        part = read_process([cut], str)
        seen.add(len(part.steps))
        assert part.steps == whole.steps[: len(part.steps)]
        assert part.events == whole.events[: len(part.events)]
        assert part.sites == {k: v for k, v in whole.sites.items() if k in part.sites}
        # A line is complete without the end of line behind it.
        assert len(part.events) + len(part.sites) in (data[:offset].count(b"\n"), data[:offset].count(b"\n") + 1)
    assert seen == {0, 3, 6, 9, 12}


def test_a_recording_with_bytes_lost_or_spoiled_costs_those_lines_alone(tmp_path: Path) -> None:
    written = begin(tmp_path)
    write_steps(written, 0, 300)
    data = Path(written.path(0)).read_bytes()
    spoiled, draw = tmp_path / "spoiled.jsonl", random.Random(0)
    for _ in range(200):
        a, b = sorted(draw.sample(range(len(data)), 2))
        b = min(b, a + 400)
        spoiled.write_bytes(data[:a] + draw.randbytes(draw.choice((0, b - a))) + data[b:])
        steps = read_process([spoiled], str).steps
        # Within a line that lost some bytes a number may have lost a digit.
        assert sum(s.losses == ((7, loss(s.index)),) for s in steps) >= 300 - 10 * (1 + data[a:b].count(b"\n"))


def test_it_can_be_read_while_it_is_written(small: None, tmp_path: Path) -> None:
    def work() -> None:
        written = begin(tmp_path)
        for n in range(300):
            write_steps(written, 10 * n, 10)
            if n % 10 == 0:
                time.sleep(0.001)

    child = in_child(work)
    counts: list[int] = []
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        found = read(tmp_path)
        assert right(found)
        counts.append(found.steps[-1].index if found.steps else -1)
    assert counts == sorted(counts) and len(set(counts)) > 2, "it was seen to grow"
    assert read(tmp_path).steps[-1].index == 2999


def test_a_forked_child_writes_a_file_of_its_own(tmp_path: Path) -> None:
    written = begin(tmp_path)
    gathered = ["of the parent"]
    written.gathering.append(lambda: written.write("handed-over", what=gathered.pop()) if gathered else None)

    def work() -> None:
        written.flush()
        written.forget()
        written.write("optimizer", o=0, name="Adam", site=written.site([("/home/me/child.py", 9, "main")]))

    child = in_child(work)
    assert exit_code(child) == 0
    written.flush()
    mine, its = (read_process([tmp_path / f"r0-{pid}.jsonl"], str) for pid in (os.getpid(), child))
    assert [e.kind for e in its.events] == ["optimizer"] and its.place(its.of("optimizer")[0]["site"]).line == 9  # type: ignore[union-attr]
    assert len(mine.of("handed-over")) == 1 and not its.of("handed-over")
    assert mine.of("optimizer")[0]["name"] == "SGD"


def test_what_json_cannot_hold_is_written_as_text(tmp_path: Path) -> None:
    class Odd:
        def __str__(self) -> str:
            return "odd"

    written = begin(tmp_path)
    odd = "a lone \ud800, a nul \x00, an end\nof line, \u2028, é, 😀"
    written.write(
        "odd", nan=float("nan"), inf=[float("inf"), (-float("inf"),)], text=odd, **{odd: {1: Odd()}}, none=None
    )
    written.site([("/home/\udcff.py", 1, "main")])

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    lines = Path(written.path(0)).read_bytes().decode("ascii").split("\n")
    assert [json.loads(line, parse_constant=refuse) for line in lines if line][-2] == {
        "e": "odd", "nan": "nan", "inf": ["inf", ["-inf"]], "text": odd, odd: {"1": "odd"}, "none": None,
    }  # fmt: skip
    assert read(tmp_path).sites[2][0].file == "/home/\udcff.py"


def test_lines_of_several_threads_do_not_mix(small: None, tmp_path: Path) -> None:
    written = begin(tmp_path)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)

    def work(number: int) -> None:
        for n in range(200):
            written.write("note", thread=number, n=n, filling="x" * (17 * n % 300))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    lines = [line for s in range(written.segment + 1) for line in Path(written.path(s)).read_bytes().splitlines()]
    assert all(isinstance(json.loads(line), dict) for line in lines) and not written.broken
    # Some were thinned; of those that stayed, each thread's are in order.
    notes = read(tmp_path).of("note")
    for number in range(4):
        own = [e["n"] for e in notes if e["thread"] == number]
        assert own and own == sorted(set(own))


@pytest.fixture
def alarm() -> Iterator[Callable[[Callable[[int, object], object]], Callable[[float], None]]]:
    """Sets the handler of an alarm; what it gives rings once, after so many seconds."""

    def handled_by(handler: Callable[[int, object], object]) -> Callable[[float], None]:
        signal.signal(signal.SIGALRM, handler)
        return lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds) and None

    before = signal.getsignal(signal.SIGALRM)
    yield handled_by
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_signal_handler_may_write_while_a_line_is_written(
    small: None, alarm, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(journal, "SEGMENTS", 10_000)
    written = begin(tmp_path)
    rung: list[int] = []

    def ring(number: int, frame: object) -> None:
        rung.append(number)
        written.write("skipped", o=0, i=len(rung), filling="y" * 2000)

    rings_after = alarm(ring)
    for n in range(1000):
        rings_after(1e-6 * (1 + n % 60))
        written.write("raw", step=n, x="x" * 500)
    rings_after(0)
    assert len(rung) > 100 and not written.broken and written.segment > 3
    found = read(tmp_path)
    # A second alarm may ring while the handler of the first still runs.
    assert sorted(e["i"] for e in found.of("skipped")) == list(range(1, len(rung) + 1))
    assert [e["step"] for e in found.of("raw")] == list(range(1000))


def test_what_a_signal_handler_raises_reaches_the_program(alarm, tmp_path: Path) -> None:
    """A TimeoutError is an OSError, and must not be taken for a disk that is full."""
    written = begin(tmp_path)

    def late(number: int, frame: object) -> None:
        raise TimeoutError("late")

    rings_after = alarm(late)
    for n in range(300):
        with pytest.raises(TimeoutError, match="late"):
            rings_after(1e-4)
            until = time.monotonic() + 5.0
            while time.monotonic() < until:
                written.write("note", n=n)
    assert not written.broken
    written.write("last")
    assert read(tmp_path).of("last") == [{}]


def test_the_programs_descriptors_have_the_numbers_they_have_without_it(small: None, tmp_path: Path) -> None:
    free = os.open(os.devnull, os.O_RDONLY)
    os.close(free)
    written = begin(tmp_path)
    write_steps(written, 0, 500)
    assert written.segment and written.descriptor >= journal.ASIDE
    again = os.open(os.devnull, os.O_RDONLY)
    os.close(again)
    assert again == free
    assert not os.get_inheritable(written.descriptor)


def test_a_descriptor_that_the_program_closes_and_uses_is_not_written_to(tmp_path: Path) -> None:
    written = begin(tmp_path)
    number = written.descriptor
    own = os.open(tmp_path / "own.txt", os.O_WRONLY | os.O_CREAT)
    os.dup2(own, number)
    write_steps(written, 0, 20)
    assert (tmp_path / "own.txt").read_bytes() == b"" and written.descriptor != number
    os.close(own)
    os.close(number)
    assert len(read(tmp_path).steps) == 20


def test_where_few_files_may_be_open_the_number_is_an_ordinary_one(tmp_path: Path) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (journal.ASIDE // 2, hard))
    try:
        written = begin(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert not written.broken and written.descriptor < journal.ASIDE and len(read(tmp_path).events) == 4


def test_an_error_in_what_is_gathered_is_on_record(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The fault comes from the steps that are to be written, and these are written before the recording ends."""
    written = begin(tmp_path)
    written.gathering.append(functools.partial(fail, RuntimeError("in the gathering")))
    for name, value in (("journal", written), ("off", False), ("thread", None), ("holders", [])):
        monkeypatch.setattr(guard, name, value)
    assert guard.guarded(written.flush)() is None
    assert guard.off and "RuntimeError: in the gathering in flush" in read(tmp_path).faults[0]
