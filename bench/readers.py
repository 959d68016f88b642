"""Measures how fast readers read, beside the libraries whose formats these are: processor seconds, and ratios.

    python bench/readers.py [--rounds N] [--scale F] [NAME ...]

Each round lets stetho and its peers read the same file, one after the other, so that a machine that is slow at times is
slow for all; the best of all rounds counts. A peer that is not installed is left out. What peers make of a file
differs, objects or tables, and nobody but stetho keeps the place of every point.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import random
import sqlite3
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from stetho import catalogue  # noqa: E402
from stetho.artifact import artifact_at  # noqa: E402
from stetho.reader import Flaw  # noqa: E402
from stetho.series import Series  # noqa: E402

TAGS = ("train/loss", "train/grad_norm", "lr", "val/acc", "train/accuracy_top1")


# --- files ---------------------------------------------------------------------------------------------------


def event_file(file: Path, count: int) -> None:
    """Scalars of five tags, as SummaryWriter writes them."""
    import numpy as np
    from tests.readers import event_files as write

    from stetho.formats import crc32c

    def body(n: int) -> bytes:
        head = write.field(1, 1.7e9 + n / 3, "<d") + (write.field(2, n // 5) if n >= 5 else b"")
        return head + write.field(5, write.field(1, write.simple(TAGS[n % 5], n * 0.001)))

    records = [body(n) for n in range(count)]
    by_size: dict[int, list[int]] = {}
    for place, record in enumerate(records):
        by_size.setdefault(len(record), []).append(place)
    for size, places in by_size.items():
        rows = np.frombuffer(b"".join(records[n] for n in places), np.uint8).reshape(len(places), size)
        length = struct.pack("<Q", size)
        header = length + write.masked(length)
        for n, checksum in zip(places, crc32c.masked(crc32c.of_rows(rows)).tolist(), strict=True):
            records[n] = header + records[n] + struct.pack("<I", checksum)
    file.write_bytes(write.version() + b"".join(records))


def numbers(count: int) -> list[tuple[int, float, float, float, float]]:
    rng = random.Random(0)
    return [(n, rng.random(), 3e-4 * rng.random(), round(rng.random(), 4), round(n / 1000, 3)) for n in range(count)]


NAMES = ("step", "loss", "lr", "grad_norm", "epoch")


def json_lines(file: Path, count: int) -> None:
    file.write_text("".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in numbers(count)))


def table(file: Path, count: int) -> None:
    with file.open("w") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(NAMES)
        writer.writerows(numbers(count))


def sparse_table(file: Path, count: int) -> None:
    """As Lightning writes it: each row has the numbers of one of two phases."""
    with file.open("w") as handle:
        handle.write("epoch,step,train_loss,val_loss\n")
        for n, loss, *_ in numbers(count):
            handle.write(f"{n // 100},{n},{loss},\n" if n % 10 else f"{n // 100},{n},,{loss}\n")


def wandb_file(file: Path, count: int) -> None:
    from tests.readers import block_logs as write

    rows = (
        write.history(n, loss=loss, lr=lr, norm=norm, _timestamp=1.7e9 + n) for n, loss, lr, norm, _ in numbers(count)
    )
    file.write_bytes(write.log([write.run(lr=0.1), *rows, write.exit(0)]))


def mlflow_database(file: Path, count: int) -> None:
    from tests.readers.databases import MLFLOW

    connection = sqlite3.connect(file)
    connection.executescript(MLFLOW)
    connection.execute("INSERT INTO runs VALUES ('aa', 'one', 'FINISHED', 1, 2, 'active')")
    rows = (("loss", loss, 1_700_000_000_000 + n, "aa", n, 0) for n, loss, *_ in numbers(count))
    connection.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()


# --- peers ---------------------------------------------------------------------------------------------------


def accumulator(file: Path) -> object:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = EventAccumulator(str(file), size_guidance={"scalars": 0})
    found.Reload()
    return found


def by_json(file: Path) -> object:
    with file.open("rb") as handle:
        return [json.loads(line) for line in handle]


def by_orjson(file: Path) -> object:
    import orjson

    with file.open("rb") as handle:
        return [orjson.loads(line) for line in handle]


def by_orjson_columns(file: Path) -> object:
    """As far as stetho goes: an array for every name."""
    import numpy as np
    import orjson

    with file.open("rb") as handle:
        rows = [orjson.loads(line) for line in handle]
    return {name: np.array([row[name] for row in rows], float) for name in NAMES}


def json_by_pyarrow(file: Path) -> object:
    import pyarrow
    from pyarrow import json as reader

    pyarrow.set_cpu_count(1)
    return [column.to_numpy() for column in reader.read_json(file).columns]


def json_by_pandas(file: Path) -> object:
    import pandas

    return pandas.read_json(file, lines=True)


def csv_by_pyarrow(file: Path) -> object:
    import pyarrow
    from pyarrow import csv as reader

    pyarrow.set_cpu_count(1)
    return [column.to_numpy() for column in reader.read_csv(file).columns]


def csv_by_pandas(file: Path) -> object:
    import pandas

    return pandas.read_csv(file)


def by_csv(file: Path) -> object:
    with file.open() as handle:
        return [[float(cell) if cell else None for cell in row] for row in list(csv.reader(handle))[1:]]


# What is read: how it is written, how many rows, and who else reads it, with the module that it needs.
CASES: dict[str, tuple[Callable[[Path, int], None], int, dict[str, tuple[str, Callable[[Path], object]]]]] = {
    "TensorBoard": (event_file, 500_000, {"EventAccumulator": ("tensorboard", accumulator)}),
    "JSON Lines": (
        json_lines,
        500_000,
        {
            "json": ("json", by_json), "orjson": ("orjson", by_orjson),
            "orjson to arrays": ("orjson", by_orjson_columns),
            "pyarrow": ("pyarrow", json_by_pyarrow), "pandas": ("pandas", json_by_pandas),
        },
    ),
    "CSV": (
        table, 500_000,
        {"csv": ("csv", by_csv), "pandas": ("pandas", csv_by_pandas), "pyarrow": ("pyarrow", csv_by_pyarrow)},
    ),
    "sparse CSV": (
        sparse_table, 500_000,
        {"csv": ("csv", by_csv), "pandas": ("pandas", csv_by_pandas), "pyarrow": ("pyarrow", csv_by_pyarrow)},
    ),
    "W&B": (wandb_file, 50_000, {}),
    "MLflow": (mlflow_database, 200_000, {}),
}  # fmt: skip


def by_stetho(file: Path) -> object:
    """Found by content, as in earnest."""
    pieces = list(catalogue.load().read(artifact_at(file)))
    assert not any(isinstance(piece, Flaw) for piece in pieces), pieces
    assert any(isinstance(piece, Series) for piece in pieces)
    return pieces


def measured(file: Path, peers: dict[str, Callable[[Path], object]], rounds: int) -> dict[str, float]:
    """The least processor seconds of each."""
    best = dict.fromkeys(peers, float("inf"))
    for _ in range(rounds):
        for name, peer in peers.items():
            start = time.process_time()
            peer(file)
            best[name] = min(best[name], time.process_time() - start)
    return best


def rows_of(names: Sequence[str], rounds: int, scale: float) -> Iterator[str]:
    """The rows of the table, one format after the other."""
    catalogue.load()
    yield "| format | rows | MB | reader | processor s | rows/s | against stetho |"
    yield "|---|---|---|---|---|---|---|"
    for name in names:
        write, rows, peers = CASES[name]
        count = int(rows * scale)
        with tempfile.TemporaryDirectory() as folder:
            # TensorBoard knows its files by their names; stetho does not look at them.
            file = Path(folder, "events.out.tfevents.1")
            write(file, count)
            here = {peer: read for peer, (needs, read) in peers.items() if importlib.util.find_spec(needs)}
            found = measured(file, {"stetho": by_stetho, **here}, rounds)
            size = file.stat().st_size / 1e6
        for peer, seconds in found.items():
            ratio = "" if peer == "stetho" else f"{seconds / found['stetho']:.2f}"
            yield f"| {name} | {count} | {size:.0f} | {peer} | {seconds:.2f} | {count / seconds:,.0f} | {ratio} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=float, default=1.0, help="times as many rows")
    given = parser.parse_args()
    for row in rows_of(given.names or list(CASES), given.rounds, given.scale):
        print(row, flush=True)


if __name__ == "__main__":
    main()
