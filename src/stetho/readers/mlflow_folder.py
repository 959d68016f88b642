import math
import os
import re
from collections.abc import Iterator
from pathlib import Path

from stetho.artifact import Artifact, artifact_at
from stetho.facts import Config, ConfigValue, ReportedEnd
from stetho.formats import settings
from stetho.formats.blocks import blocks
from stetho.formats.rows import named, number_in
from stetho.reader import Example, Flaw, Piece, reader
from stetho.readers.mlflow import ending
from stetho.series import Series

# A run's status is kept as a number.
STATUS = {"1": "RUNNING", "2": "SCHEDULED", "3": "FINISHED", "4": "FAILED", "5": "KILLED"}
MOST_FILES = 5000
LARGEST_PARAMETER = 64 * 1024
MEMBER = re.compile(r"^(\w+):[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)
LARGEST = 1 << 62
META = "artifact_uri: file:///x\nend_time: null\nrun_id: abc\nrun_name: one\nstart_time: 1000\nstatus: 1\n"


def _sure(artifact: Artifact) -> float:
    return 0.95 if "meta.yaml" in artifact.names and artifact.names & {"metrics", "params"} else 0.0


@reader(
    gives=(ReportedEnd, Config),
    recognises=_sure,
    examples={
        "a run that never ended": Example(
            {"meta.yaml": META, "metrics/train/loss": "2000 0.5 1\n3000 nan 2\n", "params/lr": "0.1"},
            series={"train/loss": [0.5, float("nan")]},
            facts=(
                Config("MLflow", (ConfigValue("lr", "0.1", 0.1),), 1),
                ReportedEnd("MLflow", "open", "RUNNING", started=1.0),
            ),
        ),
        "a line that was cut off": Example(
            {"meta.yaml": META.replace("status: 1", "status: 3"), "metrics/loss": "2000 0.5 1\n3000"},
            series={"loss": [0.5]},
            facts=(ReportedEnd("MLflow", "finished", "FINISHED", started=1.0),),
            flaws=1,
        ),
    },
)
def mlflow_folder(artifact: Artifact) -> Iterator[Piece]:
    """The folder in which MLflow keeps a run, when it keeps runs in files.

    ## What it reads
    Every point of its metrics with step and time, its parameters, and its status: a run that is said to be running has
    died or is still going on.

    ## What it leaves
    Tags, artifacts, and files that are links to others.
    """
    for name, file in _files(artifact.path / "metrics"):
        yield from _metric(name, file, f"{artifact.name}/metrics/{name}")
    parameters: list[settings.Placed] = []
    for name, file in _files(artifact.path / "params"):
        found = artifact_at(file)
        text = found.part(0, LARGEST_PARAMETER).decode("utf-8", "replace") if found else ""
        parameters.append((name.replace("/", "."), text.strip(), None))
    read = settings.reading("MLflow", parameters)
    if read is not None:
        yield read
    about = artifact_at(artifact.path / "meta.yaml")
    if about is None or about.folder:
        return
    members = dict(MEMBER.findall(about.part(0, LARGEST_PARAMETER).decode("utf-8", "replace")))
    status = members.get("status", "").strip("'\"")
    start, end = (number_in(members.get(key, "")) for key in ("start_time", "end_time"))
    yield ending(STATUS.get(status, named(status)), start, end, "")


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Plain files below a folder, by their paths within it; links lead elsewhere and are not followed."""
    count = 0
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            file = Path(place, name)
            count += 1
            if count > MOST_FILES:
                return
            if not file.is_symlink():
                yield named(file.relative_to(folder).as_posix()), file


def _metric(name: str, file: Path, shown: str) -> Iterator[Piece]:
    """The points of one metric: a time in milliseconds, a value, and a step on each line."""
    import numpy as np

    from stetho.formats.separated import quick

    columns: list[tuple[np.ndarray, np.ndarray]] = []
    bad = 0
    if (found := artifact_at(file)) is None or found.folder:
        return
    try:
        with file.open("rb") as handle:
            for block in blocks(handle):
                cells = None if block.unended or not block.lines else quick(block.lines, b" ", 3)
                if cells is not None and bool(cells[1].all()):
                    values = cells[0]
                    lines = np.arange(block.first, block.first + len(values), dtype=np.int64)
                else:
                    rows = [(n, _point(line)) for n, line in enumerate(block.lines.split(b"\n")[:-1], block.first)]
                    bad = bad or next((n for n, row in rows if row is None), 0)
                    lines = np.array([n for n, row in rows if row], np.int64)
                    values = np.array([row for _, row in rows if row], np.float64).reshape(-1, 3)
                columns.append((lines, values))
    except OSError as error:
        yield Flaw(f"metrics/{name} cannot be read: {error.strerror}")
    if bad:
        yield Flaw(f"metrics/{name}: a line is no point, or was cut off", line=bad)
    if any(len(lines) for lines, _ in columns):
        at = np.concatenate([lines for lines, _ in columns])
        times, values, steps = np.concatenate([held for _, held in columns]).T
        whole = np.where(np.abs(steps) < LARGEST, steps, 0).astype(np.int64)
        yield Series(name, values, shown, whole, None, times / 1000, at, "line")


def _point(line: bytes) -> tuple[float, float, float] | tuple[()] | None:
    """Time, value and step; nothing for a blank line, None for what is no point."""
    cells = line.decode("utf-8", "replace").split()
    if not cells:
        return ()
    numbers = [number_in(cell) for cell in cells[:3]]
    if len(numbers) < 2 or None in numbers:
        return None
    time, value, step = (*numbers, 0.0)[:3]
    usable = time is not None and value is not None and step is not None and not math.isnan(time + step)
    return (time, value, step) if usable else None  # type: ignore[return-value]
