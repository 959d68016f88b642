import re
from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.facts import Frame, SavedStack, SavedStacks
from stetho.formats.rows import named, time_in
from stetho.reader import Example, Flaw, Piece, Reading, reader
from stetho.waits import parse_dump

PROCESS = re.compile(r"^Process (?P<pid>\d{1,10}): ?(?P<command>.*)$")
THREAD = re.compile(
    r"^Thread (?:0x[0-9A-Fa-f]{1,16}|\d{1,12})(?:[/ ]\S{1,20})? \((?P<state>[a-z+]{1,20})\)"
    r"(?:: ?\"?(?P<name>[^\"]*)\"?)?"
)
FRAME = re.compile(r"^ {2,}(?P<function>[^\s(][^(]{0,200}?) \((?P<file>[^()]{1,400}?)(?::(?P<line>\d{1,9}))?\)\s*$")
TAKEN = re.compile(r"\b(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?(?:Z|[+-]\d\d:\d\d)?)")
ENOUGH_LINES, MOST_LINES, MOST_STACKS, MOST_FRAMES, LARGEST = 200, 40_000, 400, 60, 8 << 20
TEXT = """Process 4711: python train.py
Python v3.11.9 (/usr/bin/python3.11)

Thread 4711 (idle): "MainThread"
    wait (threading.py:331)
    main (train.py:52)
Thread 0x7F3C (active): "Thread-1"
    run (threading.py:982)
"""
SAVED = (
    SavedStack(4711, (Frame("wait", "threading.py", 331), Frame("main", "train.py", 52)), True, "MainThread", 4),
    SavedStack(4711, (Frame("run", "threading.py", 982),), False, "Thread-1", 7),
)
JSON = (
    '[{"pid": 4711, "thread_id": 1, "os_thread_id": 4711, "thread_name": "MainThread", "active": false, '
    '"frames": [{"name": "wait", "filename": "threading.py", "line": 331}]}]'
)


def _sure(artifact: Artifact) -> float:
    if not artifact.is_text:
        return 0.0
    head = artifact.head
    if head.lstrip()[:1] == b"[":
        return 0.95 if b'"thread_id"' in head and b'"frames"' in head and b'"pid"' in head else 0.0
    lines = head[:32768].decode("utf-8", "replace").split("\n")[:ENOUGH_LINES]
    threads = sum(THREAD.match(line) is not None for line in lines)
    frames = sum(FRAME.match(line) is not None for line in lines)
    around = sum(PROCESS.match(line) is not None or line.startswith(("Python v", "#")) for line in lines)
    # A log that quotes a dump is a log: most of what is not blank must be of the dump.
    spoken = sum(bool(line.strip()) for line in lines)
    return 0.95 if threads and frames and threads + frames + around >= 0.8 * spoken else 0.0


@reader(
    gives=(SavedStacks,),
    recognises=_sure,
    examples={
        "text": Example(TEXT, facts=(SavedStacks(SAVED),)),
        "when it was taken": Example(
            "# taken 2024-05-01 12:00:00\n" + TEXT.split("\n\n")[0] + "\n\nThread 4711 (idle)\n    main (train.py:5)\n",
            facts=(
                SavedStacks((SavedStack(4711, (Frame("main", "train.py", 5),), True, line=5),), 1714564800.0),
            ),
        ),
        "JSON": Example(
            JSON, facts=(SavedStacks((SavedStack(4711, (Frame("wait", "threading.py", 331),), True, "MainThread"),)),)
        ),
    },
)  # fmt: skip
def py_spy(artifact: Artifact) -> Iterator[Piece]:
    """A saved `py-spy dump`: what every thread did when somebody looked at a process.

    ## What it reads
    Each thread's process, name, whether it waited, and its Python stack, of one process or of several one after
    another; the time of the look where a line before it gives one.

    ## What it leaves
    Native frames without a file, and local variables.
    """
    if artifact.size > LARGEST:
        yield Flaw(f"a dump of more than {LARGEST >> 20} MiB is not read")
        return
    if artifact.head.lstrip()[:1] == b"[":
        stacks, taken = _of_json(artifact.part(0, LARGEST).decode("utf-8", "replace")), None
    else:
        stacks, taken = _of_text(artifact)
    if stacks:
        processes = len({one.pid for one in stacks})
        waiting = sum(one.idle is True for one in stacks)
        words = f"stacks of {len(stacks)} threads of {processes} processes, {waiting} of them waiting"
        yield Reading(SavedStacks(tuple(stacks), taken), words, stacks[0].line)


def _of_json(text: str) -> list[SavedStack]:
    import json

    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return []
    told = [one for one in body if isinstance(one, dict)] if isinstance(body, list) else []
    idle = [not one["active"] if isinstance(one.get("active"), bool) else None for one in told]
    return [
        SavedStack(one.pid, one.frames, waits, one.name)
        for one, waits in zip(parse_dump(text)[:MOST_STACKS], idle, strict=False)
    ]


def _of_text(artifact: Artifact) -> tuple[list[SavedStack], float | None]:
    found: list[SavedStack] = []
    frames: list[Frame] = []
    pid, taken = 0, None
    begun: tuple[int, bool | None, str] | None = None

    def keep() -> None:
        if begun is not None and len(found) < MOST_STACKS:
            found.append(SavedStack(pid, tuple(frames), begun[1], begun[2], begun[0]))

    for number, line in enumerate(artifact.lines(), 1):
        if number > MOST_LINES:
            break
        line = line.rstrip("\r\n")
        if (process := PROCESS.match(line)) is not None:
            keep()
            begun, pid = None, int(process["pid"])
        elif (thread := THREAD.match(line)) is not None:
            keep()
            frames = []
            state = thread["state"].split("+")[0]
            idle = True if state == "idle" else False if state == "active" else None
            begun = number, idle, named(thread["name"] or "")
        elif (frame := FRAME.match(line)) is not None and begun is not None:
            if len(frames) < MOST_FRAMES:
                at = int(frame["line"]) if frame["line"] else None
                frames.append(Frame(named(frame["function"]), named(frame["file"]), at))
        elif taken is None and (time := TAKEN.search(line)) is not None:
            taken = time_in(time[1])
    keep()
    return found, taken
