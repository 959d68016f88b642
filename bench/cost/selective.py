"""TrainCheck's selective mode on the same programs: it cannot be switched inside a process, so runs are compared.

As in its own evaluation, invariants are learned from a short reference run and a hundred of them are deployed. The
program times the second half of its steps itself, so that TrainCheck's long start does not count.
"""

from __future__ import annotations

import hashlib
import random
import re
import shutil
import tempfile
from pathlib import Path

from cost import commands
from cost.commands import Failed
from cost.measurements import Compared
from cost.ratios import Pair, ratio

REFERENCE_STEPS = 4
DEPLOYED = 100
HALVES = re.compile(r"first and second half of (\d+) steps: ([\d.]+) ([\d.]+)")


def compare(program: str, steps: int, pairs: int, python: Path) -> Compared:
    """Step time under selective instrumentation over step time of the plain program, in one environment."""
    timed: list[Pair] = []
    source = str(commands.HERE / "programs.py")
    try:
        invariants = learned(program, python)
        for _ in range(pairs):
            off = second_half(commands.run([str(python), source, program, str(steps)], _environment(python)).output)
            on = second_half(collected(program, steps, python, invariants))
            timed.append((off, on, off, on))
    except (Failed, OSError) as error:
        return Compared(program, "traincheck", None, why=str(error))
    return Compared(program, "traincheck", ratio(timed))


def second_half(output: str) -> float:
    """Seconds of processor time per step, as the program said at its end."""
    found = HALVES.findall(output)
    if not found:
        raise Failed("the program did not reach its end")
    steps, _, later = found[-1]
    return float(later) / (int(steps) - int(steps) // 2)


def learned(program: str, python: Path) -> Path:
    """The invariants for a program; learning them takes minutes, so they are kept beside the environment."""
    source = (commands.HERE / "programs.py").read_bytes()
    kept = python.parent.parent / "invariants" / f"{program}-{hashlib.sha256(source).hexdigest()[:12]}.json"
    if not kept.exists():
        with tempfile.TemporaryDirectory(prefix="stetho-overhead-", dir="/var/tmp") as folder:
            project = Path(folder)
            _collect(program, REFERENCE_STEPS, python, project, [])
            found = project / "invariants.json"
            learn = [str(python.parent / "traincheck-infer"), "-f", str(project / "trace"), "-o", str(found)]
            commands.run(learn, _environment(python), project)
            lines = found.read_text().splitlines()
        kept.parent.mkdir(exist_ok=True)
        kept.write_text("\n".join(random.Random(0).sample(lines, min(DEPLOYED, len(lines)))) + "\n")
    return kept


def collected(program: str, steps: int, python: Path, invariants: Path) -> str:
    """What the program printed while TrainCheck collected what the invariants need."""
    with tempfile.TemporaryDirectory(prefix="stetho-overhead-", dir="/var/tmp") as folder:
        return _collect(program, steps, python, Path(folder), ["-i", str(invariants)])


def _collect(program: str, steps: int, python: Path, project: Path, options: list[str]) -> str:
    shutil.copy(commands.HERE / "programs.py", project / "train.py")
    (project / "run.sh").write_text(f"python train.py {program} {steps}\n")
    command = [
        str(python.parent / "traincheck-collect"),
        "-p",
        "train.py",
        "-s",
        "run.sh",
        "--models-to-track",
        "model",
    ]
    commands.run([*command, "--output-dir", str(project / "trace"), *options], _environment(python), project)
    return (project / "trace" / "program_output.txt").read_text()


def _environment(python: Path) -> dict[str, str]:
    """TrainCheck's shell script says `python` and must find the environment's."""
    plain = commands.plain_environment()
    return {**plain, "PATH": f"{python.parent}:{plain['PATH']}"}
