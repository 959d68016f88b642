"""What a project was like is kept in the case, without secrets, and never at the cost of the run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stetho import snapshot


def test_code_and_settings_are_kept_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, case = tmp_path / "project", tmp_path / "case"
    (project / "pkg").mkdir(parents=True)
    case.mkdir()
    kept = {"train.py": b"x = 1\n", "pkg/config.yaml": b"lr: 0.1\n", "pkg/bytes.py": b"\xff\xfe"}
    left = {".env": b"KEY=1", "client_secret.json": b"{}", "model.pt": b"\0" * 10, "huge.py": b"#" * 300_000}
    for name, data in {**kept, **left}.items():
        (project / name).write_bytes(data)
    (project / "__pycache__").mkdir()
    (project / "__pycache__" / "train.py").write_text("")
    (project / "link.py").symlink_to("/etc/passwd")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    monkeypatch.setenv("WANDB_API_KEY", "secret")
    python = tmp_path / "venv" / "bin" / "python3"
    (tmp_path / "venv" / "lib" / "python3.11" / "site-packages" / "Torch_Vision-2.1+cpu.dist-info").mkdir(parents=True)
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    snapshot.keep(case, (str(python), "train.py"), str(project))
    found = snapshot.read(case)
    assert found is not None and dict(found.files) == kept
    assert found.variables["CUDA_VISIBLE_DEVICES"] == "1" and "WANDB_API_KEY" not in found.variables
    assert found.packages == {"torch-vision": "2.1+cpu"}
    assert found.commit is None


def test_a_project_that_is_too_large_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for number in range(4):
        (project / f"m{number}.py").write_text("")
    monkeypatch.setattr(snapshot, "MOST_FILES", 3)
    snapshot.keep(tmp_path, ("python",), str(project))
    found = snapshot.read(tmp_path)
    assert found is not None and not found.files
    (tmp_path / snapshot.NAME).unlink()
    monkeypatch.setattr(snapshot, "MOST_LOOKED_AT", 2)
    snapshot.keep(tmp_path, ("python",), str(project))
    assert snapshot.read(tmp_path) is None


def test_what_cannot_be_written_or_read_is_none(tmp_path: Path) -> None:
    snapshot.keep(tmp_path / "nowhere", ("python",), str(tmp_path))
    assert snapshot.read(tmp_path) is None
    (tmp_path / snapshot.NAME).write_bytes(b"PK\x03\x04 damaged")
    assert snapshot.read(tmp_path) is None
