"""W&B's offline files, as its documentation and its own writer have them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.readers import block_logs as write
from tests.readers.event_files import field
from tests.readers.reading import flaws, mutated, read, series

from stetho.facts import Config, ReportedEnd
from stetho.reader import Flaw, Piece, Reading
from stetho.readers.wandb import wandb
from stetho.series import Series


def facts(pieces: list[Piece]) -> dict[str, object]:
    return {one.fact.fact: one.fact for one in pieces if isinstance(one, Reading)}


def end(pieces: list[Piece]) -> ReportedEnd:
    found = facts(pieces)["reported-end"]
    assert isinstance(found, ReportedEnd)
    return found


def test_records_that_go_over_several_blocks(tmp_path: Path) -> None:
    """Texts of many lengths move the ends of blocks to every place in a record."""
    rng = random.Random(0)
    rows = [write.history(n, loss=n / 2, note="x" * rng.randrange(200_000 if n % 50 == 0 else 900)) for n in range(400)]
    pieces = read(wandb, write.log([write.run(lr=0.1), *rows, write.exit(0)]), tmp_path)
    assert not flaws(pieces)
    assert series(pieces) == {"loss": [n / 2 for n in range(400)]}
    (one,) = (piece for piece in pieces if isinstance(piece, Series))
    assert one.steps is not None and one.steps.tolist() == list(range(400)) and one.unit == "offset"
    assert end(pieces).outcome == "finished" and end(pieces).code == 0


def test_every_kind_of_value(tmp_path: Path) -> None:
    typed = field(2, b"".join(
        field(1, field(2, key) + value)
        for key, value in (
            (b"whole", field(5, 13)), (b"real", field(6, 0.5, "<d")), (b"text", field(7, b"hello")),
            (b"json", field(8, b'{"a": [2]}')), (b"none", field(3, 0)), (b"true", field(4, 1)),
        )
    ) + field(2, field(1, 3)))  # fmt: skip
    nested = field(2, field(1, write.item(("a", "b"), 2.0)) + field(1, write.item("old", "NaN")))
    pieces = read(wandb, write.log([typed, nested]), tmp_path)
    assert repr(series(pieces)) == repr(
        {"whole": [-7.0], "real": [0.5], "json/a": [2.0], "a/b": [2.0], "old": [float("nan")]}
    )


def test_the_fast_way_finds_what_the_slow_way_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    odd = [1, -2.5, 1e-7, float("nan"), -float("inf"), 10**30, True, None, "x", "1.5", [1, 2], {"a": 1}, 0, "train"]
    rows = [
        write.history(
            n, **{f"k{rng.randrange(5)}": rng.choice(odd), "ä" * rng.randrange(90): n, "mode": rng.choice(odd)}
        )
        for n in range(300)
    ]
    quick = read(wandb, write.log(rows), tmp_path)
    monkeypatch.setattr("stetho.readers.wandb._plain", lambda *_: None)
    slow = read(wandb, write.log(rows), tmp_path)
    assert repr(sorted(series(quick).items())) == repr(sorted(series(slow).items()))


def test_settings_with_secrets_hidden(tmp_path: Path) -> None:
    records = [
        write.run(lr=0.1, model={"layers": [1, 2], "bias": True}, api_key="abc"),
        field(5, field(1, write.item("lr", 0.2))),
    ]
    config = facts(read(wandb, write.log(records), tmp_path))["config"]
    assert isinstance(config, Config)
    assert {one.key: (one.text, one.number) for one in config.values} == {
        "lr": ("0.2", 0.2),
        "model.layers": ("[1, 2]", None),
        "model.bias": ("true", None),
        "api_key": ("(hidden)", None),
    }


def test_cut_off_anywhere_it_keeps_the_rows_before(tmp_path: Path) -> None:
    parts = [write.history(n, loss=n / 2) for n in range(6)]
    ends = [len(write.log(parts[: n + 1])) for n in range(6)]
    data = write.log([*parts, write.exit(0)])
    for cut in range(7, len(data)):
        pieces = read(wandb, data[:cut], tmp_path)
        assert series(pieces).get("loss", []) == [n / 2 for n in range(sum(stop <= cut for stop in ends))]
        assert len(flaws(pieces)) == (0 if cut in (7, *ends) else 1)
        assert end(pieces).outcome == "open"


def test_a_damaged_record_costs_its_block(tmp_path: Path) -> None:
    rows = [write.history(n, loss=n, note="x" * 500) for n in range(300)]
    data = bytearray(write.log([*rows, write.exit(0)]))
    data[40_000] ^= 255
    pieces = read(wandb, bytes(data), tmp_path)
    found = series(pieces)["loss"]
    assert 200 < len(found) < 290 and found[0] == 0 and found[-1] == 299
    assert len(flaws(pieces)) == 1
    assert end(pieces).outcome == "finished"


def test_room_that_was_never_filled_is_no_damage(tmp_path: Path) -> None:
    data = write.log([write.history(1, loss=1.0)]) + bytes(5000)
    assert not flaws(read(wandb, data, tmp_path))


def test_any_damage_is_survived(tmp_path: Path) -> None:
    data = write.log(
        [write.run(lr=1), *(write.history(n, loss=n) for n in range(5)), write.stats(5, cpu=1), write.exit(1)]
    )
    for bad in mutated(data, 300):
        for piece in read(wandb, bad, tmp_path):
            assert isinstance(piece, (Series, Flaw, Reading))


def test_any_record_with_a_right_checksum_is_survived(tmp_path: Path) -> None:
    records = [write.run(lr=1, m={"a": [1]}), write.history(3, loss=1.0), write.stats(5, cpu=1), write.exit(1)]
    rng = random.Random(2)
    for _ in range(300):
        broken = []
        for record in records:
            changed = bytearray(record)
            for _ in range(rng.randrange(3)):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
            broken.append(bytes(changed))
        for piece in read(wandb, write.log(broken), tmp_path):
            assert isinstance(piece, (Series, Flaw, Reading))


def test_values_that_are_nests_of_brackets_are_passed_over(tmp_path: Path) -> None:
    deep = field(2, field(1, field(2, b"x") + field(16, b"[" * 20_000)) + field(1, write.item("loss", 1.0)))
    assert series(read(wandb, write.log([deep]), tmp_path)) == {"loss": [1.0]}
