"""The fixture set itself: every run has its verdict, in the vocabulary's words, small, and free of this machine."""

import re
import sys
import tempfile
from pathlib import Path

import pytest

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

HERE = Path(__file__).resolve().parent
VOCABULARY = set((HERE.parent / "vocabulary.txt").read_text().split())
NAMES = sorted(path.stem for path in (HERE / "expected").glob("*.toml"))
STATUSES = {"established", "suspected", "unknown", "clear"}
SYMPTOMS = {
    "loss-flat",
    "loss-slow",
    "loss-oscillating",
    "loss-spike",
    "loss-diverging",
    "loss-nonfinite",
    "gradients-exploding",
    "gradients-vanishing",
    "overfitting",
    "metric-stuck",
    "too-good",
    "results-vary",
    "crash",
    "killed",
    "hang",
    "slow-training",
    "memory-growing",
}
FORMATS = {
    "text",
    "csv",
    "json",
    "jsonl",
    "yaml",
    "toml",
    "tensorboard",
    "wandb",
    "mlflow-files",
    "mlflow-sqlite",
    "trackio",
    "trainer-state",
    "lightning-csv",
    "sb3-csv",
    "sb3-json",
    "checkpoint-pt",
    "safetensors",
    "dcp",
    "dmesg",
    "journal",
    "slurm",
    "torchrun",
    "nvidia-smi-csv",
    "flight-recorder",
}
NEEDED = {"about", "source", "status", "causes", "formats"}
OPTIONAL = {
    "symptoms",
    "symptoms_any",
    "not_symptoms",
    "where",
    "last_step",
    "nonfinite_step",
    "completed",
    "ranks",
    "series",
    "runs",
    "shared_by_failing",
}


def expected(name: str) -> dict:
    return tomllib.loads((HERE / "expected" / f"{name}.toml").read_text(encoding="utf-8"))


def files(name: str) -> list[Path]:
    return [path for path in (HERE / "runs" / name).rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", NAMES)
def test_verdict_uses_the_vocabulary(name: str) -> None:
    truth = expected(name)
    assert set(truth) - OPTIONAL == NEEDED
    assert set(truth["status"]) <= STATUSES
    assert truth["status"]
    assert set(truth["causes"]) <= VOCABULARY
    assert set(truth["formats"]) <= FORMATS
    wanted = {*truth.get("symptoms", []), *truth.get("symptoms_any", [])}
    assert wanted <= SYMPTOMS
    assert set(truth.get("not_symptoms", [])) <= SYMPTOMS - wanted
    for member in truth.get("runs", {}).values():
        assert set(member["status"]) <= STATUSES
        assert set(member["causes"]) <= VOCABULARY
    clear = truth["status"] == ["clear"]
    assert clear == bool(truth["causes"] and all(cause.startswith("none/") for cause in truth["causes"]))
    assert not (clear and wanted)


@pytest.mark.parametrize("name", NAMES)
def test_where_is_in_the_text(name: str) -> None:
    places = expected(name).get("where", [])
    text = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files(name))
    for place in [places] if isinstance(places, str) else places:
        file, line = place.split(":")
        assert re.search(rf'{re.escape(file)}(\\)?", line {line}\b', text), place


@pytest.mark.parametrize("name", NAMES)
def test_files_are_small_and_neutral(name: str) -> None:
    found = files(name)
    assert found
    assert sum(path.stat().st_size for path in found) < 300_000
    machine = [str(Path.home()), sys.prefix, sys.base_prefix, str(HERE.parents[1]), tempfile.gettempdir() + "/pytest"]
    for path in found:
        content = path.read_bytes()
        assert not [one for one in machine if len(one) > 4 and f"{one}/".encode() in content], path


def test_the_set_is_whole() -> None:
    folders = {path.name for path in (HERE / "runs").iterdir()}
    assert folders == set(NAMES)
    assert len(NAMES) >= 60
    assert sum(expected(name)["status"] == ["clear"] for name in NAMES) >= 22
    assert sum(path.stat().st_size for path in (HERE / "runs").rglob("*") if path.is_file()) < 4_000_000
