"""The fast reader returns exactly what a slow, obvious one returns: on every example, style, mutation and cut."""

from __future__ import annotations

import importlib.util
import io
import itertools
import math
import random
import sys
from pathlib import Path

import pytest
from tests.text import slow

from stetho import catalogue
from stetho.phrase import Phrase
from stetho.text import assembly, blocks, headers, log, thinning

CATALOGUE = catalogue.load()
PHRASES = tuple(CATALOGUE.phrases.values())
SHAPES = (Path(__file__).parent / "lines.txt").read_text(encoding="utf-8").splitlines()
BENCH = Path(__file__).parents[2] / "bench" / "text_logs.py"


def styles() -> dict[str, bytes]:
    """The beginning of each log that the benchmark makes."""
    spec = importlib.util.spec_from_file_location("text_logs", BENCH)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["text_logs"] = module
    spec.loader.exec_module(module)
    made = {}
    for name, lines in module.STYLES.items():
        random.seed(3)
        made[name] = "".join(itertools.islice(lines(), 400)).encode()
    return made


STYLES = styles()


def compare(data: bytes, *, size: int = blocks.BLOCK, phrases: tuple[Phrase, ...] = PHRASES) -> None:
    fast = log.read(io.BytesIO(data), phrases, size=size)
    wanted = slow.read(data, phrases)
    made = {(one.run, one.name): one for one in assembly.series(fast, "log")}
    assert set(made) == set(wanted.series)
    for key, points in wanted.series.items():
        one = made[key]
        assert one.at is not None and one.at.tolist() == [point.line for point in points]
        assert list(map(repr, one.values.tolist())) == [repr(float(point.value)) for point in points], key
        steps = [point.step for point in points]
        whole = all(slow._fine(step) for step in steps)
        assert (one.steps is not None) == whole
        assert one.steps is None or one.steps.tolist() == [int(step) for step in steps]
        epochs = [point.epoch for point in points]
        assert one.epochs is None or list(map(repr, one.epochs.tolist())) == list(map(repr, epochs))
        assert (one.epochs is not None) == all(map(math.isfinite, epochs))
        times = [point.time for point in points]
        assert (one.times is not None) == all(map(math.isfinite, times))
        assert one.times is None or one.times.tolist() == pytest.approx(slow.unwrapped(times), abs=1e-6)
    told = {one.phrase: (one.line, one.last, one.count, fast.spoken - one.spoken) for one in fast.said.values()}
    assert told == wanted.said
    assert sum(one.count for one in fast.warnings.values()) == sum(wanted.warnings.values())
    raised = [(str(r), r.line, r.run, fast.spoken - fast.spoken_at[r.order]) for r in fast.tracebacks.found()]
    assert raised == wanted.raised
    assert fast.lines == wanted.lines


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("size", [700, 5_000, blocks.BLOCK])
def test_a_style_is_read_as_the_slow_reader_reads_it(style: str, size: int) -> None:
    compare(STYLES[style], size=size)


@pytest.mark.parametrize("style", STYLES)
def test_what_is_kept_of_a_long_log_does_not_hang_on_blocks(style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinning, "MOST", 16)
    compare(STYLES[style], size=3_000)


@pytest.mark.parametrize("spelled", ["{:.4f}", "{:.2e}", "{:g}", "{:.3f}"])
def test_extremes_of_a_long_log_are_kept(spelled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Written plainly, with signs and exponents, or with decimals that differ; and whatever the blocks are."""
    monkeypatch.setattr(thinning, "MOST", 64)
    monkeypatch.setattr(thinning, "STRETCH", 4)
    chance = random.Random(spelled)
    values = [
        chance.uniform(0.3, 0.5) * (-1 if spelled == "{:g}" and chance.random() < 0.2 else 1) for _ in range(3000)
    ]
    values[1234], values[2345] = 8.9, 0.01
    text = "".join(f"it {i} loss {spelled.format(v)} lr 1e-3\n" for i, v in enumerate(values)).encode()
    for size in (500, 4_000, blocks.BLOCK):
        compare(text, size=size)
    kept = next(one for one in assembly.series(log.read(io.BytesIO(text), ()), "log") if one.name == "loss")
    assert len(kept) < 600
    assert float(kept.values.max()) == 8.9 and 1234 in kept.steps.tolist()
    assert float(kept.values.min()) == pytest.approx(min(float(spelled.format(v)) for v in values))


def test_every_line_of_the_collection_is_read_alike() -> None:
    compare("\n".join(SHAPES).encode())
    compare("\r\n".join(SHAPES).encode(), size=400)
    for line in SHAPES:
        compare(line.encode() + b"\n")


@pytest.mark.parametrize("reader", [pytest.param(r, id=r.id) for r in CATALOGUE.readers.values()])
def test_examples_of_readers_are_read_alike(reader: catalogue.Reader) -> None:
    for example in reader.examples.values():
        if isinstance(example.content, (str, bytes)):
            compare(example.content.encode() if isinstance(example.content, str) else example.content)


def mutated(data: bytes, seed: int) -> bytes:
    """Bytes replaced, dropped and doubled, lines cut, shuffled and joined."""
    chance = random.Random(seed)
    held = bytearray(data)
    for _ in range(chance.randint(1, 60)):
        at = chance.randrange(len(held))
        kind = chance.randrange(6)
        if kind == 0:
            held[at] = chance.randrange(256)
        elif kind == 1:
            del held[at : at + chance.randint(1, 20)]
        elif kind == 2:
            held[at:at] = held[at : at + chance.randint(1, 300)]
        elif kind == 3:
            held[at:at] = chance.choice(
                [b"\r", b"\n", b"\r\n", b"\x00", b"\x1b[31m", b"\x1b", b"nan", b"1e999", b"\xff", b","]
            )
        elif kind == 4:
            held[at:at] = chance.choice(SHAPES).encode() + b"\n"
        else:
            held[at : at + 3] = b"%d" % chance.randrange(10**9)
        if not held:
            held += b"x"
    return bytes(held)


@pytest.mark.parametrize("seed", range(60))
def test_mutated_logs_are_read_alike(seed: int) -> None:
    data = (*STYLES.values(), "\n".join(SHAPES).encode())[seed % (len(STYLES) + 1)]
    compare(mutated(data[:12_000], seed), size=random.Random(seed).choice([600, 4_000, blocks.BLOCK]))


@pytest.mark.parametrize("seed", range(30))
def test_noise_is_read_alike(seed: int) -> None:
    chance = random.Random(seed)
    compare(chance.randbytes(3_000), size=chance.choice([200, 4_000]))
    soup = [
        b"loss",
        b"step",
        b" ",
        b":",
        b"=",
        b"1",
        b"0.5",
        b"nan",
        b"\n",
        b"\r",
        b"|",
        b"[",
        b"]",
        b"/",
        b",",
        b"\x1b[0m",
    ]
    compare(b"".join(chance.choices(soup, k=2_000)), size=chance.choice([200, 4_000]))


def test_a_log_of_nothing_but_lines_of_names_takes_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headers, "MOST_HEADERS", 3)
    data = b"".join(b"epoch  loss  name%s\n%d 0.5 7\n" % (b"abcdefgh"[at : at + 1], at) for at in range(8))
    (loss,) = [one for one in assembly.series(log.read(io.BytesIO(data), PHRASES), "log") if one.name == "loss"]
    assert loss.at is not None and loss.at.tolist() == [2, 4, 6, 8, 10, 12, 14, 16]
    assert len(log.read(io.BytesIO(data), PHRASES).headers.columns) == 4
