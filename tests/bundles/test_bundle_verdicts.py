"""A bundle is judged elsewhere as the run's folder is judged here."""

from __future__ import annotations

import json
import random
import tarfile
from pathlib import Path

import pytest
from bundling import CRASH, LOG, a_run, bundle, contents, judged, manifest, plainly

from stetho import catalogue
from stetho.bundles import writing
from stetho.bundles.reading import read
from stetho.post_mortem import runs_of
from stetho.series import Series

RUNS = Path(__file__).parents[1] / "post_mortem" / "runs"


@pytest.mark.parametrize("name", sorted(folder.name for folder in RUNS.iterdir()))
def test_a_bundle_is_judged_as_its_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = plainly(judged(RUNS / name))
    assert plainly(judged(bundle(RUNS / name, tmp_path / "whole").path)) == there
    # Hardly a point of any series is left, and the facts of all of them speak.
    monkeypatch.setattr(writing, "POINTS", (8,))
    assert plainly(judged(bundle(RUNS / name, tmp_path / "thin").path)) == there


def long_log(folder: Path, lines: int) -> Path:
    dice = random.Random(7)
    folder.mkdir()
    with (folder / "out.txt").open("w") as file:
        for at in range(lines):
            noise, clock = dice.gauss(0, 0.05), f"{at // 3600 % 24:02d}:{at // 60 % 60:02d}:{at % 60:02d}"
            file.write(
                f"[2026-03-01 {clock}] it {at} loss {2 + 8 / (1 + at / 500) + noise:.5f} gnorm {abs(noise):.4f}\n"
            )
            if at == lines // 2:
                file.write("UserWarning: the lr is a guess\nNCCL WARN Call to connect failed: Connection refused\n")
        file.write(CRASH)
    return folder


@pytest.mark.parametrize("size", [160 << 10, 400 << 10, 20 << 20])
def test_a_long_log_keeps_its_verdict_at_any_size(size: int, tmp_path: Path) -> None:
    folder = long_log(tmp_path / "run", 60_000)
    made = bundle(folder, tmp_path / "b.tgz", size=size)
    assert made.size <= size and made.path.stat().st_size == made.size
    assert plainly(judged(made.path)) == plainly(judged(folder))


def test_of_a_long_log_people_get_its_head_its_end_and_what_stands_out(tmp_path: Path) -> None:
    folder = long_log(tmp_path / "run", 60_000)
    made = bundle(folder, tmp_path / "b.tgz", size=160 << 10)
    text = contents(made.path)["files/00000.txt"].decode()
    lines = (folder / "out.txt").read_text().splitlines()
    assert lines[0] in text and lines[-1] in text and "Connection refused" in text and len(text) < 1 << 20
    assert "lines are left out here; line " in text
    assert "lines" in manifest(made.path)["artifacts"][0]["cut"]
    # Every line that is there is the file's, and where a stretch begins is said rightly.
    number = 0
    for line in text.splitlines():
        if line.startswith("[stetho: "):
            number = int(line.rsplit("line ", 1)[1].split()[0]) - 1
            continue
        assert lines[number] == line
        number += 1


def test_numbers_come_back_to_the_last_bit(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    odd = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.0, float("nan"), float("inf"), 123456789.125]
    rows = [json.dumps({"step": at * 7, "loss": value, "lr": 1e-3}) for at, value in enumerate(odd * 3)]
    (folder / "metrics.jsonl").write_text("\n".join(rows) + "\n")
    made = bundle(folder, tmp_path / "b.tgz")
    for mine, theirs in zip(read(made.path).runs, runs_of(str(folder), catalogue.load(), print), strict=True):
        for one, other in zip(mine.left[0].pieces, theirs.left[0].pieces, strict=True):
            if isinstance(one, Series) and isinstance(other, Series):
                assert one.values.tobytes() == other.values.tobytes()
                assert (one.steps is None) == (other.steps is None)
                assert one.steps is None or one.steps.tolist() == other.steps.tolist()


def test_several_runs_are_several_in_a_bundle(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        a_run(tmp_path / "sweep" / name, LOG + (CRASH if name == "b" else "done\n"))
    made = bundle(tmp_path / "sweep", tmp_path / "b.tgz")
    assert [one.run for one in judged(made.path).runs] == ["a", "b", "c"]
    assert plainly(judged(made.path)) == plainly(judged(tmp_path / "sweep"))


def test_an_unpacked_bundle_is_still_one(tmp_path: Path) -> None:
    made = bundle(a_run(tmp_path / "run"), tmp_path / "b.tgz")
    with tarfile.open(made.path) as archive:
        archive.extractall(tmp_path / "unpacked")
    assert plainly(judged(tmp_path / "unpacked")) == plainly(judged(made.path))
    with tarfile.open(tmp_path / "again.bin", "w:gz") as archive:
        archive.add(tmp_path / "unpacked", ".")
    assert plainly(judged(tmp_path / "again.bin")) == plainly(judged(made.path))
