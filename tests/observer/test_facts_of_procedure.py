"""What is recorded of the procedure is what the programs did: calls, modes, parameters, states, time, and ranks."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from fact_runs import FOLDER, RANKS, STEPPED, Run, near, observed, once, shared_folder

from stetho import measure, recording
from stetho.facts import (
    CallOrder,
    Coverage,
    Detached,
    GraphGrowth,
    Memory,
    Models,
    Modes,
    ParameterStates,
    RankAgreement,
    Ranks,
    RankWaiting,
    Recorded,
    Resumed,
    RunSetup,
    Seeds,
    StepTimes,
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    return lambda name: observed(shared_folder(tmp_path_factory), name)


@pytest.mark.parametrize("program", ["classify", "terms", "regress", "halves", "closure"])
def test_order_of_calls(program: str, run: Callable[[str], Run]) -> None:
    found = run(program)
    known = [row["order"] for row in found.truth["steps"]]
    assert [s.order for s in found.recording.steps] == known
    fact = found.of(CallOrder)
    assert {p.letters: p.steps for p in fact.patterns} == Counter(known) and fact.distinct == len(set(known))
    assert [known.index(p.letters) for p in fact.patterns] == [p.first for p in fact.patterns]
    assert fact.backwards == {"terms": 2, "closure": 4}.get(program, 1)


def test_schedulers(run: Callable[[str], Run]) -> None:
    def told(program: str) -> list[tuple[str, int | None, str | None, int | None]]:
        return [(s.name, s.horizon, s.unit, s.calls) for s in run(program).of(CallOrder).schedulers]

    assert told("classify") == [("StepLR", None, "epoch", 2)]
    assert run("classify").at(run("classify").of(CallOrder).schedulers[0].where, "scheduler")
    assert told("terms") == [("OneCycleLR", 40, "step", 9)]
    assert told("regress") == [("CosineAnnealingLR", 130, "step", 129)]
    assert told("resumed") == [("LambdaLR", None, "step", 5)] * 2
    assert told("pair") == [("ExponentialLR", None, "step", 4), ("StepLR", None, "other", 2)]


def test_modes(run: Callable[[str], Run]) -> None:
    found = run("classify")
    fact = found.of(Modes)
    assert {(c.training, c.grad): c.calls for c in fact.calls} == Counter(map(tuple, found.truth["modes"]))
    train, test = fact.uses
    assert (train.training, train.grad, train.output_grad, train.step) == (True, True, True, 0)
    assert (test.training, test.grad, test.output_grad, test.step) == (False, False, False, 4)
    assert (train.norms_in_training, train.norms_in_eval, train.dropouts_in_training) == (1, 0, 1)
    assert (test.norms_in_training, test.norms_in_eval, test.dropouts_in_eval) == (0, 1, 1)
    assert found.at(train.where, "call") and found.at(test.where, "eval-call") and train.device == "cpu"
    halves = run("halves")
    calls = {(c.training, c.grad): c.calls for c in halves.of(Modes).calls}
    assert calls == Counter(map(tuple, halves.truth["calls"]))
    assert run("scaled").of(Modes).uses[0].autocast == "bfloat16"


def test_models_and_the_values_they_were_made_with(run: Callable[[str], Run]) -> None:
    found = run("classify")
    (model,) = found.of(Models).models
    assert model.name == "Net"
    assert (model.parameters, model.trainable) == (found.truth["parameters"], found.truth["trainable"])
    assert {s.name: s.number for s in model.settings} == {"hidden": 12, "classes": 4, "slope": 0.5}
    assert found.at(model.where, "model")
    assert [(a.kind, a.elements) for a in model.dtypes] == [("float32", model.parameters)]
    assert [a.kind for a in model.devices] == ["cpu"]
    (words,) = run("words").of(Models).models
    assert {s.name: s.number for s in words.settings} == {"words": 20, "width": 6}
    assert [m.name for m in run("pair").of(Models).models] == ["Sequential", "Sequential"]


def test_states_of_parameters(run: Callable[[str], Run]) -> None:
    found = run("classify")
    fact = found.of(ParameterStates)
    assert fact.no_gradient == ("Net.spare.weight", "Net.spare.bias")
    still = ("Net.still.weight", "Net.still.bias")
    assert fact.unchanged == (*fact.no_gradient, *still)
    assert fact.frozen == ("Net.frozen.weight", "Net.frozen.bias")
    assert fact.shared == (("Net.extra.weight", "Net.again.weight"),)
    assert fact.left_out == ("Net.extra.weight", "Net.extra.bias", "Net.again.bias")
    assert found.recording.of("parameters")[0]["names"] == found.truth["names"]
    covered = found.of(Coverage)
    assert (covered.reached, covered.idle) == (found.truth["reached"], found.truth["idle"])
    assert covered.left_out == 12 * 12 + 12 + 12
    assert found.at(covered.optimizer_at, "optimizer") and not covered.made_after
    assert run("halves").of(ParameterStates).shared == (("Tied.into.weight", "Tied.out.weight"),)
    thawed = run("resumed")
    assert thawed.recording.of("parameters")[-1]["names"] == [
        "Net.answers.weight", "Net.answers.bias", "Net.body.weight", "Net.body.bias",
    ]  # fmt: skip
    assert thawed.of(ParameterStates).left_out == ("Net.body.weight", "Net.body.bias")
    for program in set(STEPPED) - {"classify", "resumed"}:
        fact = run(program).of(ParameterStates)
        assert not fact.no_gradient and not fact.unchanged and not fact.left_out, program


def test_inputs_that_ask_for_a_gradient_are_no_parameters(run: Callable[[str], Run]) -> None:
    found = run("closure")
    assert (found.of(Coverage).reached, found.of(Coverage).left_out) == (found.truth["reached"], 0)


def test_graphs_that_grow_or_reach_nothing(run: Callable[[str], Run]) -> None:
    found = run("carried")
    fact, known = found.of(GraphGrowth), [g for g in found.truth["graphs"] if g[0] in (0, 1, 2, 5)]
    assert list(zip(fact.steps, fact.nodes, strict=True)) == [(step, nodes) for step, nodes, _ in known]
    assert fact.nodes[-1] > fact.nodes[0] and fact.retained == len(known)
    loose = found.of(Detached)
    assert (loose.backwards, loose.without_parameters) == (len(known), sum(not leaves for *_, leaves in known))
    assert loose.without_parameters == 2
    assert len(loose.outputs) == 1 and found.at(loose.outputs[0], "teacher")
    plain = run("classify").of(Detached)
    assert (plain.without_parameters, plain.outputs) == (0, ())


def test_what_was_resumed(run: Callable[[str], Run]) -> None:
    found = run("resumed")
    model, optimizer, scheduler = found.of(Resumed).loads
    assert (model.what, model.name, model.keys, model.strict) == ("model", "Net", found.truth["keys"], False)
    assert list(model.missing) == found.truth["missing"] and list(model.unexpected) == found.truth["unexpected"]
    assert (optimizer.what, optimizer.name, scheduler.what, scheduler.name) == (
        "optimizer", "Adam", "scheduler", "LambdaLR",
    )  # fmt: skip
    for load, mark in ((model, "load-model"), (optimizer, "load-optimizer"), (scheduler, "load-scheduler")):
        assert found.at(load.where, mark) and load.step == 0


def test_seeds(run: Callable[[str], Run]) -> None:
    found = run("classify")
    fact = found.of(Seeds)
    assert [(s.what, s.value) for s in fact.seeds] == [("random", 11), ("numpy", 12), ("torch", 13)]
    assert all(found.at(s.where, f"seed-{s.what}") for s in fact.seeds) and fact.calls == 3


def test_the_run_and_what_it_plans(run: Callable[[str], Run]) -> None:
    found = run("classify")
    fact = found.of(RunSetup)
    assert fact.command == ("classify.py", "--hidden", "12") and Path(fact.cwd or "") == FOLDER
    assert fact.python == sys.version.split()[0] and fact.threads == found.truth["threads"]
    assert (fact.rank, fact.world, fact.planned_steps) == (0, 1, 12)
    assert [(loop.where.line, loop.rounds) for loop in fact.loops] == [
        (found.line("batches"), 4), (found.line("epochs"), 3),
    ]  # fmt: skip
    assert (run("regress").of(RunSetup).planned_steps, run("closure").of(RunSetup).planned_steps) == (130, 6)
    assert run("terms").of(RunSetup).planned_steps in (10, None)
    for program in STEPPED:
        told = run(program).of(Recorded)
        assert (told.steps, told.recorded) == (max(map(len, run(program).rows)),) * 2
        assert (told.thinned, told.full, told.faults) == (False, False, 0)


def test_time_spent_waiting_and_evaluating(run: Callable[[str], Run]) -> None:
    found = run("stream")
    fact, truth = found.of(StepTimes), found.truth
    rounding = 1e-5
    assert 12 * truth["nap"] - rounding <= sum(fact.waits[-3:]) and fact.wait_total is not None
    assert fact.wait_total <= sum(truth["waited"]) + rounding
    assert all(wait <= took + rounding for wait, took in zip(fact.waits, fact.seconds, strict=True))
    assert fact.validation_total is not None and fact.validations == 1
    assert 5 * truth["nap"] - rounding <= fact.validation_total <= truth["validation"] + rounding
    assert len(fact.seconds) == len(truth["steps"]) and near(fact.total, sum(fact.seconds))
    plain = run("regress").of(StepTimes)
    assert (plain.wait_total, plain.validation_total) == (None, None)
    assert plain.median <= plain.slowest and plain.slowest in plain.seconds


def test_memory(run: Callable[[str], Run]) -> None:
    found = run("classify")
    fact = found.of(Memory)
    before, after = found.truth["memory"]
    assert before <= max(fact.resident) <= fact.highest < 1.1 * after and min(fact.resident) > 0.9 * before
    assert fact.steps[-1] == 11 and fact.device == ()


def test_ranks(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = shared_folder(tmp_path_factory)
    once(folder, "ranks")
    truths = [json.loads((folder / f"ranks{rank}.json").read_text()) for rank in range(RANKS)]
    found = recording.read(folder / "ranks")
    facts = {type(fact): fact for fact, _ in measure.facts(found)}
    ranks, agreement, waiting = facts[Ranks], facts[RankAgreement], facts[RankWaiting]
    assert isinstance(ranks, Ranks) and isinstance(agreement, RankAgreement) and isinstance(waiting, RankWaiting)
    assert ranks.world == 2 and [(r.rank, r.steps, r.faults) for r in ranks.ranks] == [(0, 8, 0), (1, 8, 0)]
    for one, truth in zip(ranks.ranks, truths, strict=True):
        assert near([one.loss_first, one.loss_last], [truth["losses"][0], truth["losses"][-1]])
    parameters, buffers = zip(*truths[0]["same"], strict=True)
    assert (agreement.ranks, agreement.steps) == ((0, 1), 8) and agreement.apart == (1,)
    assert (agreement.parameters_differ, agreement.first_parameters) == (parameters.count(False), 4)
    assert parameters.index(False) == 4
    assert (agreement.buffers_differ, agreement.first_buffers) == (buffers.count(False), buffers.index(False))
    first, late = waiting.arrivals
    assert (waiting.steps, late.last + first.last) == (8, 8) and late.last >= 7  # a busy machine may swap them once
    assert first.waited_total > late.waited_total and first.waited_median == waiting.spread_median > 0
    assert late.waited_median == 0 and first.backward_median > late.backward_median
