import re
from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.evidence import Json
from stetho.facts import ReportedEnd
from stetho.formats.columns import Columns
from stetho.formats.json_text import Broken, document, flaw
from stetho.formats.rows import numbers
from stetho.reader import Example, Piece, Reading, reader

STATE = """{
  "best_metric": 0.4, "best_global_step": 20, "epoch": 1.0, "global_step": 20,
  "log_history": [
    {"epoch": 0.5, "grad_norm": 2.0, "learning_rate": 0.1, "loss": 0.5, "step": 10},
    {"epoch": 1.0, "eval_loss": 0.4, "step": 20}
  ],
  "max_steps": 40, "num_train_epochs": 2
}
"""
CURVES = {"grad_norm": [2.0], "learning_rate": [0.1], "loss": [0.5], "eval_loss": [0.4]}
DONE = STATE.replace('"max_steps": 40', '"max_steps": 20')
KEYS = re.compile(rb'"(global_step|log_history|epoch|is_world_process_zero|best_metric|total_flos|max_steps)"\s*:')
ENOUGH = 3


def _sure(artifact: Artifact) -> float:
    """By the names of its members, of which no other document has as many."""
    head = artifact.head
    if head.lstrip()[:1] != b"{":
        return 0.0
    found = set(KEYS.findall(head))
    return 0.95 if len(found) >= ENOUGH and {b"global_step", b"log_history"} <= found else 0.0


@reader(
    gives=(ReportedEnd,),
    recognises=_sure,
    examples={
        "in the middle of the run": Example(
            STATE,
            series=CURVES,
            facts=(ReportedEnd("Trainer", "open", "", None, 20, 40, 1.0, 2.0, 0.4, 20),),
        ),
        "at its end": Example(
            DONE, series=CURVES, facts=(ReportedEnd("Trainer", "finished", "", None, 20, 20, 1.0, 2.0, 0.4, 20),)
        ),
        "cut off": Example(
            STATE[:210], series={k: v for k, v in CURVES.items() if k != "eval_loss"},
            facts=(ReportedEnd("Trainer", "open", step=20),), flaws=1,
        ),
    },
)  # fmt: skip
def trainer_state(artifact: Artifact) -> Iterator[Piece]:
    """The state that the Trainer of Hugging Face writes with every checkpoint: its log, and how far it came.

    ## What it reads
    Every number of the log, at its step and epoch; those of evaluations are told by `eval_` before their names. The
    last step and the planned one, from which it follows whether the run was complete when this was written.

    ## What it leaves
    The settings of callbacks. A state within a checkpoint is from the middle of the run: the newest one counts.
    """
    text = document(artifact)
    columns = Columns(artifact.name)
    found: dict[str, Json] = {}
    summed = False
    try:
        for key in text.members():
            if key != "log_history" or text.peek() != "[":
                found[key] = text.value()
                continue
            for begin, row in text.items():
                if isinstance(row, dict):
                    columns.row(text.line(begin), numbers(row))
                    summed = summed or "train_runtime" in row
    except Broken as broken:
        yield flaw(artifact, text, broken)
    yield from columns.series()
    if found:
        yield _end(found, summed)


def _end(found: dict[str, Json], summed: bool) -> Reading:
    """Whether it was complete: the planned steps are done, or the sums that end a training are written."""
    step, planned = _whole(found.get("global_step")), _whole(found.get("max_steps"))
    done = summed or (step is not None and planned is not None and step >= planned > 0)
    of = f" of {planned}" if planned else ""
    end = ReportedEnd(
        "Trainer",
        "finished" if done else "open",
        step=step,
        planned_steps=planned,
        epoch=_number(found.get("epoch")),
        planned_epochs=_number(found.get("num_train_epochs")),
        best=_number(found.get("best_metric")),
        best_at=_whole(found.get("best_global_step")),
    )
    return Reading(end, f"the Trainer's state is of step {step}{of}: {'complete' if done else 'not complete'}")


def _number(value: Json) -> float | None:
    return float(value) if isinstance(value, (int, float)) and abs(value) < 1e300 else None


def _whole(value: Json) -> int | None:
    return int(value) if isinstance(value, (int, float)) and abs(value) < 2**62 else None
