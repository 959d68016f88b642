"""Event files are read as TensorBoard's own formats say, whatever was cut off or damaged."""

from __future__ import annotations

import random
import struct
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from tests.readers import event_files as write
from tests.readers.reading import at, mutated, read

from stetho.formats import crc32c, summaries, wire
from stetho.reader import Flaw
from stetho.readers.tensorboard import tensorboard
from stetho.series import Series


def slowly(data: bytes) -> dict[str, list[tuple[float, int, float, int]]]:
    """Every scalar of a whole file, record by record: value, step, time, offset."""
    found: dict[str, list[tuple[float, int, float, int]]] = defaultdict(list)
    plugins: dict[str, str] = {}
    place = 0
    while place < len(data):
        (size,) = struct.unpack_from("<Q", data, place)
        time, step, held = summaries.event(data[place + 12 : place + 12 + size])
        for tag, plugin in held.plugins:
            plugins.setdefault(tag, plugin)
        for one in held.scalars:
            found[one.tag].append((one.value, step, time, place))
        place += size + 16
    return {tag: rows for tag, rows in found.items() if plugins.get(tag, "") in ("", "scalars")}


def quickly(data: bytes, folder: Path) -> tuple[dict[str, list[tuple[float, int, float, int]]], list[Flaw]]:
    pieces = read(tensorboard, data, folder)
    found = {}
    for one in pieces:
        if isinstance(one, Series):
            assert one.steps is not None and one.times is not None and one.at is not None and one.unit == "offset"
            rows = zip(one.values.tolist(), one.steps.tolist(), one.times.tolist(), one.at.tolist(), strict=True)
            found[one.name] = list(rows)
    return found, [one for one in pieces if isinstance(one, Flaw)]


def many(seed: int, rows: int = 400) -> bytes:
    """A file with every way to write a scalar, and with what is no scalar between them."""
    rng = random.Random(seed)
    parts = [write.version()]
    for n in range(rows):
        step = rng.choice([n, n * 1000, n * 10**7, -1 if n % 50 == 0 else n])
        value, time = rng.gauss(0, 1), 1.7e9 + n / 7
        half = struct.pack("<e", value)
        parts.append(
            write.event(
                time,
                step,
                *rng.choice(
                    [
                        [write.simple("loss", value)],
                        [write.simple("loss", value)],
                        [write.simple("acc1", value)],
                        [write.simple(f"layer{n % 30:02}", value)],
                        [write.simple("a", value), write.simple("b", -value)],
                        [write.tensor("new", 1, write.field(4, struct.pack("<f", value)))],
                        [write.tensor("new", 1, write.field(5, struct.pack("<f", value)))],
                        [write.tensor("new/unpacked", 1, write.field(5, value, "<f"))],
                        [write.tensor("double", 2, write.field(4, struct.pack("<d", value)))],
                        [write.tensor("double/val", 2, write.field(6, struct.pack("<d", value)))],
                        [write.tensor("half", 19, write.field(4, half))],
                        [write.tensor("half/val", 19, write.field(13, write.varint(*struct.unpack("<H", half))))],
                        [write.tensor("brain", 14, write.field(4, struct.pack("<f", value)[2:]))],
                        [write.tensor("whole", 9, write.field(10, write.varint(n - 7)))],
                        [write.tensor("one", 1, write.field(4, struct.pack("<f", value)), shape=(1, 1))],
                        [write.tensor("vector", 1, write.field(4, struct.pack("<ff", 1, 2)), shape=(2,))],
                        [write.tensor("text", 7, write.field(8, b"hello"), "text")],
                        [write.field(1, b"histogram") + write.field(5, bytes(rng.randrange(20)))],
                    ]
                ),
            )
        )
    return b"".join(parts)


@pytest.mark.parametrize("seed", range(6))
def test_the_fast_way_finds_what_the_slow_way_finds(seed: int, tmp_path: Path) -> None:
    data = many(seed)
    found, flaws = quickly(data, tmp_path)
    assert not flaws
    assert found == slowly(data)
    assert len(found["loss"]) > 10 and "text" not in found and "vector" not in found


def test_special_values_are_kept(tmp_path: Path) -> None:
    values = [float("nan"), float("inf"), -float("inf"), -0.0, 1e-45, 3.4028234663852886e38] * 3
    data = b"".join(write.event(1.0, n, write.simple("loss", v)) for n, v in enumerate(values))
    (one,) = read(tensorboard, data, tmp_path)
    assert isinstance(one, Series)
    assert [*map(repr, one.values.tolist())] == [*map(repr, map(float, np.array(values, np.float32)))]


def test_a_plugin_that_is_no_scalar_is_left_out_also_where_only_its_first_event_names_it(tmp_path: Path) -> None:
    body = write.field(4, struct.pack("<f", 1.0))
    first = write.event(1.0, 1, write.tensor("x", 1, body, "pr_curves"))
    later = b"".join(write.event(1.0, n, write.tensor("x", 1, body, "")) for n in range(2, 9))
    assert read(tensorboard, first + later, tmp_path) == []
    found, _ = quickly(first.replace(b"x", b"x") + write.event(1.0, 1, write.simple("x", 2.0)), tmp_path)
    assert [value for value, *_ in found["x"]] == [2.0]


def test_whatever_is_cut_off_the_records_before_it_are_kept(tmp_path: Path) -> None:
    parts = [write.version(), *(write.event(1.0, n, write.simple("loss", n)) for n in range(4))]
    ends = np.cumsum([len(part) for part in parts])
    data = b"".join(parts)
    for cut in range(len(data) + 1):
        found, flaws = quickly(data[:cut], tmp_path)
        whole = int((ends <= cut).sum())
        assert [value for value, *_ in found.get("loss", [])] == [float(n) for n in range(whole - 1)]
        if cut in (0, *ends):
            assert not flaws
        else:
            assert [flaw.offset for flaw in flaws] == [int(ends[whole - 1]) if whole else 0]


def test_a_record_with_a_wrong_checksum_is_left_out(tmp_path: Path) -> None:
    parts = [write.event(1.0, n, write.simple("loss", n)) for n in range(10)]
    broken = bytearray(parts[4])
    broken[-6] ^= 1
    data = b"".join([*parts[:4], bytes(broken), *parts[5:]])
    found, flaws = quickly(data, tmp_path)
    assert [value for value, *_ in found["loss"]] == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    assert [flaw.offset for flaw in flaws] == [sum(map(len, parts[:4]))]


def test_a_wrong_length_ends_it(tmp_path: Path) -> None:
    parts = [write.event(1.0, n, write.simple("loss", n)) for n in range(10)]
    data = bytearray(b"".join(parts))
    place = sum(map(len, parts[:6]))
    data[place] ^= 255
    found, flaws = quickly(bytes(data), tmp_path)
    assert [value for value, *_ in found["loss"]] == [0, 1, 2, 3, 4, 5]
    assert [flaw.offset for flaw in flaws] == [place]


def test_a_length_beyond_the_end_takes_no_memory(tmp_path: Path) -> None:
    huge = struct.pack("<Q", 1 << 62)
    found, flaws = quickly(write.event(1.0, 1, write.simple("a", 1)) + huge + write.masked(huge), tmp_path)
    assert list(found) == ["a"] and len(flaws) == 1


def test_long_records_are_passed_over_and_parts_meet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stetho.formats import tfrecords

    monkeypatch.setattr(tfrecords, "PART", 4096)
    monkeypatch.setattr(tfrecords, "LONGEST", 2000)
    middle = write.frame(write.field(1, 1.0, "<d") + write.field(4, bytes(9000)))
    data = many(1, 150) + middle + many(2, 150)
    found, flaws = quickly(data, tmp_path)
    assert not flaws
    assert found == slowly(data)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 31, 1023, 1024, 1025, 4096, 5000])
def test_checksums_are_those_of_the_obvious_way(size: int) -> None:
    data = random.Random(size).randbytes(size)
    assert crc32c.of_bytes(np.frombuffer(data, np.uint8)) == write.crc32c(data)


def test_a_known_checksum() -> None:
    assert crc32c.of_bytes(np.frombuffer(b"123456789", np.uint8)) == 0xE3069283


def test_any_damage_is_survived(tmp_path: Path) -> None:
    data = many(3, 40)
    for bad in mutated(data, 300):
        for piece in read(tensorboard, bad, tmp_path):
            assert isinstance(piece, (Series, Flaw))


def test_any_record_with_right_checksums_is_survived(tmp_path: Path) -> None:
    """Damage that checksums do not show: the message itself is wrong."""
    rng = random.Random(1)
    bodies = [write.event(1.0, 5, write.tensor("x", 1, write.field(4, bytes(4))))[12:-4] for _ in range(3)]
    for _ in range(200):
        broken = []
        for body in bodies:
            changed = bytearray(body)
            for _ in range(rng.randrange(1, 4)):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
            broken.append(write.frame(bytes(changed)))
        data = b"".join(broken * 3)
        found, flaws = quickly(data, tmp_path)
        try:
            expected = slowly(data)
        except wire.Malformed:
            assert flaws
        else:
            assert repr(sorted(found.items())) == repr(sorted(expected.items()))


def test_what_tensorboard_writes_is_what_tensorboard_reads(tmp_path: Path) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(tmp_path)) as writer:
        for step in range(50):
            writer.add_scalar("old", 1 / (step + 1), step)
            writer.add_scalar("new", step / 7, step, new_style=True)
            writer.add_text("text", "words", step)
    (file,) = tmp_path.iterdir()
    found, flaws = quickly(file.read_bytes(), tmp_path / "again")
    theirs = EventAccumulator(str(file))
    theirs.Reload()
    assert not flaws and set(found) == {"old", "new"}
    expected = [(one.value, one.step, one.wall_time) for one in theirs.Scalars("old")]
    assert [point[:3] for point in found["old"]] == expected


def test_it_is_known_by_its_first_frame(tmp_path: Path) -> None:
    assert tensorboard.recognises(at(many(1, 3), tmp_path)) == 1.0
    assert tensorboard.recognises(at(write.frame(b"some other record, of data"), tmp_path)) == 0.0
    assert tensorboard.recognises(at(b"step 1 loss 2\n" * 50, tmp_path)) == 0.0
