from collections.abc import Iterator

from stetho.amounts import duration
from stetho.check import Finding, check
from stetho.evidence import Place
from stetho.facts import Waiting
from stetho.waits import in_collective, told

LOCK = {"thread": 4711, "name": "python", "state": "S", "waits_for": "a lock or a signal of another thread"}
DISK = {"thread": 4711, "name": "python", "state": "D", "waits_for": "an NFS server"}


@check(
    reads=Waiting,
    root="process progress",
    background=0.02,
    fires={
        "silent for ten minutes": {
            "pid": 4711,
            "threads": [LOCK],
            "cores": 0.0,
            "moved": 0,
            "watched": 0.7,
            "quiet": 600.0,
        },
        "a rank that does not come to a collective": {
            "pid": 4711,
            "threads": [
                {**LOCK, "frames": [{"function": "all_reduce", "file": "torch/distributed/c10d.py", "line": 9}]}
            ],
            "cores": 0.0,
            "moved": 0,
            "watched": 0.7,
            "quiet": 600.0,
            "others": [{**LOCK, "thread": 4712, "frames": [{"function": "load", "file": "train.py", "line": 6}]}],
        },
        "its folder does not answer": {
            "pid": 4711,
            "threads": [DISK],
            "cores": 0.0,
            "moved": 0,
            "watched": 0.7,
            "reachable": False,
        },
        "in a dead network disk": {
            "pid": 4711,
            "threads": [DISK],
            "cores": 0.0,
            "moved": 0,
            "watched": 0.7,
            "quiet": 45.0,
        },
    },
    quiet={
        "busy, and asked for": {
            "pid": 4711,
            "threads": [LOCK],
            "cores": 1.0,
            "moved": 0,
            "watched": 0.7,
            "quiet": 600.0,
        },
        "stopped, which is told by itself": {
            "pid": 4711,
            "threads": [{**LOCK, "state": "T"}],
            "cores": 0.0,
            "moved": 0,
            "watched": 0.7,
            "quiet": 600.0,
        },
        "wrote a line just now": {
            "pid": 4711,
            "threads": [LOCK],
            "cores": 0.01,
            "moved": 80,
            "watched": 0.7,
            "quiet": 4.0,
        },
        "data still arrives": {
            "pid": 4711,
            "threads": [LOCK],
            "cores": 0.02,
            "moved": 9_000_000,
            "watched": 0.7,
            "quiet": 600.0,
        },
        "a session that waits for its user": {
            "pid": 4711,
            "threads": [{**LOCK, "waits_for": "input from a terminal"}],
            "cores": 0.0,
            "moved": 0,
            "watched": 0.7,
            "quiet": 600.0,
        },
        "it is not known when it last wrote": {
            "pid": 4711,
            "threads": [LOCK],
            "cores": 0.0,
            "moved": 0,
            "watched": 0.7,
        },
    },
    given={"none/healthy": 0.01, "env/hang": 0.7},
)
def hung_waiting(
    found: Waiting, *, silent: float = 120.0, trickle: int = 65_536, idle: float = 0.03
) -> Iterator[Finding]:
    """The run does not compute, moves no data and has written nothing for a while: its threads wait.

    ## Why it matters
    It will not go on by itself if what it waits for does not come: another rank, a lock, a file server.

    ## False alarms
    A device that computes for minutes without a line of output while the processor sleeps; a program that is meant to
    wait, as a server.
    """
    if found.moved > trickle or not found.threads or (found.quiet is None and found.reachable):
        return
    main = found.threads[0]
    if main.waits_for == "input from a terminal" or main.state in ("T", "t") or found.cores > idle:
        return
    stuck = main.state == "D" and (found.quiet is None or found.quiet >= silent / 4)
    if (found.quiet or 0) < silent and not stuck:
        return
    since = f"for {duration(found.quiet)}" if found.quiet is not None else "while its folder does not answer"
    what = f"its main thread waits for {main.waits_for}" if main.waits_for else "what it waits for is not known"
    hard = ", and cannot be interrupted" if main.state == "D" else ""
    python = f", in {told(main.frames)}" if main.frames else ""
    # One rank waits in a collective: those that are elsewhere are the ones to look at.
    apart = [one for one in found.others if one.frames and not in_collective(one.frames)]
    late = f"; pid {apart[0].thread} has not come there, it is in {told(apart[0].frames)}" if apart else ""
    late = late if in_collective(main.frames) else ""
    seen = apart[0].frames if late else main.frames
    where = tuple(Place(one.file, one.line) for one in seen[:1])
    yield Finding(f"pid {found.pid} has done nothing {since}: {what}{hard}{python}{late}", where=where)
