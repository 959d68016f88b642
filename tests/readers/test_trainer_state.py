"""The Trainer's state, as transformers writes it, whole or cut off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.readers.reading import at, flaws, mutated, read, series

from stetho.facts import ReportedEnd
from stetho.reader import Flaw, Piece, Reading
from stetho.readers.trainer_state import trainer_state
from stetho.series import Series

LOG: list[dict[str, Any]] = [
    row
    for step in range(10, 60, 10)
    for row in (
        {"epoch": step / 20, "grad_norm": 1.0, "learning_rate": 1e-3, "loss": step / 100, "step": step},
        {"epoch": step / 20, "eval_loss": step / 50, "eval_runtime": 2.0, "step": step},
    )
]
STATE: dict[str, Any] = {
    "best_global_step": None, "best_metric": None, "best_model_checkpoint": None, "epoch": 2.5, "eval_steps": 10,
    "global_step": 50, "is_hyper_param_search": False, "is_local_process_zero": True, "is_world_process_zero": True,
    "log_history": LOG, "logging_steps": 10, "max_steps": 100, "num_input_tokens_seen": 0, "num_train_epochs": 5,
    "save_steps": 500, "stateful_callbacks": {}, "total_flos": 0.0, "train_batch_size": 8, "trial_name": None,
}  # fmt: skip


def end(pieces: list[Piece]) -> ReportedEnd:
    (found,) = (one.fact for one in pieces if isinstance(one, Reading))
    assert isinstance(found, ReportedEnd)
    return found


def test_the_log_and_how_far_it_came(tmp_path: Path) -> None:
    text = json.dumps(STATE, indent=2, sort_keys=True) + "\n"
    pieces = read(trainer_state, text, tmp_path)
    assert trainer_state.recognises(at(text, tmp_path)) > 0.9
    assert set(series(pieces)) == {"grad_norm", "learning_rate", "loss", "eval_loss", "eval_runtime"}
    (loss,) = (one for one in pieces if isinstance(one, Series) and one.name == "loss")
    assert loss.steps is not None and loss.steps.tolist() == [10, 20, 30, 40, 50]
    assert loss.epochs is not None and loss.epochs.tolist() == [0.5, 1, 1.5, 2, 2.5]
    lines = text.splitlines()
    assert loss.at is not None and all(lines[line - 1].strip() == "{" for line in loss.at.tolist())
    said = end(pieces)
    assert (said.outcome, said.step, said.planned_steps, said.planned_epochs) == ("open", 50, 100, 5.0)


def test_it_is_complete_at_the_planned_step_or_with_its_sums(tmp_path: Path) -> None:
    assert end(read(trainer_state, json.dumps(STATE | {"max_steps": 50}), tmp_path)).outcome == "finished"
    early = [*LOG, {"epoch": 2.5, "step": 50, "train_loss": 0.3, "train_runtime": 12.0}]
    assert end(read(trainer_state, json.dumps(STATE | {"log_history": early}), tmp_path)).outcome == "finished"


def test_cut_off_anywhere_it_keeps_the_rows_before(tmp_path: Path) -> None:
    text = json.dumps(STATE)
    rows = [text.index(json.dumps(row)) + len(json.dumps(row)) for row in LOG]
    for cut in range(1, len(text)):
        pieces = read(trainer_state, text[:cut], tmp_path)
        found = series(pieces)
        whole = [row for row, stop in zip(LOG, rows, strict=True) if stop <= cut]
        assert found.get("loss", []) == [row["loss"] for row in whole if "loss" in row]
        assert len(flaws(pieces)) == 1


def test_any_damage_is_survived(tmp_path: Path) -> None:
    for bad in mutated(json.dumps(STATE).encode(), 300):
        for piece in read(trainer_state, bad, tmp_path):
            assert isinstance(piece, (Series, Flaw, Reading))
