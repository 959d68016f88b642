"""Logs of nvidia-smi, with one GPU or several, with ids or without."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.readers.reading import at, flaws, mutated, read, series

from stetho.reader import Flaw
from stetho.readers.nvidia_smi import LOG, nvidia_smi
from stetho.readers.separated_values import separated_values
from stetho.series import Series


def test_every_way_to_write_a_value(tmp_path: Path) -> None:
    text = (
        "timestamp, pci.bus_id, power.draw [W], clocks_throttle_reasons.active, clocks_throttle_reasons.hw_slowdown\n"
        "2024/01/01 00:00:00.000, 0000:01, 71.25 W, 0x0000000000000004, Not Active\n"
        "2024/01/01 00:00:00.000, 0000:02, [Not Supported], 0x0000000000000000, Active\n"
        "2024/01/01 00:00:01.000, 0000:01, ERR!, [N/A], Active\n"
    )
    pieces = read(nvidia_smi, text, tmp_path)
    assert series(pieces) == {
        "gpu0/power.draw": [71.25],
        "gpu0/clocks_throttle_reasons.active": [4.0],
        "gpu0/clocks_throttle_reasons.hw_slowdown": [0.0, 1.0],
        "gpu1/clocks_throttle_reasons.active": [0.0],
        "gpu1/clocks_throttle_reasons.hw_slowdown": [1.0],
    }
    slow = next(one for one in pieces if isinstance(one, Series) and one.name.endswith("slowdown"))
    assert slow.times is not None and slow.times.tolist() == [1704067200.0, 1704067201.0]
    assert slow.at is not None and slow.at.tolist() == [2, 4]


def test_without_ids_gpus_are_told_apart_by_their_order(tmp_path: Path) -> None:
    text = "timestamp, utilization.gpu [%], memory.used [MiB]\n" + "".join(
        f"2024/01/01 00:00:0{second}.000, {10 * gpu + second} %, 5 MiB\n" for second in range(3) for gpu in range(2)
    )
    found = series(read(nvidia_smi, text, tmp_path))
    assert found["gpu0/utilization.gpu"] == [0, 1, 2] and found["gpu1/utilization.gpu"] == [10, 11, 12]


def test_without_units_and_with_the_header_again(tmp_path: Path) -> None:
    header = "index, utilization.gpu [%], memory.used [MiB]\n"
    text = f"{header}3, 5, 100\n{header}3, 6, 200\n"
    assert series(read(nvidia_smi, text, tmp_path))["gpu3/memory.used"] == [100, 200]


@pytest.mark.parametrize("text", ["step, loss\n1, 2\n", "index, name\n1, a\n", "name\nx\n", "", "memory.used\n1\n"])
def test_other_tables_are_not_taken(text: str, tmp_path: Path) -> None:
    assert nvidia_smi.recognises(at(text, tmp_path)) == 0.0


def test_it_is_surer_than_a_table(tmp_path: Path) -> None:
    artifact = at(LOG, tmp_path)
    assert nvidia_smi.recognises(artifact) > separated_values.recognises(artifact)


def test_cut_off_anywhere_it_keeps_the_rows_before(tmp_path: Path) -> None:
    header = LOG.index("\n") + 1
    for cut in range(header, len(LOG)):
        pieces = read(nvidia_smi, LOG[:cut], tmp_path)
        last = LOG[:cut].rpartition("\n")[2]
        assert len(flaws(pieces)) == (1 if last and last.count(",") < 4 else 0)
        assert len(series(pieces).get("gpu0/utilization.gpu", [])) >= LOG[:cut].count("P0\n")


def test_any_damage_is_survived(tmp_path: Path) -> None:
    for bad in mutated(LOG.encode(), 300):
        for piece in read(nvidia_smi, bad, tmp_path):
            assert isinstance(piece, (Series, Flaw))
