"""One cell of the matrix: an intervention, applied to one of six programs, and what it has to show for itself."""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from stetho import catalogue, recording
from stetho.executors import local
from stetho.experiment import Bound, Job
from stetho.proof import moved_streams, why_not_applied
from stetho.recording import Recording

HERE = Path(__file__).parent / "styles"
STYLES = {
    "raw loop": ("raw.py",),
    "DataLoader": ("loader.py",),
    "trainer class": ("trainer.py",),
    "Lightning": ("with_lightning.py",),
    "HF Trainer": ("with_transformers.py",),
    "torchrun, 2 ranks": ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "ranks.py"),
}
STEPS = 10


@dataclass(frozen=True)
class Cell:
    """A changed run: whether it is evidence, and of what."""

    why_not: str
    record: Recording
    output: str
    code: int | None
    stopped_by: str | None
    seconds: float

    @property
    def losses(self) -> list[float]:
        steps = (step for step in self.record.steps if step.optimizer == 0 and step.losses)
        return [step.losses[-1][1] for step in steps if step.losses[-1][1] is not None]


def run(style: str, name: str = "", value: str = "", flags: tuple[str, ...] = (), steps: int | None = STEPS) -> Cell:
    """Run the program of a style under a change, or as it is, in isolation."""
    command = (sys.executable, *STYLES[style], *flags)
    changes: tuple[tuple[str, str, str], ...] = ()
    environment: dict[str, str] = {}
    if name:
        one = catalogue.load().interventions[name]
        one.check(value)
        command, environment = one.prepare(command, environment, value)
        changes = ((name, value, one.path),)
    with tempfile.TemporaryDirectory(prefix="stetho-styles-") as folder:
        for file in HERE.glob("*.py"):
            shutil.copy(file, folder)
        job = Job(command, folder, 0, Bound(120.0, steps), changes=changes, environment=environment)
        ran = local.run(job)
        try:
            record = recording.read(ran.recording)
            output = ran.output.read_text(errors="replace")
        finally:
            ran.discard()
    return Cell(why_not_applied(record) if name else "", record, output, ran.code, ran.stopped_by, ran.seconds)


def main() -> None:
    """One cell by hand: `python tests/interventions/cells.py STYLE NAME[=VALUE] [FLAGS]`; `base` is no change."""
    style = next(s for s in STYLES if s.startswith(sys.argv[1]))
    name, _, value = sys.argv[2].partition("=")
    base = run(style, flags=tuple(sys.argv[3:]))
    cell = run(style, "" if name == "base" else name, value, tuple(sys.argv[3:]))
    print(f"{style}: {name}={value}: {cell.why_not or 'applied'}; {cell.record.applied}")
    print(f"exit {cell.code}, stopped by {cell.stopped_by}")
    print("base   ", [round(v, 4) for v in base.losses])
    print("changed", [round(v, 4) for v in cell.losses], f"{cell.seconds:.1f} s")
    print("streams moved:", moved_streams(base.record, cell.record), "faults:", cell.record.faults)
    if cell.code:
        print(cell.output[-2000:])


if __name__ == "__main__":
    main()
