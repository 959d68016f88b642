"""Archives that are damaged, hostile or no bundle are refused in a line, and nothing is written or unpacked."""

from __future__ import annotations

import gzip
import io
import json
import random
import tarfile
from pathlib import Path

import pytest
from bundling import a_run, bundle, contents, judged, packed

from stetho.bundles import archive
from stetho.errors import BadRequest


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return bundle(a_run(tmp_path / "run"), tmp_path / "good.tgz").path


def odd(name: str, data: bytes = b"x", **fields: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, data


HOSTILE = {
    "an absolute path": (odd("/etc/cron.d/evil"), "leads out of it"),
    "a path that goes up": (odd("readings/../../../evil"), "leads out of it"),
    "a symbolic link": (odd("readings/link", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd"), "link or a device"),
    "a hard link": (odd("hard", b"", type=tarfile.LNKTYPE, linkname="/etc/passwd"), "link or a device"),
    "a device": (odd("null", b"", type=tarfile.CHRTYPE, devmajor=1, devminor=3), "link or a device"),
    "a pipe": (odd("pipe", b"", type=tarfile.FIFOTYPE), "link or a device"),
    "a name that is there already": (odd("manifest.json", b"{}"), "twice"),
    "a name that acts on a terminal": (odd("../\x1b[2J"), "leads out of it"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_member_is_refused(kind: str, good: Path, tmp_path: Path) -> None:
    member, says = HOSTILE[kind]
    members = [(tarfile.TarInfo(name), data) for name, data in contents(good).items()]
    with pytest.raises(BadRequest, match=says) as refused:
        judged(packed(tmp_path / "x.tgz", [*members, member]))
    assert "\x1b" not in str(refused.value) and "\n" not in str(refused.value)


def test_nothing_is_written(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stetho.bundles.reading import read

    before = sorted(tmp_path.rglob("*"))
    opened: list[str] = []
    real = io.open
    monkeypatch.setattr("builtins.open", lambda *a, **k: opened.append(str(a[1:])) or real(*a, **k))
    assert read(good).runs and sorted(tmp_path.rglob("*")) == before
    assert not any("w" in mode or "a" in mode or "+" in mode for mode in opened)


@pytest.mark.parametrize("name", ["readings/00000.jsonl", "files/00000.txt"])
def test_a_member_that_was_changed_is_told(name: str, good: Path, tmp_path: Path) -> None:
    members = contents(good)
    members[name] = members[name].replace(b"0.001", b"0.002") + b"\n"
    with pytest.raises(BadRequest, match="was changed after the bundle was made"):
        judged(packed(tmp_path / "x.tgz", members, listed=False))


def test_a_member_that_is_missing_is_told(good: Path, tmp_path: Path) -> None:
    members = contents(good)
    del members["readings/00000.jsonl"]
    with pytest.raises(BadRequest, match=r"lacks 'readings/00000\.jsonl'"):
        judged(packed(tmp_path / "x.tgz", members, listed=False))


def test_every_cut_and_many_flips_end_in_a_line(good: Path, tmp_path: Path) -> None:
    whole = good.read_bytes()
    for at in range(1, len(whole), len(whole) // 40):
        for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 0x5A]) + whole[at + 1 :]):
            (tmp_path / "x.tgz").write_bytes(damaged)
            try:
                judged(tmp_path / "x.tgz")
            except BadRequest as error:
                assert "\n" not in str(error)
    (tmp_path / "x.tgz").write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(BadRequest, match="cut off; copy it again"):
        judged(tmp_path / "x.tgz")


def bomb(path: Path, size: int, count: int = 1) -> Path:
    with gzip.open(path, "wb", 1) as handle:
        for number in range(count):
            info = tarfile.TarInfo("manifest.json" if number == 0 else f"readings/{number:05d}.jsonl")
            info.size = size
            handle.write(info.tobuf(tarfile.USTAR_FORMAT))
            if count == 1:
                beginning = b'{"schema": "stetho.bundle/1", '
                handle.write(beginning)
                for _ in range(size >> 20):
                    handle.write(bytes(1 << 20))
    return path


def test_a_bomb_ends_early(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=r"unpacks to more than|holds nothing|no bundle"):
        judged(bomb(tmp_path / "x.tgz", archive.MOST_BYTES + (1 << 20)))


def test_a_bomb_of_members_ends_early(good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_MEMBERS", 10)
    members = contents(good) | {f"extra/{number}": b"" for number in range(20)}
    with pytest.raises(BadRequest, match="more than 10 members"):
        judged(packed(tmp_path / "x.tgz", members))


def test_a_size_that_lies_is_no_memory(tmp_path: Path, good: Path) -> None:
    info = tarfile.TarInfo("manifest.json")
    info.size = 7 << 30
    with gzip.open(tmp_path / "x.tgz", "wb") as handle:
        handle.write(info.tobuf(tarfile.USTAR_FORMAT) + b"{}")
    with pytest.raises(BadRequest):
        judged(tmp_path / "x.tgz")


@pytest.mark.parametrize(
    "change",
    [
        {"artifacts": "many"},
        {"artifacts": [{"name": 5}]},
        {"folder": None},
        {"members": [{"name": "a", "size": "b", "sha256": []}]},
        {"points": 1.5},
    ],
)
def test_a_manifest_of_another_shape_is_refused(change: dict, good: Path, tmp_path: Path) -> None:
    members = contents(good)
    members["manifest.json"] = json.dumps(json.loads(members["manifest.json"]) | change).encode()
    with pytest.raises(BadRequest, match="cannot be read as a bundle"):
        judged(packed(tmp_path / "x.tgz", members, listed=False))


@pytest.mark.parametrize(
    "line",
    [
        b'{"series": {"name": "loss", "values": 99, "file": "x", "unit": "line", "run": ""}}',
        b'{"series": {"name": "loss", "values": null, "file": "x", "unit": "line", "run": ""}}',
        b'{"reading": {"fact": "no-such-fact", "data": {}, "summary": "", "line": null, "run": ""}}',
        b'{"reading": {"fact": "crash", "data": {"exception": 5, "message": []}, "summary": "", "run": ""}}',
        b'{"column": {"floats": ["x"]}}',
        b'{"column": {"differences": [1e99]}}',
        b'{"other": {}}',
        b"[]",
        b"not JSON",
        b"[" * 100_000,
    ],
)
def test_a_reading_of_another_shape_is_refused(line: bytes, good: Path, tmp_path: Path) -> None:
    members = contents(good)
    members["readings/00000.jsonl"] += line + b"\n"
    with pytest.raises(BadRequest, match="cannot be read as a bundle"):
        judged(packed(tmp_path / "x.tgz", members))


def test_names_in_a_bundle_lead_to_no_file_of_this_machine(good: Path, tmp_path: Path) -> None:
    from stetho.bundles.reading import read

    members = contents(good)
    said = json.loads(members["manifest.json"])
    for path in ("/etc/passwd", "../../../../../etc/passwd", "etc/passwd"):
        said["artifacts"][0]["path"] = path
        members["manifest.json"] = json.dumps(said).encode()
        (left,) = read(packed(tmp_path / "x.tgz", members)).runs[0].left
        assert left.artifact.head == b"" and not left.artifact.path.exists()


def test_a_newer_bundle_is_told(good: Path, tmp_path: Path) -> None:
    members = contents(good)
    members["manifest.json"] = members["manifest.json"].replace(b"stetho.bundle/1", b"stetho.bundle/2")
    with pytest.raises(BadRequest, match=r"this stetho reads stetho\.bundle/1"):
        judged(packed(tmp_path / "x.tgz", members))


def test_what_others_add_does_no_harm(good: Path, tmp_path: Path) -> None:
    members = contents(good) | {"NOTES.txt": b"look at step 90", "._manifest.json": b"\0\5"}
    assert judged(packed(tmp_path / "x.tgz", members)).runs


def test_an_archive_of_something_else_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="is packed, and no bundle of stetho's; unpack it"):
        judged(packed(tmp_path / "x.tgz", {"train.log": b"step 1 loss 2\n"}, listed=False))


ODD = (None, True, 0, -1, 2**63, 1e308, "nan", "inf", "", "x" * 3000, "\x1b[2J", "\ud800", [], {}, "../../etc/passwd")


def changed(value: object, dice: random.Random) -> object:
    """A document with one thing in it that is another, mostly of the same type."""
    if isinstance(value, dict) and value:
        key = dice.choice(list(value))
        return {**value, key: changed(value[key], dice)}
    if isinstance(value, list) and value:
        at = dice.randrange(len(value))
        return dice.choice([[], value * 2, *[[*value[:at], changed(value[at], dice), *value[at + 1 :]]] * 8])
    if isinstance(value, float) and dice.random() < 0.9:
        return dice.choice([0.0, -1e308, 1e308, "nan", "inf", 5e-324])
    if isinstance(value, int) and dice.random() < 0.9:
        return dice.choice([0, -1, 2**31, 2**63 - 1, -(2**63)])
    return dice.choice(ODD)


def test_documents_that_are_changed_end_in_a_line_or_a_verdict(tmp_path: Path) -> None:
    dice = random.Random(11)
    folder = a_run(tmp_path / "run")
    (folder / "config.yaml").write_text("lr: 0.1\nepochs: 3\n")
    (folder / "m.csv").write_text("step,loss,memory\n" + "".join(f"{at},{2 / (at + 1)},{at}\n" for at in range(30)))
    whole = contents(bundle(folder, tmp_path / "good.tgz").path)
    outcomes = set()
    for _ in range(120):
        members = dict(whole)
        for _ in range(dice.randint(1, 4)):
            name = dice.choice([name for name in members if name.startswith("readings")])
            lines = members[name].splitlines()
            at = dice.randrange(len(lines))
            ((kind, entry),) = json.loads(lines[at]).items()
            inner = dice.choice(list(entry)) if kind == "reading" and dice.random() < 0.3 else "data"
            entry = {**entry, inner: changed(entry[inner], dice)} if kind == "reading" else changed(entry, dice)
            lines[at] = json.dumps({kind: entry}).encode()
            members[name] = b"\n".join(lines)
        try:
            outcomes.add(judged(packed(tmp_path / "x.tgz", members)).exit_code)
        except BadRequest as error:
            assert "\x1b" not in str(error) and "\n" not in str(error)
            outcomes.add(2)
    assert 2 in outcomes and len(outcomes) > 1
