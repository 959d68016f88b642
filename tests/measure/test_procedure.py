"""The order of calls, how often schedulers are called, modes, graphs, and the rates of groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stetho import recording
from stetho.evidence import Place
from stetho.facts import CallOrder, Detached, GraphGrowth, GroupRate, LearningRate, Modes, SchedulerUse

from .lines import HEAD, MAKE, TRAIN, fact, line, read, steps, summary, told, write


def ordered(*orders: str, first: int = 0, **more: Any) -> str:
    return steps(first, [1.0] * len(orders), order=list(orders), **more)


def test_patterns_are_counted_and_told_in_words(tmp_path: Path) -> None:
    record = read(tmp_path, ordered("zfbs", "zfbs", "lefzbcus", "zfbs", bw=[1, 1, 4, 1], at=1))
    order = fact(CallOrder, record)
    usual, other = order.patterns
    assert (usual.letters, usual.order, usual.steps, usual.first) == (
        "zfbs",
        "zero_grad, forward, backward, step",
        3,
        0,
    )
    assert other.order == "schedule, evaluate, forward, zero_grad, backward, clip, unscale, step" and other.first == 2
    assert (order.optimizer, order.steps, order.distinct, order.backwards, order.step_at) == ("SGD", 4, 2, 1.0, MAKE)
    assert "3 of 4 steps" in summary(CallOrder, record)


def test_a_letter_from_the_future_stays_a_letter(tmp_path: Path) -> None:
    assert fact(CallOrder, read(tmp_path, ordered("zq"))).patterns[0].order == "zero_grad, q"


def test_at_most_ten_patterns_are_listed(tmp_path: Path) -> None:
    order = fact(CallOrder, read(tmp_path, ordered(*("fb" * i + "s" for i in range(30)))))
    assert (len(order.patterns), order.distinct) == (10, 30)


def test_old_recordings_do_not_tell_the_order(tmp_path: Path) -> None:
    assert CallOrder not in told(read(tmp_path, line("step", o=0, i=0, loss=[[0, 1.0]], lr=[0.1], g=1.0)))


# --- schedulers ----------------------------------------------------------------------------------------------


def scheduler(folder: Path, orders: list[str], begun: list[int], **more: Any) -> SchedulerUse:
    made = line("scheduler", **{"s": 0, "name": "StepLR", "o": 0, "site": 1, "horizon": 30, **more})
    epochs = [line("epoch", l=0, step=step) for step in begun]
    (one,) = fact(CallOrder, read(folder, made, *epochs, ordered(*orders))).schedulers
    return one


STEP, AFTER = "zfbs", "lzfbs"


def test_a_scheduler_after_every_step(tmp_path: Path) -> None:
    one = scheduler(tmp_path, [STEP, *[AFTER] * 9], [0])
    assert (one.name, one.where, one.horizon) == ("StepLR", MAKE, 30)
    assert (one.unit, one.calls, one.interval) == ("step", 9, 1.0)


def test_a_scheduler_after_every_epoch(tmp_path: Path) -> None:
    one = scheduler(tmp_path, [STEP, STEP, STEP, AFTER, STEP, STEP, AFTER, STEP, STEP], [0, 3, 6])
    assert (one.unit, one.calls, one.interval) == ("epoch", 2, 3.0)


def test_a_scheduler_now_and_then(tmp_path: Path) -> None:
    one = scheduler(tmp_path, [STEP, AFTER, STEP, STEP, STEP, AFTER, STEP, STEP, STEP], [0])
    assert (one.unit, one.interval) == ("other", 4.0)


def test_a_scheduler_that_is_never_called(tmp_path: Path) -> None:
    one = scheduler(tmp_path, [STEP] * 9, [0, 3, 6])
    assert (one.unit, one.calls, one.interval) == ("never", 0, None)


def test_within_the_first_epoch_nobody_knows_yet(tmp_path: Path) -> None:
    assert scheduler(tmp_path, [STEP] * 9, [0]).unit is None
    assert scheduler(tmp_path, [STEP], [0, 1]).unit is None


def test_a_scheduler_of_an_optimizer_that_is_not_known(tmp_path: Path) -> None:
    one = scheduler(tmp_path, [STEP] * 3, [0], o=None, horizon=None)
    assert (one.unit, one.calls, one.horizon) == (None, None, None)


def test_steps_that_were_thinned_out_do_not_change_the_unit(tmp_path: Path) -> None:
    """In the thinned part every epoch's beginning is missing, and every other call."""
    made = line("scheduler", s=0, name="StepLR", o=0, site=1, horizon=None)
    whole = "".join(line("epoch", l=0, step=s) for s in (0, 3, 6, 9)) + ordered(*[STEP, STEP, AFTER] * 3, first=1)
    write(tmp_path, HEAD + made + whole, "r0-1.jsonl")
    write(tmp_path, line("thinned") + ordered(STEP, AFTER, STEP, first=12, every=2), "r0-1.1.jsonl")
    (one,) = fact(CallOrder, recording.read(tmp_path)).schedulers
    assert (one.unit, one.calls) == ("epoch", 3)


# --- rates of groups -----------------------------------------------------------------------------------------


def test_groups_have_rates_of_their_own(tmp_path: Path) -> None:
    made = HEAD.replace('"lr":[0.1]}', '"lr":[0.1,1.0],"groups":[5,6]}')
    rates = [[0.1, 1.0], [0.2, None], [0.05, 3.0]]
    write(tmp_path, made + steps(0, [1.0] * 3, lr=rates))
    rate = fact(LearningRate, recording.read(tmp_path))
    assert rate.groups == (GroupRate(5, 0.1, 0.05, 0.2), GroupRate(6, 1.0, 3.0, 3.0))


def test_a_group_without_a_rate(tmp_path: Path) -> None:
    rate = fact(LearningRate, read(tmp_path, steps(0, [1.0], lr=[[0.1, None]])))
    assert rate.groups[1] == GroupRate(None, None, None, None)


def test_one_group_needs_no_list(tmp_path: Path) -> None:
    assert fact(LearningRate, read(tmp_path, steps(0, [1.0]))).groups == ()


# --- modes and graphs ----------------------------------------------------------------------------------------


def mode(training: bool, grad: bool, **more: Any) -> str:
    body = {
        "step": 0, "training": training, "grad": grad, "site": 0, "autocast": None, "in": "float32", "out": "float32",
        "out_grad": grad, "device": "cpu", "norm_eval": 0, "norm_train": 2, "dropout_eval": 1, "dropout_train": 3,
    }  # fmt: skip
    return line("mode", **{**body, **more})


def test_modes_with_their_layers_and_counts(tmp_path: Path) -> None:
    counts = [line("modes", counts=[[True, True, 5]]), line("modes", counts=[[True, True, 9], [False, False, 4]])]
    record = read(
        tmp_path, mode(True, True, autocast="bfloat16"), counts[0], mode(False, False, step=7, site=1), counts[1]
    )
    modes = fact(Modes, record)
    one, two = modes.uses
    assert (one.training, one.grad, one.step, one.where) == (True, True, 0, TRAIN)
    assert (one.autocast, one.output_grad, one.device) == ("bfloat16", True, "cpu")
    assert (one.norms_in_eval, one.norms_in_training, one.dropouts_in_eval, one.dropouts_in_training) == (0, 2, 1, 3)
    assert (two.training, two.grad, two.step, two.where, two.autocast) == (False, False, 7, MAKE, None)
    assert [(c.training, c.grad, c.calls) for c in modes.calls] == [(True, True, 9), (False, False, 4)]
    assert "evaluation mode without gradients 4 times" in summary(Modes, record)


def test_a_mode_of_which_little_is_known(tmp_path: Path) -> None:
    (one,) = fact(Modes, read(tmp_path, line("mode", training=True, grad=False))).uses
    assert (one.output_grad, one.norms_in_eval, one.device, one.where) == (None, None, None, None)


def graph(step: int, **more: Any) -> str:
    return line("graph", **{"step": step, "leaves": 4, "nodes": 10, "retain": False, **more})


def test_graphs_that_reach_no_parameter(tmp_path: Path) -> None:
    events = [graph(0), graph(1, leaves=0), graph(2, leaves=0)]
    events += [mode(True, True, out_grad=False), mode(False, False), mode(True, True, out_grad=False)]
    detached = fact(Detached, read(tmp_path, *events))
    assert (detached.backwards, detached.without_parameters) == (3, 2)
    assert detached.outputs == (Place("/w/train.py", 9, key="main"),)


def test_an_output_without_a_graph_is_expected_without_gradients(tmp_path: Path) -> None:
    events = [mode(True, False, out_grad=False), mode(False, True, out_grad=False), mode(True, True)]
    assert fact(Detached, read(tmp_path, *events)).outputs == ()


def test_the_graph_from_step_to_step(tmp_path: Path) -> None:
    record = read(tmp_path, *(graph(i, nodes=10 + 7 * i, retain=i > 1) for i in range(4)))
    growth = fact(GraphGrowth, record)
    assert (growth.steps, growth.nodes, growth.retained) == ((0, 1, 2, 3), (10, 17, 24, 31), 2)
    assert "10 nodes at step 0, 31 at step 3" in summary(GraphGrowth, record)


@pytest.mark.parametrize("old", ["", line("graph", leaves=3)])
def test_graphs_that_were_not_counted(tmp_path: Path, old: str) -> None:
    assert GraphGrowth not in told(read(tmp_path, old, steps(0, [1.0])))
