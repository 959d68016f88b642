"""torch.autograd.set_detect_anomaly: where a backward pass first gives NaN."""

from __future__ import annotations

import re
from pathlib import Path

from bench.judge.answer import Answer
from bench.judge.case import Place
from bench.judge.injection import run_with
from bench.judge.running import run, scratch
from bench.judge.subject import Subject

TOOL = "detect_anomaly"
LIMIT = 120.0
# What it says names an operation; read in the plainest way, that is a cause.
NAMED = {
    "Log": "num/log-of-zero", "Sqrt": "num/sqrt-at-zero", "Norm": "num/sqrt-at-zero", "Div": "num/division-by-zero",
    "Exp": "num/overflow", "Pow": "num/overflow", "Reciprocal": "num/division-by-zero",
}  # fmt: skip
SAID = re.compile(r"Function '(\w+?)Backward\w*' returned nan values")
FRAME = re.compile(r'File "([^"]+)", line (\d+)')


def version() -> str:
    import torch

    return f"torch {torch.__version__}"


def answer(subject: Subject, version: str) -> Answer:
    with scratch() as folder:
        project = Path(folder) / subject.base
        ran = run_with("anomaly.py", subject, project, LIMIT)
        plain = Path(folder) / "plain" / subject.base
        subject.lay(plain)
        alone = run(subject.command, plain, seconds=LIMIT)
        found = SAID.search(ran.output)
        places = tuple(
            Place(str(Path(file).relative_to(project)), int(line))
            for file, line in FRAME.findall(ran.output)
            if Path(file).is_relative_to(project)
        )
    known = dict(seconds=ran.seconds, processor=round(ran.processor, 2), plain=round(alone.processor, 2), runs=1.0)
    if found is None:
        return Answer(TOOL, version, subject.id, subject.digest, "clear", (("none/healthy", 0.5),), **known)  # type: ignore[arg-type]
    cause = next((cause for name, cause in NAMED.items() if found[1].startswith(name)), "other/unlisted")
    return Answer(
        TOOL,
        version,
        subject.id,
        subject.digest,
        "suspected",
        ((cause, 0.5),),
        places=places[:3],
        said=found[0],
        **known,  # type: ignore[arg-type]
    )
