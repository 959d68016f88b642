"""Parameters that are not simply trained, and the types of everything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stetho.facts import Amount, ParameterStates, Types

from .lines import call, fact, line, read, steps, summary, told

COVERED: dict[str, Any] = {
    "reached": 10, "left_out": 4, "names": ["Net.c"], "idle": 0, "loaded": False, "late": False, "unregistered": [],
    "covering": [], "extra": [], "made": [],
}  # fmt: skip


def states(folder: Path, *events: str) -> ParameterStates:
    return fact(ParameterStates, read(folder, *events, steps(0, [1.0])))


def test_every_state_by_name(tmp_path: Path) -> None:
    covered = line("coverage", **COVERED, nograd=["Net.a"], unchanged=["Net.a", "Net.b"], frozen=["Net.x"])
    model = line("model", **{"class": "Net", "frozen": ["x", "y"], "shared": [["head", "embed"], ["head", "embed"]]})
    found = states(tmp_path, covered, model)
    assert (found.no_gradient, found.unchanged) == (("Net.a",), ("Net.a", "Net.b"))
    assert found.frozen == ("Net.x", "Net.y")
    assert found.shared == (("Net.head", "Net.embed"),)
    assert found.left_out == ("Net.c",)


def test_none_at_all_is_not_unknown(tmp_path: Path) -> None:
    covered = line("coverage", **{**COVERED, "names": []}, nograd=[], unchanged=[], frozen=[])
    found = states(tmp_path, covered, line("model", **{"class": "Net", "frozen": [], "shared": []}))
    assert found == ParameterStates((), (), (), (), ())
    assert "0 frozen" in summary(ParameterStates, read(tmp_path, covered, steps(0, [1.0])))


def test_what_an_old_recording_does_not_say_is_unknown(tmp_path: Path) -> None:
    found = states(tmp_path, line("coverage", **COVERED))
    assert found == ParameterStates(left_out=("Net.c",))


def test_samples_tell_what_never_moves(tmp_path: Path) -> None:
    names = line("parameters", o=0, names=["a", "b", "c"], sizes=[1] * 3, dtypes=["f"] * 3, devices=["cpu"] * 3)
    rows = [([None, 1.0, 1.0], [None, 0.0, 0.1]), ([None, 1.0, None], [0.0, 0.0, 0.1])]
    samples = [line("sample", o=0, i=i, g=g, u=u) for i, (g, u) in enumerate(rows)]
    found = states(tmp_path, names, *samples)
    assert (found.no_gradient, found.unchanged) == (("a",), ("b",))


def test_one_sample_does_not_tell_what_never_moves(tmp_path: Path) -> None:
    assert ParameterStates not in told(read(tmp_path, line("sample", o=0, i=0, g=[None], u=[0.0]), steps(0, [1.0])))


def test_types_and_devices_of_everything(tmp_path: Path) -> None:
    record = read(
        tmp_path,
        line("parameters", o=0, names=["a", "b"], sizes=[3, 4], dtypes=["float32", "float16"], devices=["cpu", "cpu"]),
        line("parameters", o=1, names=["c"], sizes=[2], dtypes=["float32"], devices=["cuda:0"]),
        line("mode", training=True, grad=True, autocast="bfloat16", out="bfloat16", device="cuda:0", **{"in": "uint8"}),
        line("mode", training=False, grad=False, autocast=None, out=None, device=None, **{"in": ["uint8", "int64"]}),
        call(dtype="bfloat16", tdtype="int64"),
        call(site=1, dtype="float32"),
        steps(0, [1.0]),
    )
    types = fact(Types, record)
    assert types.parameters == (Amount("float32", 5), Amount("float16", 4))
    assert types.devices == (Amount("cpu", 7), Amount("cuda:0", 2))
    assert (types.inputs, types.outputs, types.output_devices) == (("uint8", "int64"), ("bfloat16",), ("cuda:0",))
    assert (types.losses, types.targets, types.autocast) == (("bfloat16", "float32"), ("int64",), ("bfloat16",))


def test_types_that_nobody_wrote_down(tmp_path: Path) -> None:
    assert Types not in told(read(tmp_path, steps(0, [1.0])))
