"""What goes into a bundle, what stays out, and how the file comes to be."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from pathlib import Path

import pytest
from bundling import CRASH, LOG, a_run, bundle, contents, judged, manifest, plainly

from stetho.bundles import archive, originals, writing
from stetho.errors import BadRequest


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "run")
    (folder / "config.yaml").write_text("lr: 0.1\nseed: 3\n")
    one, other = bundle(folder, tmp_path / "a.tgz"), bundle(folder, tmp_path / "b.tgz")
    assert one.path.read_bytes() == other.path.read_bytes()
    names = list(contents(one.path))
    assert names[0] == "manifest.json" and names[1:] == sorted(names[1:])


def test_the_manifest_has_checksums_of_members_and_originals(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "run")
    made = bundle(folder, tmp_path / "b.tgz")
    said, members = manifest(made.path), contents(made.path)
    assert {one["name"] for one in said["members"]} == set(members) - {"manifest.json"}
    for one in said["members"]:
        data = members[one["name"]]
        assert (one["size"], one["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    (log,) = said["originals"]
    assert log["sha256"] == hashlib.sha256((folder / "train.log").read_bytes()).hexdigest()
    assert log["size"] == (folder / "train.log").stat().st_size and said["stetho"]


def test_a_short_text_is_there_as_it_was(tmp_path: Path) -> None:
    text = "loss\r50%\r100%\n\x1b[31mred\x1b[0m no newline at the end \u20ac"
    folder = a_run(tmp_path / "run", LOG + text)
    made = bundle(folder, tmp_path / "b.tgz")
    assert contents(made.path)["files/00000.txt"] == (folder / "train.log").read_bytes()
    assert made.manifest.artifacts[0].cut == ""


def test_of_a_line_of_a_million_frames_the_first_and_the_last_are_there(tmp_path: Path) -> None:
    frames = [f"{at}/50000 [00:10<00:20, 9.9it/s, loss={2 - at / 50000:.4f}]" for at in range(50_000)]
    folder = a_run(tmp_path / "run", "\r".join(frames) + "\n" + LOG + CRASH)
    text = contents(bundle(folder, tmp_path / "b.tgz").path)["files/00000.txt"].decode()
    bar, rest = text.split("\n", 1)
    assert bar.startswith(frames[0]) and bar.endswith(frames[-1]) and len(bar) < 20_000 and rest == LOG + CRASH


def test_nothing_outside_of_the_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "private.log").write_text("step 1 loss 0.5 OUTSIDE\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "other.log").write_text("step 1 loss 0.5 OUTSIDE\n")
    folder = a_run(tmp_path / "run")
    (folder / "out.log").symlink_to(tmp_path / "private.log")
    (folder / "up").symlink_to(tmp_path / "elsewhere")
    (folder / "latest.log").symlink_to("train.log")
    (folder / "gone.log").symlink_to("no-such-file")
    made = bundle(folder, tmp_path / "b.tgz")
    assert all(b"OUTSIDE" not in data for data in contents(made.path).values())
    assert {Path(one.name).name for one in made.manifest.artifacts} == {"train.log", "latest.log"}
    assert any("out.log: a link to a file outside" in one for one in made.manifest.left_out)
    (verdict,) = (one.verdict for one in judged(made.path).runs)
    assert [note for note in verdict.notes if "outside" in note] == [
        f"{folder}/out.log: a link to a file outside of the folder, which a bundle does not follow"
    ]
    assert any("up: a link that leads outside" in one for one in made.manifest.left_out)
    (folder / "out.log").unlink()
    assert plainly(judged(bundle(folder, tmp_path / "c.tgz").path)) == plainly(judged(folder))


def test_links_inside_a_folder_that_is_read_as_a_whole_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("1 0.5 0\n" * 5)
    folder = a_run(tmp_path / "run")
    whole = folder / "mlruns" / "0" / "abc"
    (whole / "metrics").mkdir(parents=True)
    (whole / "meta.yaml").write_text("run_id: abc\nstatus: 3\nartifact_uri: x\nexperiment_id: '0'\n")
    (whole / "metrics" / "loss").symlink_to(tmp_path / "secret")
    made = bundle(folder, tmp_path / "b.tgz")
    assert all(one.reader == "text-log" or not one.folder for one in made.manifest.artifacts)


def test_sockets_and_pipes_are_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = a_run(tmp_path / "run")
    os.mkfifo(folder / "pipe.log")
    monkeypatch.chdir(folder)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket.log")
        made = bundle(folder, tmp_path / "b.tgz")
    assert made.manifest.left_out == ("pipe.log: a pipe", "socket.log: a socket")


def test_a_bundle_holds_no_bundle_and_not_itself(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "run")
    before = plainly(judged(folder))
    first = bundle(folder, folder / "b.tgz")
    again = bundle(folder, folder / "b.tgz", force=True)
    assert first.manifest.artifacts == again.manifest.artifacts
    assert [one.path for one in again.manifest.originals] == ["train.log"]
    assert plainly(judged(folder)) == plainly(judged(again.path)) == before


def test_weights_are_not_in_it(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "run")
    marker = b"WEIGHTS!" * 1000
    header = json.dumps({"w": {"dtype": "F32", "shape": [2000], "data_offsets": [0, 8000]}}).encode()
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + marker)
    made = bundle(folder, tmp_path / "b.tgz")
    assert all(b"WEIGHTS!" not in data for data in contents(made.path).values())
    (weights,) = (one for one in made.manifest.artifacts if one.reader == "safetensors")
    assert weights.text == "" and "not text" in weights.cut
    assert plainly(judged(made.path)) == plainly(judged(folder))


def test_large_files_get_no_checksum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(originals, "LARGEST", 100)
    made = bundle(a_run(tmp_path / "run"), tmp_path / "b.tgz")
    assert made.manifest.originals[0].sha256 == "" and "too large" in made.manifest.originals[0].note


def test_many_metrics_are_thinned_until_they_fit_and_the_verdict_stays(tmp_path: Path) -> None:
    import random

    dice = random.Random(1)
    folder = tmp_path / "run"
    folder.mkdir()
    with (folder / "metrics.csv").open("w") as file:
        file.write("step," + ",".join(["loss", *(f"m{n}" for n in range(20))]) + "\n")
        for at in range(4000):
            file.write(f"{at}," + ",".join(f"{dice.random():.15f}" for _ in range(21)) + "\n")
    made = bundle(folder, tmp_path / "b.tgz", size=400 << 10)
    assert made.size <= 400 << 10 and made.manifest.points is not None
    assert plainly(judged(made.path)) == plainly(judged(folder))


def test_what_cannot_fit_is_said_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "SMALLEST", 10)
    folder = a_run(tmp_path / "run")
    with pytest.raises(BadRequest, match="does not fit into 500 bytes; allow more with --size"):
        bundle(folder, tmp_path / "b.tgz", size=500)
    assert sorted(os.listdir(tmp_path)) == ["run"]


def test_an_interruption_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    folder = a_run(tmp_path / "run")
    monkeypatch.setattr(os, "fsync", stopped)
    with pytest.raises(KeyboardInterrupt):
        bundle(folder, tmp_path / "b.tgz")
    assert sorted(os.listdir(tmp_path)) == ["run"]


def test_a_file_that_is_there_stays_without_force(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "run")
    (tmp_path / "b.tgz").write_text("mine")
    with pytest.raises(BadRequest, match="exists already"):
        bundle(folder, tmp_path / "b.tgz")
    assert (tmp_path / "b.tgz").read_text() == "mine"
    bundle(folder, tmp_path / "b.tgz", force=True)
    assert archive.is_packed(tmp_path / "b.tgz")
    assert (tmp_path / "b.tgz").stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "run")
    (folder / "locked.log").write_text(LOG + CRASH)
    (folder / "locked.log").chmod(0)
    (folder / "shut").mkdir(mode=0)
    made = bundle(folder, tmp_path / "b.tgz")
    assert made.manifest.left_out == (
        "locked.log: cannot be read: Permission denied",
        "shut: a folder that cannot be read",
    )


def test_text_of_wide_letters_is_readable_in_a_bundle(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "out.log").write_bytes((LOG + CRASH).encode("utf-16"))
    made = bundle(folder, tmp_path / "b.tgz")
    assert contents(made.path)["files/00000.txt"].decode() == LOG + CRASH
    assert plainly(judged(made.path)) == plainly(judged(folder))


def test_steps_beyond_64_bits_of_difference_come_back() -> None:
    import numpy as np

    from stetho.bundles.stored import array_of, differences

    steps = np.array([-(2**63), 2**63 - 1, 0, 5, -7], dtype=np.int64)
    with np.errstate(over="ignore"):
        assert array_of({"differences": differences(steps)}).tolist() == steps.tolist()
