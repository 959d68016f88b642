"""Which steps met NaN or Inf, where the first came from, and what is said when nobody could find out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stetho.facts import NonfiniteOrigin, NonfiniteSteps, Unlocalised

from .lines import HEAD, INF, NAN, TRAIN, fact, line, read, steps, summary, told, write


def test_a_calm_run_says_so(tmp_path: Path) -> None:
    seen = fact(NonfiniteSteps, read(tmp_path, steps(0, [1.0, 2.0, 3.0])))
    assert (seen.steps, seen.losses, seen.gradients) == (3, 0, 0)
    assert (seen.first_loss, seen.first_gradient, seen.first_parameter, seen.parameters) == (None, None, None, ())


def test_bad_losses_gradients_and_parameters_are_counted(tmp_path: Path) -> None:
    names = line("parameters", o=0, names=["a", "b"], sizes=[1, 1], dtypes=["f", "f"], devices=["cpu", "cpu"])
    samples = [line("sample", o=0, i=i, w=[1.0, NAN if i > 2 else 1.0]) for i in range(5)]
    record = read(tmp_path, names, *samples, steps(4, [1.0, NAN, INF, NAN], g=[INF, NAN, None, 1.0]))
    seen = fact(NonfiniteSteps, record)
    assert (seen.losses, seen.first_loss) == (3, 5)
    assert (seen.gradients, seen.first_gradient) == (2, 4)
    assert (seen.parameters, seen.first_parameter) == (("b",), 3)


def born(step: int, **more: Any) -> str:
    return line("origin", **{"step": step, "op": "log", "phase": "forward", "site": 0, "graph": True, **more})


def test_a_replayed_origin_names_module_and_sample(tmp_path: Path) -> None:
    body = {"module": "net.head", "replayed": True, "sample": 3, "low": 0.0, "high": 1.0, "zeros": 2, "size": 9}
    record = read(tmp_path, steps(0, [1.0, NAN]), born(1, **body))
    origin = fact(NonfiniteOrigin, record)
    assert (origin.module, origin.replayed, origin.sample) == ("net.head", True, 3)
    assert (origin.input_zeros, origin.input_size, origin.divisor_zeros) == (2, 9, 0)
    assert origin.where == TRAIN
    assert "in net.head" in summary(NonfiniteOrigin, record)


def test_an_origin_may_say_little(tmp_path: Path) -> None:
    origin = fact(NonfiniteOrigin, read(tmp_path, steps(0, [NAN]), line("origin", step=0, op="input", phase="data")))
    assert (origin.phase, origin.where, origin.input_min, origin.replayed, origin.module) == (
        "data", None, None, None, None,
    )  # fmt: skip


@pytest.mark.parametrize("phase", ["backward", "optimizer", "data"])
def test_only_a_forward_value_can_lie_off_the_way(tmp_path: Path, phase: str) -> None:
    mask = born(0, op="masked", graph=False)
    origin = fact(NonfiniteOrigin, read(tmp_path, steps(0, [1.0, NAN]), mask, born(1, phase=phase, graph=False)))
    assert (origin.step, origin.phase) == (1, phase)


def test_an_origin_that_was_not_found_says_why(tmp_path: Path) -> None:
    lost = line("unlocalised", step=4, why="the model is compiled", what="the loss")
    record = read(tmp_path, steps(0, [1.0, NAN]), lost, line("unlocalised", step=9, why="other"))
    found = fact(Unlocalised, record)
    assert (found.step, found.why, found.what) == (4, "the model is compiled", "the loss")
    assert NonfiniteOrigin not in told(record)


def test_a_found_origin_settles_it(tmp_path: Path) -> None:
    record = read(tmp_path, steps(0, [1.0, NAN]), line("unlocalised", step=1, why="x"), born(1))
    assert Unlocalised not in told(record)


def test_without_steps_nothing_is_counted(tmp_path: Path) -> None:
    write(tmp_path, HEAD)
    assert NonfiniteSteps not in told(read(tmp_path))
