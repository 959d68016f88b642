import re
from collections.abc import Iterator, Sequence

from stetho.artifact import Artifact
from stetho.formats.blocks import blocks
from stetho.formats.columns import Columns
from stetho.formats.rows import named, number_in, time_in
from stetho.reader import Example, Flaw, Piece, reader

ASKED = re.compile(
    r"^(utilization\.\w+|memory\.\w+|temperature\.\w+|power\.\w+|clocks\S*|pstate|fan\.speed|pci\.\S+|gpu_\w+|ecc\.\S+"
    r"|retired_pages\.\S+|vbios_version|driver_version|compute_cap|count|uuid|index|name|serial|timestamp)( \[\S+\])?$"
)
ENOUGH = 2
IDENTITY = ("index", "gpu_bus_id", "pci.bus_id", "uuid", "gpu_uuid", "serial", "gpu_serial")
UNIT = re.compile(r"^(-?[0-9]+(?:\.[0-9]+)?) ?(%|[MG]iB|[MG]?B|m?W|[MG]?Hz|C|x)?$")
STATES = {"Active": 1.0, "Not Active": 0.0, "Enabled": 1.0, "Disabled": 0.0}
PERFORMANCE = re.compile(r"^P([0-9]{1,2})$")
MOST_GPUS = 64
LOG = """timestamp, index, utilization.gpu [%], memory.used [MiB], pstate
2024/01/01 00:00:00.500, 0, 98 %, 1000 MiB, P0
2024/01/01 00:00:00.500, 1, 0 %, 2000 MiB, P8
2024/01/01 00:00:01.500, 0, 97 %, [N/A], P0
"""


def _names(head: str) -> list[str]:
    """The names of the columns, without their units; none where they are not what nvidia-smi is asked for."""
    first = head.split("\n", 1)[0].strip()
    names = [name.strip() for name in first.split(",")]
    if not all(map(ASKED.match, names)) or sum("." in name or name == "pstate" for name in names) < ENOUGH - 1:
        return []
    return [name.split(" [")[0] for name in names] if len(names) >= ENOUGH else []


def _sure(artifact: Artifact) -> float:
    return 0.95 if artifact.is_text and _names(artifact.head[:4096].decode("utf-8", "replace")) else 0.0


@reader(
    recognises=_sure,
    examples={
        "two GPUs": Example(
            LOG,
            series={
                "gpu0/utilization.gpu": [98, 97], "gpu0/memory.used": [1000], "gpu0/pstate": [0, 0],
                "gpu1/utilization.gpu": [0], "gpu1/memory.used": [2000], "gpu1/pstate": [8],
            },
        ),
        "cut off": Example(
            "name, utilization.gpu [%], memory.used [MiB]\nA100, 98 %, 1000 MiB\nA100, 9",
            series={"gpu0/utilization.gpu": [98], "gpu0/memory.used": [1000]},
            flaws=1,
        ),
    },
)  # fmt: skip
def nvidia_smi(artifact: Artifact) -> Iterator[Piece]:
    """What nvidia-smi writes when it is asked again and again, as rows of comma-separated values.

    ## What it reads
    Every number of every GPU, without its unit, under the GPU and the name that was asked for; the time of each row.
    GPUs are told apart by their index, bus or id, and otherwise by their order at one time. Performance states and
    flags become numbers, P0 a 0 and active a 1.

    ## What it leaves
    What a GPU does not support, names, and output that was written without its header.
    """
    log = _Log(artifact.name, _names(artifact.head[:4096].decode("utf-8", "replace")))
    try:
        with artifact.opened() as handle:
            for block in blocks(handle) if log.names else ():
                lines = block.lines.decode("utf-8", "replace").split("\n")[:-1]
                last = block.first + len(lines) - 1 if block.unended else 0
                for line, text in enumerate(lines, block.first):
                    log.add(line, text, line == last)
    except OSError as error:
        yield Flaw(f"cannot be read: {error.strerror}")
    if log.cut:
        yield Flaw("cut off within its last row", line=log.cut)
    if log.bad:
        yield Flaw("rows with other columns than the header has", line=log.bad)
    for _, held in log.gpus.values():
        yield from held.series()


class _Log:
    """The rows of a log, GPU by GPU."""

    def __init__(self, file: str, names: list[str]) -> None:
        self.file, self.names = file, names
        self.gpus: dict[str, tuple[str, Columns]] = {}
        self.bad = self.cut = 0
        self._identity = next((names.index(name) for name in IDENTITY if name in names), None)
        self._time = names.index("timestamp") if "timestamp" in names else None
        self._before, self._turn = "", 0

    def add(self, line: int, text: str, unended: bool) -> None:
        """One line: a row, a header that came again, or what is none."""
        cells = [cell.strip() for cell in text.split(",")]
        if line == 1 or not text.strip() or [cell.split(" [")[0] for cell in cells] == self.names:
            return
        if len(cells) != len(self.names):
            self.cut, self.bad = (line, self.bad) if unended else (self.cut, self.bad or line)
            return
        if (gpu := self._gpu(cells, line)) is not None:
            gpu[1].row(line, _numbers(self.names, cells, gpu[0]))

    def _gpu(self, cells: Sequence[str], line: int) -> tuple[str, Columns] | None:
        """The GPU of a row, and what it is called: by its index, or by when it was first met."""
        time = str(line) if self._time is None else cells[self._time]
        self._turn = self._turn + 1 if time == self._before else 0
        self._before = time
        key = str(self._turn) if self._identity is None else cells[self._identity]
        if key not in self.gpus:
            if len(self.gpus) >= MOST_GPUS:
                return None
            told = self._identity is not None and self.names[self._identity] == "index" and key.isdigit()
            self.gpus[key] = f"gpu{key if told else len(self.gpus)}", Columns(self.file)
        return self.gpus[key]


def _numbers(names: Sequence[str], cells: Sequence[str], gpu: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, cell in zip(names, cells, strict=True):
        if name == "timestamp":
            value = time_in(cell)
        elif name in IDENTITY:
            continue
        else:
            value = _value(cell)
            name = f"{gpu}/{name}"
        if value is not None:
            found[named(name)] = value
    return found


def _value(cell: str) -> float | None:
    if cell in STATES:
        return STATES[cell]
    if (found := UNIT.match(cell)) is not None:
        return number_in(found[1])
    if (found := PERFORMANCE.match(cell)) is not None:
        return float(found[1])
    return float(int(cell, 16)) if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", cell) else None
