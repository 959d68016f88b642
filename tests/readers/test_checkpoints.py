"""Checkpoints are judged as they lie: whole, cut at any byte, damaged, hostile; and nothing in them is ever run."""

from __future__ import annotations

import os
import pickle
import random
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import torch

from stetho import catalogue
from stetho.artifact import artifact_at
from stetho.facts import Checkpoint
from stetho.formats.drawn_pickle import Call, Name, NotDrawn, drawn
from stetho.reader import Reading

CATALOGUE = catalogue.load()


def judged(path: Path) -> Checkpoint:
    found = [piece for piece in CATALOGUE.read(artifact_at(path)) if isinstance(piece, Reading)]
    assert len(found) == 1 and found[0].summary
    assert isinstance(found[0].fact, Checkpoint)
    return found[0].fact


def state() -> dict[str, Any]:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.BatchNorm1d(32), torch.nn.Linear(32, 4))
    optimizer = torch.optim.AdamW(model.parameters())
    model(torch.randn(8, 16)).sum().backward()
    optimizer.step()
    return {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": 7, "name": "a run"}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "last"
    torch.save(state(), path)
    return path


def test_a_whole_checkpoint_is_whole(saved: Path) -> None:
    found = judged(saved)
    assert (found.state, found.format, found.flaws, found.names) == ("whole", "torch", (), ())
    assert found.tensors is not None and found.scanned > 10 and found.size == saved.stat().st_size


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_weights_that_are_not_finite_are_named(dtype: torch.dtype, tmp_path: Path) -> None:
    good, bad = torch.full((20, 20), 3.0, dtype=dtype).tril(), torch.randn(20, 20).to(dtype)
    bad[3, 4], bad[5, 6] = float("nan"), float("inf")
    torch.save(
        {"net": {"good.weight": good, "bad.weight": bad, "bias": torch.zeros(8), "n": torch.arange(3)}}, tmp_path / "x"
    )
    (flaw,) = judged(tmp_path / "x").flaws
    assert (flaw.name, flaw.what, flaw.elements, flaw.bad) == ("net.bad.weight", "nonfinite", 400, 2)


def test_large_finite_weights_are_finite(tmp_path: Path) -> None:
    """Their sum overflows, which is no reason."""
    torch.save({"w": torch.full((40, 40), 3e38).tril(), "h": torch.full((40, 40), 6e4).half().tril()}, tmp_path / "x")
    assert judged(tmp_path / "x").flaws == ()


def test_a_matrix_without_a_difference_is_told(tmp_path: Path) -> None:
    torch.save({"zero": torch.zeros(30, 30), "ones": torch.ones(30, 30), "bias": torch.zeros(900)}, tmp_path / "x")
    assert {(flaw.name, flaw.what) for flaw in judged(tmp_path / "x").flaws} == {("zero", "zero"), ("ones", "constant")}


def test_cut_at_any_byte_it_is_not_whole(saved: Path) -> None:
    data = saved.read_bytes()
    random_ = random.Random(1)
    for size in sorted({*range(64, len(data), 997), *random_.sample(range(64, len(data)), 60), len(data) - 1}):
        saved.write_bytes(data[:size])
        assert judged(saved).state == "truncated", size


def test_a_flipped_bit_in_the_numbers_is_found(saved: Path) -> None:
    with zipfile.ZipFile(saved) as archive:
        info = max(archive.infolist(), key=lambda one: one.file_size)
    data = bytearray(saved.read_bytes())
    data[info.header_offset + 30 + len(info.filename) + 200] ^= 1
    saved.write_bytes(bytes(data))
    assert judged(saved).state == "damaged" and "checksum" in judged(saved).detail


def test_a_storage_that_is_missing_or_short_is_damage(saved: Path, tmp_path: Path) -> None:
    for wanted, expected in ((None, "missing"), (b"1234", "bytes of")):
        other = tmp_path / "other"
        with zipfile.ZipFile(saved) as old, zipfile.ZipFile(other, "w") as new:
            for info in old.infolist():
                inside = old.read(info) if not info.filename.endswith("/data/0") else wanted
                if inside is not None:
                    new.writestr(info.filename, inside)
        assert judged(other).state == "damaged" and expected in judged(other).detail


class Hostile:
    """What a harmful pickle does: it makes the loader call something."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch harmed",)


def test_a_harmful_pickle_is_drawn_and_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.save({"w": torch.ones(2), "x": Hostile()}, tmp_path / "evil")
    assert judged(tmp_path / "evil").names == ("posix.system",)
    (tmp_path / "plain").write_bytes(pickle.dumps(Hostile()))
    list(CATALOGUE.read(artifact_at(tmp_path / "plain")))
    call = drawn(pickle.dumps(Hostile()))
    assert isinstance(call, Call) and call.what == Name("posix", "system") and call.args == ("touch harmed",)
    assert not (tmp_path / "harmed").exists()


def test_pickles_that_blow_up_do_not(tmp_path: Path) -> None:
    laughs = b"\x80\x02]q\x00(" + b"h\x00" * 10 + b"e" + b"."
    assert drawn(laughs)
    doubled = b"(lp0\n" + b"".join(b"(g%d\ng%d\ntp%d\n" % (i, i, i + 1) for i in range(60)) + b"."
    with zipfile.ZipFile(tmp_path / "bomb", "w") as archive:
        archive.writestr("archive/data.pkl", doubled)
    assert judged(tmp_path / "bomb").state == "whole"
    with zipfile.ZipFile(tmp_path / "zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02}." + bytes(300 << 20))
    assert judged(tmp_path / "zip").state == "damaged"
    for bad in (b"", b"\x80", b"\x80\x02.", b"t.", b"R.", b"q\x00.", b"\x80\x04\x95", b"cos\nsystem\n(S'x'\ntR"):
        with pytest.raises(NotDrawn):
            drawn(bad)


@pytest.mark.parametrize("protocol", range(2, 6))
def test_what_is_drawn_is_what_is_pickled(protocol: int) -> None:
    plain = {
        "a": [1, 2.5, -3, 2**70, None, True],
        "b": ("x", b"y" if protocol > 2 else "y", ()),
        "c": {"d": {1: "e"}},
        "f": [[]] * 3,
    }

    def again(value: Any) -> Any:
        if hasattr(value, "pairs"):
            return {key: again(held) for key, held in value.pairs}
        return type(value)(map(again, value)) if isinstance(value, (list, tuple)) else value

    assert again(drawn(pickle.dumps(plain, protocol))) == plain


def test_damage_anywhere_is_no_crash(saved: Path) -> None:
    data, random_ = saved.read_bytes(), random.Random(3)
    for _ in range(150):
        wrong = bytearray(data)
        for _ in range(random_.randint(1, 20)):
            wrong[random_.randrange(64, len(wrong))] = random_.randrange(256)
        saved.write_bytes(bytes(wrong))
        assert judged(saved).state in ("whole", "truncated", "damaged")


def safetensors(tensors: dict[str, torch.Tensor]) -> bytes:
    """The format in a few lines: the length of a header, the header, the numbers."""
    import json

    header, body = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in tensors.items():
        raw = tensor.contiguous().view(torch.uint8).numpy().tobytes()
        kind = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16"}[tensor.dtype]
        place = [len(body), len(body) + len(raw)]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": place}  # type: ignore[dict-item]
        body += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def test_safetensors_at_any_length(tmp_path: Path) -> None:
    path, weight = tmp_path / "w", torch.randn(9, 9)
    whole = safetensors({"a": weight, "b": torch.full((9, 9), torch.inf).half(), "c": weight.bfloat16()})
    path.write_bytes(whole)
    found = judged(path)
    assert (found.state, found.tensors, found.scanned) == ("whole", 3, 3)
    assert [(flaw.name, flaw.bad) for flaw in found.flaws] == [("b", 81)]
    for size in range(120, len(whole), 7):
        path.write_bytes(whole[:size])
        assert judged(path).state == "truncated"
    random_ = random.Random(5)
    for _ in range(200):
        wrong = bytearray(whole)
        wrong[random_.randrange(8, 250)] = random_.randrange(256)
        path.write_bytes(bytes(wrong))
        assert all(isinstance(piece, Reading) for piece in CATALOGUE.read(artifact_at(path)) if piece)


def test_the_form_before_zips_is_known(tmp_path: Path) -> None:
    torch.save(state(), tmp_path / "old", _use_new_zipfile_serialization=False)
    assert judged(tmp_path / "old").format == "torch before 1.6"


def test_it_works_without_torch(saved: Path) -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from pathlib import Path; from stetho import catalogue; from stetho.artifact import artifact_at\n"
        f"(one,) = catalogue.load().read(artifact_at(Path({str(saved)!r})))\n"
        "assert one.fact.state == 'whole', one.fact.state"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
