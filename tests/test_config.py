"""Durations are what they say, and a wrong setting is told with its file, never passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho.config import Config, OnRay, OnSlurm, load, seconds, size
from stetho.errors import BadRequest


@pytest.mark.parametrize(
    ("text", "expected"),
    [("90s", 90), ("90", 90), ("10m", 600), ("1h", 3600), ("1.5h", 5400), ("0.5s", 0.5), (" 10 m ", 600), ("007s", 7)],
)
def test_a_duration_is_in_seconds(text: str, expected: float) -> None:
    assert seconds(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", " ", "s", "0", "0s", "0.0h", "-5s", "+5s", "10min", "10M", "1h30m", "1e3", ".5s", "5.", "5 0s", "nan", "inf"],
)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(BadRequest) as error:
        seconds(text)
    assert f"'{text}'" in str(error.value)
    assert "10m" in str(error.value)
    assert error.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "expected"), [("800M", 800 * 2**20), ("2G", 2**31), ("1.5gb", 3 * 2**29), ("4 GiB", 2**32), ("1024", 1024)]
)
def test_an_amount_of_memory_is_in_bytes(text: str, expected: int) -> None:
    assert size(text) == expected


@pytest.mark.parametrize("text", ["", "G", "0M", "-1G", "much", "1e9", "2GG"])
def test_what_is_no_amount_of_memory_is_refused(text: str) -> None:
    with pytest.raises(BadRequest, match="no amount of memory"):
        size(text)


def write(folder: Path, text: str | bytes) -> Path:
    file = folder / "pyproject.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return file


@pytest.mark.parametrize(
    "text", [None, "", "[project]\nname = 'x'\n", "[tool.ruff]\nline-length = 9\n", "[tool.stetho]\n"]
)
def test_a_project_that_says_nothing_has_the_defaults(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        write(tmp_path, text)
    assert load(tmp_path) == Config(budget=600.0, seed=0, case=".stetho", experiments=True)


def test_every_setting_is_read(tmp_path: Path) -> None:
    write(tmp_path, '[tool.stetho]\nbudget = "2m"\nseed = 7\ncase = "kept"\nexperiments = false\n')
    assert load(tmp_path) == Config(budget=120.0, seed=7, case="kept", experiments=False)


CLUSTERS = """
[tool.stetho]
executor = "slurm"
ray = {cpus = 4, gpus = 1, wait = "5m"}
[tool.stetho.slurm]
cluster = "local"
partition = "short"
memory = 32
time = "30m"
"""


def test_settings_of_clusters_are_read(tmp_path: Path) -> None:
    write(tmp_path, CLUSTERS)
    found = load(tmp_path)
    assert (found.executor, found.ray) == ("slurm", OnRay(4, 1, 300.0))
    assert found.slurm == OnSlurm("local", "short", memory=32, time=1800.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[tool.stetho]\nexecutor = 'k8s'\n", "executor must be one of local, ray, slurm"),
        ("[tool.stetho.slurm]\ncluster = 'pbs'\n", "cluster must be one of slurm, local"),
        ("[tool.stetho.slurm]\nqueue = 'x'\n", "[tool.stetho.slurm] has no option 'queue'"),
        ("[tool.stetho.ray]\ncpus = '2'\n", "[tool.stetho.ray] cpus must be a int"),
        ("[tool.stetho.ray]\nwait = 'long'\n", "'long' is no duration"),
        ("[tool.stetho]\nray = 3\n", "ray must be a dict"),
    ],
)
def test_a_wrong_setting_of_a_cluster_is_refused(tmp_path: Path, text: str, says: str) -> None:
    write(tmp_path, text)
    assert says in refusal(tmp_path)


def test_one_setting_leaves_the_others_alone(tmp_path: Path) -> None:
    write(tmp_path, "[tool.stetho]\nseed = 7\n")
    assert load(tmp_path) == Config(seed=7)


def refusal(folder: Path) -> str:
    with pytest.raises(BadRequest) as error:
        load(folder)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_an_unknown_setting_is_told_with_those_that_exist(tmp_path: Path) -> None:
    file = write(tmp_path, "[tool.stetho]\nbuget = '2m'\n")
    told = refusal(tmp_path)
    assert str(file) in told and "'buget'" in told
    assert "budget, seed, case, experiments" in told


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("budget = 600", ("budget", "str")),
        ("seed = '7'", ("seed", "int")),
        ("seed = 7.0", ("seed", "int")),
        ("seed = true", ("seed", "int")),
        ("case = 3", ("case", "str")),
        ("experiments = 0", ("experiments", "bool")),
        ("experiments = 'no'", ("experiments", "bool")),
    ],
)
def test_a_setting_of_the_wrong_type_is_refused(tmp_path: Path, line: str, expected: tuple[str, str]) -> None:
    file = write(tmp_path, f"[tool.stetho]\n{line}\n")
    told = refusal(tmp_path)
    assert str(file) in told
    assert all(word in told.split() for word in expected)


def test_a_budget_that_is_no_duration_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "[tool.stetho]\nbudget = 'long'\n")
    assert "'long' is no duration" in refusal(tmp_path)


@pytest.mark.parametrize("text", ["[tool.stetho\n", b"[tool.stetho]\ncase = '\xff'\n"], ids=["not TOML", "not UTF-8"])
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, text: str | bytes) -> None:
    file = write(tmp_path, text)
    assert f"{file} cannot be read" in refusal(tmp_path)


def test_a_directory_of_that_name_is_told(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").mkdir()
    assert "cannot be read" in refusal(tmp_path)


@pytest.mark.parametrize("text", ["tool = 3\n", "[tool]\nstetho = 'yes'\n", "[[tool.stetho]]\nseed = 1\n"])
def test_a_section_that_is_no_table_is_refused(tmp_path: Path, text: str) -> None:
    file = write(tmp_path, text)
    assert str(file) in refusal(tmp_path)
