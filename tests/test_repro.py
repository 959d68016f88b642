"""A failing step as a program of its own: it fails as the run did, and nothing else gets into it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import environment
from stetho import repro
from stetho.errors import BadRequest
from stetho.executors.local import INJECT

SOURCES = Path(__file__).parent / "observer" / "sources_of_nan"
# Forward and backward; a library layer, half precision, a mask, dropout, a pass shared by two optimizers.
PROGRAMS = (
    "flat_layer_norm", "half_autocast", "padded_sentence", "isolated_node", "generator_root", "filled_slots",
    "summed_before",
)  # fmt: skip


def record(script: Path, folder: Path) -> Path:
    """Run a program under the observer; where it was recorded."""
    recording = folder / "recording"
    recording.mkdir()
    plan = folder / "plan.json"
    plan.write_text(json.dumps({"recording": str(recording), "seed": 0, "steps": None, "changes": [], "trace": []}))
    variables = {"STETHO_PLAN": str(plan), "PYTHONPATH": str(INJECT)}
    subprocess.run(
        [sys.executable, str(script)], env={**environment(), **variables}, cwd=folder, capture_output=True, check=True
    )
    return recording


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_program_fails_as_the_run_did_without_the_users_code(name: str, tmp_path: Path) -> None:
    recording = record(SOURCES / f"{name}.py", tmp_path)
    made = repro.verify(repro.write(recording, tmp_path / "out", f"python {name}.py"))
    assert made.verified is True, made.output
    text = (made.folder / "step.py").read_text()
    assert name not in sys.modules and f"import {name}" not in text
    assert f"# {name}.py:" in text
    assert sorted(f.name for f in made.folder.iterdir()) == ["step.py", "tensors.pt"]


STEP = {
    "operations": [
        {"op": "torch.log", "args": [{"tensor": "x0"}], "kwargs": {}, "out": ["t1"], "at": ["/a/train.py", 3]},
        {"op": "torch.Tensor.sum", "args": [{"tensor": "t1"}], "kwargs": {"dim": {"tuple": [0]}}, "out": ["t2"]},
    ],
    "loss": "t2", "value": "nan", "origin": {"op": "log", "phase": "forward"}, "where": [["/a/train.py", 3, "f"]],
}  # fmt: skip


def test_a_step_is_written_line_by_line_with_its_places() -> None:
    text = repro.program(STEP, "python train.py")
    assert "t1 = torch.log(x0)  # train.py:3\n" in text
    assert "t2 = torch.Tensor.sum(t1, dim=(0,))\n" in text
    assert 'x0 = T["x0"]' in text
    compile(text, "step.py", "exec")


@pytest.mark.parametrize(
    "change",
    [
        {"op": "os.system"},
        {"op": "torch.load"},
        {"op": "torch.hub.load"},
        {"op": "torch.log(x0); import os #"},
        {"args": [{"tensor": "x0); import os; (x0"}]},
        {"out": ["t1; import os"]},
        {"args": [{"torch": "__import__('os')"}]},
        {"args": [{"code": "1"}]},
        {"args": [["bare"]]},
        {"amp": "torch.float16); import os; ("},
    ],
)
def test_what_a_case_holds_never_becomes_anything_but_torch_calls(change: dict[str, object]) -> None:
    step = {**STEP, "operations": [{**STEP["operations"][0], **change}]}
    with pytest.raises(BadRequest):
        repro.program(step, "python train.py")


def test_texts_from_a_case_stay_inside_their_comments() -> None:
    hostile = '"""\nimport os\nos.system("x")\n#'
    step = {**STEP, "operations": [{**STEP["operations"][0], "at": [hostile, 3], "module": hostile}], "loss": "t1"}
    text = repro.program({**step, "origin": {"op": hostile, "phase": hostile}, "where": [[hostile, 3]]}, hostile)
    compile(text, "step.py", "exec")
    assert "\nimport os\nos.system" not in text


def test_a_case_without_a_failing_step_says_why(tmp_path: Path) -> None:
    lines = ['{"e":"attached"}', '{"e":"unlocalised","step":3,"why":"the model is compiled"}']
    (tmp_path / "r0-1.jsonl").write_text("\n".join(lines) + "\n")
    with pytest.raises(BadRequest, match="the model is compiled"):
        repro.write(tmp_path, tmp_path / "out", "x")
    assert not (tmp_path / "out").exists()


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    step = tmp_path / "failing-step"
    step.mkdir()
    (step / "step.json").write_text(json.dumps(STEP))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(BadRequest, match="not empty"):
        repro.write(tmp_path, tmp_path / "out", "x")
    assert [f.name for f in (tmp_path / "out").iterdir()] == ["mine.txt"]
