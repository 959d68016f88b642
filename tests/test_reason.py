"""Probabilities follow Bayes' rule and nothing else, and the claim gate opens only when every clause holds."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from stetho import catalogue as declared
from stetho.catalogue import Catalogue
from stetho.cause import Cause
from stetho.check import Check, Finding, Judgement, Outcome
from stetho.evidence import Place
from stetho.experiment import Change, Experiment, ExperimentOutcome
from stetho.facts import Checkpoints, Config, Crash, LossCurve, LossScale, Metrics, RankLosses, RunEnd, Statements
from stetho.inquiry import Inquiry, gravest, judge_all
from stetho.intervention import OUTCOMES, Intervention
from stetho.other_cure import CALMS_OTHERWISE, CALMS_THOUGH_RIGHT, helped, only_calms, otherwise_cured
from stetho.reason import (
    CURED,
    FLOOR,
    NOT_CURED,
    Candidate,
    Gate,
    Seen,
    check_likelihood,
    claim_gate,
    counted,
    deciding,
    floored,
    independent,
    information,
    outcome_table,
    posterior,
    predicted,
    priors,
    supply_tables,
    unconfirmed,
    without_symptom,
)
from stetho.why import nothing_localised

GONE = {"symptom-gone": 0.8, "better": 0.1, "same": 0.06, "worse": 0.02, "new-failure": 0.02}
LITTLE = {"symptom-gone": 0.02, "better": 0.08, "same": 0.7, "worse": 0.15, "new-failure": 0.05}
CALM = {"symptom-gone": 0.4, "better": 0.3, "same": 0.2, "worse": 0.05, "new-failure": 0.05}
HEALTHY = {"symptom-gone": 0.01, "better": 0.02, "same": 0.67, "worse": 0.25, "new-failure": 0.05}


# --- a small catalogue: two faults, the unlisted one, and health ---------------------------------------------


def nothing(curve: LossCurve) -> Iterator[Finding]:
    return iter(())


def check(
    id: str, *, root: str, family: str = "loss", background: float = 0.05, given: dict[str, float] | None = None
) -> Check:
    return Check(id, family, (LossCurve,), root, background, {}, {}, nothing, "", given=given or {})


def cause(id: str, share: float = 0.5, **more: object) -> Cause:
    body: dict[str, object] = {
        "symptoms": {"loss-flat": 0.6, "none": 0.3},
        "predicts": {},
        "mechanism": (),
        **dict.fromkeys(("statement", "test", "fix"), ""),
    }
    return Cause(id, share, **{**body, **more})  # type: ignore[arg-type]


def intervention(id: str, backgrounds: Mapping[str, Mapping[str, float]]) -> Intervention:
    fixed: dict[str, Any] = dict.fromkeys(("applies", "example", "alters", "moves", "doc", "module", "path"), "")
    return Intervention(
        id,
        "control",
        "?",
        values={},
        backgrounds=backgrounds,
        groups={},
        cost=1.0,
        by_hand=True,
        prepares=False,
        **fixed,
    )


SOFTMAX = cause(
    "loss/softmax",
    predicts={"rows-sum": 0.95, "rows-positive": 0.9, "small-steps": 0.1, "scores": GONE},
    mechanism=("rows-sum",),
)
SLOW = cause("hp/slow", 0.4, predicts={"small-steps": 0.9, "rate=x10": GONE}, mechanism=("small-steps",))
UNLISTED = cause("other/unlisted", 1.0, symptoms={"loss-flat": 0.2, "none": 0.2})
HEALTH = cause("none/healthy", 0.9, symptoms={"none": 0.95, "loss-flat": 0.01}, otherwise=HEALTHY)


def make(*causes: Cause, more: tuple[Check, ...] = ()) -> Catalogue:
    checks = (
        check("loss-flat", root="loss-curve", family="symptoms"),
        check("rows-sum", root="loss-input", background=0.02),
        check("rows-positive", root="loss-input", background=0.3),
        check("small-steps", root="update-size", given={"none/healthy": 0.2}),
        *more,
    )
    interventions = (intervention("scores", {"": LITTLE}), intervention("rate", {"x10": LITTLE, "x100": LITTLE}))
    return Catalogue({c.id: c for c in checks}, {c.id: c for c in causes}, {i.id: i for i in interventions}, {}, {}, {})


SMALL = make(SOFTMAX, SLOW, UNLISTED, HEALTH)


def answers(**outcomes: Outcome) -> tuple[Judgement, ...]:
    """`rows_sum="fired"` is the answer of the check rows-sum."""
    return tuple(
        Judgement(name.replace("_", "-"), outcome, (Finding("seen"),) if outcome == "fired" else (), ("E1",))
        for name, outcome in outcomes.items()
    )


def experiment(
    id: str,
    change: str,
    outcome: ExperimentOutcome,
    *,
    catalogue: Catalogue = SMALL,
    tests: str | None = None,
    supplies: str | None = None,
    group: str = "",
) -> Experiment:
    name, _, value = change.partition("=")
    said = predicted(catalogue, change, tests, symptomatic=True)
    return Experiment(
        id=id,
        kind="control",
        change=Change(name, value, group=group),
        question="?",
        predicted=said,
        outcome=outcome,
        detail="",
        seconds=1.0,
        steps=60,
        evidence=(f"E{id[1:]}0",),
        tests=tests,
        supplies=supplies,
    )


def seen(symptom: str = "loss-flat", *experiments: Experiment, **outcomes: Outcome) -> Seen:
    return Seen(symptom, answers(**outcomes), experiments)


# --- the slow, obvious way -----------------------------------------------------------------------------------


def between(probability: float) -> float:
    return 0.02 if probability < 0.02 else 0.98 if probability > 0.98 else probability


def symptom_clamp(probability: float) -> float:
    return 0.004 if probability < 0.004 else 0.98 if probability > 0.98 else probability


def slow_posterior(checks: Mapping[str, Outcome], outcomes: Mapping[str, str], symptom: str) -> dict[str, float]:
    """Bayes' rule for the small catalogue, every number written out."""
    faults = 1 - 0.35 - 0.06
    prior = {
        "loss/softmax": faults * 0.20 * 0.5,
        "hp/slow": faults * 0.05 * 0.4,
        "none/healthy": 0.35 * 0.9,
        # Whole categories without a cause, half of loss and three fifths of hp belong to the unlisted fault.
        "other/unlisted": 0.06 + faults * (0.40 + 0.15 + 0.10 + 0.05 + 0.05 + 0.20 * 0.5 + 0.05 * 0.6),
    }
    shows = {
        "loss/softmax": {"loss-flat": 0.6, "none": 0.3},
        "hp/slow": {"loss-flat": 0.6, "none": 0.3},
        "other/unlisted": {"loss-flat": 0.2, "none": 0.2},
        "none/healthy": {"loss-flat": 0.01, "none": 0.95},
    }
    fires = {
        "loss/softmax": {"rows-sum": 0.95, "small-steps": 0.1},
        "hp/slow": {"rows-sum": 0.02, "small-steps": 0.9},
        "other/unlisted": {"rows-sum": 0.10, "small-steps": 0.10},
        "none/healthy": {"rows-sum": 0.02, "small-steps": 0.2},
    }
    tables = {
        "loss/softmax": {"scores": GONE, "rate": LITTLE},
        "hp/slow": {"scores": LITTLE, "rate": GONE},
        "other/unlisted": {"scores": LITTLE, "rate": LITTLE},
        "none/healthy": {"scores": HEALTHY, "rate": HEALTHY},
    }
    joint = {}
    for name in prior:
        product = prior[name] * symptom_clamp(shows[name].get(symptom, 0.0))
        for one, outcome in checks.items():
            if outcome == "fired":
                product *= between(fires[name][one])
            elif outcome == "quiet":
                product *= between(1 - fires[name][one])
        for change, result in outcomes.items():
            product *= between(tables[name][change].get(result, 0.0))
        joint[name] = product
    return {name: product / sum(joint.values()) for name, product in joint.items()}


STATES: tuple[Outcome, ...] = ("fired", "quiet", "unknown")


@pytest.mark.parametrize("symptom", ["none", "loss-flat", "crash"])
@pytest.mark.parametrize("rows", STATES)
@pytest.mark.parametrize("steps", STATES)
def test_the_posterior_is_bayes_rule(symptom: str, rows: Outcome, steps: Outcome) -> None:
    for scores in (None, *OUTCOMES):
        for rate in (None, "symptom-gone", "worse"):
            results = {k: v for k, v in (("scores", scores), ("rate", rate)) if v is not None}
            tried = [
                experiment(f"X{n}", "rate=x10" if k == "rate" else k, v)  # type: ignore[arg-type]
                for n, (k, v) in enumerate(results.items(), 1)
            ]
            now = posterior(SMALL, seen(symptom, *tried, rows_sum=rows, small_steps=steps))
            slow = slow_posterior({"rows-sum": rows, "small-steps": steps}, results, symptom)
            assert now == pytest.approx(slow, rel=1e-9)
            assert sum(now.values()) == pytest.approx(1)


def test_the_likeliest_comes_first_and_equals_by_name() -> None:
    now = posterior(SMALL, seen(rows_sum="fired", small_steps="quiet"))
    assert list(now.values()) == sorted(now.values(), reverse=True)
    twins = make(cause("loss/b"), cause("loss/a"), replace(UNLISTED, share=1e-9), HEALTH)
    ranked = [c for c in posterior(twins, seen()) if c.startswith("loss/")]
    assert ranked == ["loss/a", "loss/b"]


def test_priors_sum_to_one_and_spare_shares_go_to_the_unlisted_fault() -> None:
    base = priors(SMALL)
    assert sum(base.values()) == pytest.approx(1)
    assert base["loss/softmax"] / base["hp/slow"] == pytest.approx(0.20 * 0.5 / (0.05 * 0.4))
    full = priors(make(replace(SOFTMAX, share=1.0), SLOW, UNLISTED, HEALTH))
    assert full["other/unlisted"] / full["none/healthy"] < base["other/unlisted"] / base["none/healthy"]


def test_the_real_catalogue_has_priors_that_sum_to_one() -> None:
    found = declared.load()
    assert sum(priors(found).values()) == pytest.approx(1)
    assert sum(posterior(found, Seen("none", (), ())).values()) == pytest.approx(1)


# --- one root, one count -------------------------------------------------------------------------------------


def test_a_root_fact_is_counted_once() -> None:
    """Two checks that rest on one fact say no more than the more telling of them."""
    one = posterior(SMALL, seen(rows_sum="fired"))
    both = posterior(SMALL, seen(rows_sum="fired", rows_positive="fired"))
    swapped = posterior(SMALL, seen(rows_positive="fired", rows_sum="fired"))
    assert both == one == swapped
    weak = posterior(SMALL, seen(rows_positive="fired"))
    assert weak["loss/softmax"] < one["loss/softmax"]


def test_the_same_check_with_another_root_would_count() -> None:
    apart = make(SOFTMAX, SLOW, UNLISTED, HEALTH, more=(check("rows-positive", root="elsewhere", background=0.3),))
    fired = seen(rows_sum="fired", rows_positive="fired")
    assert posterior(apart, fired)["loss/softmax"] > posterior(SMALL, fired)["loss/softmax"]


def test_what_fired_counts_before_what_is_quiet() -> None:
    kept = counted(SMALL, answers(rows_sum="quiet", rows_positive="fired"))
    assert [(j.check, j.outcome) for j in kept] == [("rows-positive", "fired")]


def test_symptoms_are_not_counted_as_findings() -> None:
    assert counted(SMALL, answers(loss_flat="fired")) == []
    assert posterior(SMALL, seen(loss_flat="fired")) == posterior(SMALL, seen())


def test_a_check_that_tells_what_the_symptom_tells_is_not_counted_again() -> None:
    mild = replace(check("outdone", root="reach", background=0.3, given={"none/healthy": 0.01}), restates="loss-high")
    both = make(SOFTMAX, SLOW, UNLISTED, HEALTH, more=(mild,))
    assert posterior(both, seen("loss-high", outdone="fired")) == posterior(both, seen("loss-high"))
    # Beside a graver symptom, or none, it is evidence like any other.
    assert posterior(both, seen("loss-flat", outdone="fired")) != posterior(both, seen("loss-flat"))
    # What it says of a cause is what the symptom says of it: health hardly ever shows like this.
    now, calm = posterior(both, seen("loss-high")), posterior(both, seen("none"))
    assert now["none/healthy"] < 0.2 * calm["none/healthy"] and now["loss/softmax"] > calm["loss/softmax"]


def test_unknown_is_not_quiet() -> None:
    without = posterior(SMALL, seen())
    assert posterior(SMALL, seen(small_steps="unknown")) == without
    quiet = posterior(SMALL, seen(small_steps="quiet"))
    assert quiet != without
    assert quiet["hp/slow"] < without["hp/slow"]
    # A check of the same root that could not answer does not stand in the way of one that did.
    assert posterior(SMALL, seen(rows_sum="unknown", rows_positive="fired")) == posterior(
        SMALL, seen(rows_positive="fired")
    )


# --- likelihoods ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "kept"), [(0.0, 0.02), (0.01, 0.02), (0.02, 0.02), (0.5, 0.5), (0.98, 0.98), (1.0, 0.98)]
)
def test_no_likelihood_is_below_the_floor(given: float, kept: float) -> None:
    assert FLOOR == 0.02
    assert floored(given) == kept


def test_one_finding_cannot_rule_a_cause_out() -> None:
    """Between the worst and the best likelihood there is a factor of 49, never more."""
    sure = cause("loss/sure", predicts={"rows-sum": 1.0})
    never = cause("loss/never", predicts={"rows-sum": 0.0})
    now = posterior(make(sure, never, UNLISTED, HEALTH), seen(rows_sum="fired"))
    assert now["loss/sure"] / now["loss/never"] == pytest.approx(0.98 / 0.02)


def test_a_check_is_told_by_the_cause_then_by_the_check_then_by_its_background() -> None:
    one = check("c", root="r", background=0.07, given={"loss/softmax": 0.4})
    assert check_likelihood(replace(SOFTMAX, predicts={"c": 0.6}), one, "fired") == 0.6
    assert check_likelihood(SOFTMAX, one, "fired") == 0.4
    assert check_likelihood(SLOW, one, "fired") == 0.07
    assert check_likelihood(SLOW, one, "quiet") == pytest.approx(0.93)
    assert check_likelihood(UNLISTED, one, "fired") == 0.10


def test_an_outcome_is_told_by_the_cause_then_by_its_habit_then_by_the_intervention() -> None:
    assert outcome_table(SMALL, SOFTMAX, "scores", None) == GONE
    assert outcome_table(SMALL, HEALTH, "scores", None) == HEALTHY
    assert outcome_table(SMALL, SLOW, "scores", None) == LITTLE
    assert outcome_table(SMALL, SLOW, "rate=x100", None) == LITTLE


def test_a_trial_fix_cures_its_own_cause_alone() -> None:
    label = "fix loss/softmax"
    assert outcome_table(SMALL, SOFTMAX, label, "loss/softmax") == CURED
    assert outcome_table(SMALL, SLOW, label, "loss/softmax") == NOT_CURED
    assert outcome_table(SMALL, HEALTH, label, "loss/softmax") == HEALTHY


def test_a_symptom_that_was_never_there_cannot_go_away() -> None:
    assert without_symptom({"symptom-gone": 0.5, "better": 0.2, "same": 0.3}) == {"better": 0.7, "same": 0.3}
    for change in ("scores", "rate=x10"):
        for table in predicted(SMALL, change, None, symptomatic=False).values():
            assert "symptom-gone" not in table
            assert sum(table.values()) == pytest.approx(1)
        assert predicted(SMALL, change, None, symptomatic=True)["hp/slow"].keys() == LITTLE.keys()


@pytest.mark.parametrize("outcome", ["not-applied", "undecided"])
def test_an_experiment_without_an_answer_changes_nothing(outcome: ExperimentOutcome) -> None:
    before = posterior(SMALL, seen(rows_sum="fired"))
    tried = experiment("X1", "scores", outcome)
    assert posterior(SMALL, seen("loss-flat", tried, rows_sum="fired")) == before
    assert deciding([tried], "loss/softmax", {"hp/slow": 0.1}, {}) == ()
    # Nor does it hide a variant that did answer.
    later = experiment("X2", "scores", "symptom-gone")
    assert independent([tried, later]) == [later]


def test_a_closer_look_changes_nothing_by_itself() -> None:
    look = experiment("X1", "scores", "same", supplies="rows-sum")
    assert posterior(SMALL, seen("loss-flat", look)) == posterior(SMALL, seen())
    assert deciding([look], "loss/softmax", {}, {}) == ()


# --- variants of one change ----------------------------------------------------------------------------------


def test_variants_of_one_group_count_once() -> None:
    one = experiment("X1", "rate=x10", "symptom-gone", group="higher")
    two = experiment("X2", "rate=x100", "same", group="higher")
    assert independent([one, two]) == independent([two, one]) == [one]
    assert posterior(SMALL, seen("loss-flat", one, two)) == posterior(SMALL, seen("loss-flat", one))


def test_variants_of_different_groups_count_each() -> None:
    one = experiment("X1", "rate=x10", "symptom-gone", group="higher")
    two = experiment("X2", "rate=x100", "symptom-gone", group="lower")
    assert independent([one, two]) == [one, two]


def test_the_same_change_again_counts_once() -> None:
    """The same run with the same seed gives the same answer; it is no second witness."""
    one, two = (experiment(f"X{n}", "scores", "symptom-gone") for n in (1, 2))
    assert posterior(SMALL, seen("loss-flat", one, two)) == posterior(SMALL, seen("loss-flat", one))


def test_trials_of_cures_for_one_cause_count_once() -> None:
    one, two = (
        experiment(f"X{n}", f"fix {n}", outcome, tests="loss/softmax")
        for n, outcome in enumerate(("symptom-gone", "same"), 1)
    )
    assert len(independent([one, two])) == 1
    other = experiment("X3", "fix 3", "same", tests="hp/slow")
    assert len(independent([one, two, other])) == 2


# --- information ---------------------------------------------------------------------------------------------


def entropy(chances: list[float]) -> float:
    return -sum(p * math.log2(p) for p in chances if p > 0)


def brute_force(now: Mapping[str, float], tables: Mapping[str, Mapping[str, float]]) -> float:
    """What is known after the outcome, weighed over the outcomes, less what is known before."""
    left = 0.0
    for outcome in {o for table in tables.values() for o in table}:
        joint = [now[c] * tables[c].get(outcome, 0.0) for c in now]
        if sum(joint) > 0:
            left += sum(joint) * entropy([j / sum(joint) for j in joint])
    return entropy(list(now.values())) - left


def chances(random_: random.Random, names: tuple[str, ...]) -> dict[str, float]:
    weights = [random_.expovariate(1) * random_.choice((0, 1, 1)) + 1e-9 for _ in names]
    return {name: weight / sum(weights) for name, weight in zip(names, weights, strict=True)}


def test_information_is_mutual_information() -> None:
    random_ = random.Random(1)
    names = ("a/a", "b/b", "c/c", "d/d")
    for _ in range(200):
        now = chances(random_, names)
        tables = {name: chances(random_, OUTCOMES) for name in names}
        bits = information(now, tables)
        assert bits == pytest.approx(brute_force(now, tables), abs=1e-9)
        assert 0 <= bits <= min(entropy(list(now.values())), math.log2(len(OUTCOMES))) + 1e-9


def test_an_experiment_that_all_causes_see_alike_tells_nothing() -> None:
    now = {"a/a": 0.7, "b/b": 0.2, "c/c": 0.1}
    assert information(now, dict.fromkeys(now, LITTLE)) == pytest.approx(0.0, abs=1e-12)
    assert information({"a/a": 1.0}, {"a/a": GONE}) == 0.0


def test_an_experiment_that_settles_it_tells_everything() -> None:
    now = {"a/a": 0.5, "b/b": 0.5}
    assert information(now, {"a/a": {"same": 1.0}, "b/b": {"worse": 1.0}}) == pytest.approx(1.0)


def test_a_candidate_is_ranked_by_bits_for_a_second() -> None:
    assert Candidate("x", None, None, 0.6, 3.0).rate == pytest.approx(0.2)
    assert Candidate("x", None, None, 0.6, 0.0).rate == pytest.approx(6.0)


def test_a_closer_look_is_worth_what_the_check_would_say() -> None:
    tables = supply_tables(SMALL, SMALL.checks["rows-sum"])
    assert tables["loss/softmax"] == pytest.approx({"fired": 0.95, "quiet": 0.05})
    assert all(sum(table.values()) == pytest.approx(1) for table in tables.values())


# --- the claim gate ------------------------------------------------------------------------------------------

CERTAIN = {"loss/softmax": 0.95, "other/unlisted": 0.03, "hp/slow": 0.015, "none/healthy": 0.005}


def settled(**changed: object) -> Experiment:
    """An experiment that only loss/softmax predicts, and its outcome."""
    return replace(experiment("X1", "scores", "symptom-gone"), **changed)  # type: ignore[arg-type]


def gate(
    *experiments: Experiment,
    now: Mapping[str, float] = CERTAIN,
    catalogue: Catalogue = SMALL,
    symptom: str = "loss-flat",
    **outcomes: Outcome,
) -> Gate:
    judged = {"rows_sum": "fired", "small_steps": "quiet", **outcomes}
    return claim_gate(catalogue, seen(symptom, *experiments, **judged), now)  # type: ignore[arg-type]


def test_the_gate_opens_when_every_clause_holds() -> None:
    found = gate(settled())
    assert found.passes
    assert found.cause == "loss/softmax"
    assert found.mechanism == ("rows-sum",)
    assert found.experiments == ("X1",)


def test_a_leader_that_is_no_fault_is_not_claimed() -> None:
    for leader, says in (("none/healthy", "is not a fault"), ("other/unlisted", "no listed cause explains it")):
        found = gate(settled(), now={leader: 0.95, "loss/softmax": 0.05})
        assert (found.cause, found.passes) == (leader, False)
        assert says in found.reason


@pytest.mark.parametrize("outcome", ["quiet", "unknown"])
def test_no_claim_without_the_mechanism(outcome: Outcome) -> None:
    # A cause to which this answer is no contradiction, so that only the mechanism is lacking.
    lenient = make(replace(SOFTMAX, predicts={**SOFTMAX.predicts, "rows-sum": 0.8}), SLOW, UNLISTED, HEALTH)
    assert gate(settled(), catalogue=lenient).passes
    found = gate(settled(), catalogue=lenient, rows_sum=outcome)
    assert not found.passes
    assert "mechanism" in found.reason and "rows-sum" in found.reason
    assert found.mechanism == ()


def test_one_of_several_mechanisms_is_enough() -> None:
    two = make(replace(SOFTMAX, mechanism=("rows-positive", "rows-sum")), SLOW, UNLISTED, HEALTH)
    assert gate(settled(), catalogue=two).mechanism == ("rows-sum",)
    assert gate(settled(), catalogue=two).passes


def test_no_claim_against_a_symptom_it_calls_impossible() -> None:
    found = gate(settled(), symptom="crash")
    assert not found.passes
    assert "crash" in found.reason and "improbable" in found.reason


def test_no_claim_against_a_finding_it_calls_impossible() -> None:
    strict = make(replace(SOFTMAX, predicts={**SOFTMAX.predicts, "small-steps": 0.01}), SLOW, UNLISTED, HEALTH)
    assert gate(settled(), catalogue=strict).passes
    found = gate(settled(), catalogue=strict, small_steps="fired")
    assert not found.passes
    assert "small-steps (fired) is improbable" in found.reason


def test_a_finding_it_does_not_speak_about_is_no_contradiction() -> None:
    """What fires seldom in general may fire here for a reason of its own."""
    more = make(SOFTMAX, SLOW, UNLISTED, HEALTH, more=(check("rare", root="rare", background=0.001),))
    assert gate(settled(), catalogue=more, rare="fired").passes


def test_a_check_may_speak_for_the_cause() -> None:
    contrary = check("rare", root="rare", background=0.5, given={"loss/softmax": 0.001})
    more = make(SOFTMAX, SLOW, UNLISTED, HEALTH, more=(contrary,))
    assert "rare (fired) is improbable" in gate(settled(), catalogue=more, rare="fired").reason
    assert gate(settled(), catalogue=more, rare="quiet").passes
    assert gate(settled(), catalogue=more, rare="unknown").passes


def test_a_change_that_a_cause_says_nothing_about_does_not_contradict_it() -> None:
    said = predicted(SMALL, "rate=x10", None, symptomatic=True)
    odd = {"same": 0.99, "new-failure": 0.01}
    irrelevant = replace(experiment("X2", "rate=x10", "new-failure"), predicted={c: odd for c in said})
    assert gate(settled(), irrelevant).passes


def test_no_claim_against_an_experiment_it_calls_impossible() -> None:
    said = {**predicted(SMALL, "rate=x10", None, symptomatic=True), "loss/softmax": {"same": 0.99, "worse": 0.01}}
    contrary = replace(experiment("X2", "rate=x10", "worse"), predicted=said)
    found = gate(settled(), contrary)
    assert not found.passes
    assert "X2 (worse) is improbable" in found.reason
    assert gate(settled(), replace(contrary, outcome="not-applied")).passes


@pytest.mark.parametrize("rival", ["data/shuffled", "loss/summed", "train/kept", "arch/small"])
def test_a_rate_is_not_blamed_while_a_deeper_rival_stands(rival: str) -> None:
    """A smaller rate calms many faults, so everything that it calms has to be refuted first."""
    rate = cause("hp/slow", 0.4, predicts={"small-steps": 0.9, "rate=x10": GONE}, mechanism=("small-steps",))
    found = make(rate, cause(rival), UNLISTED, HEALTH)
    tried = experiment("X1", "rate=x10", "symptom-gone", catalogue=found)

    def at(probability: float) -> Gate:
        now = {"hp/slow": 0.95, rival: probability, "other/unlisted": 0.05 - probability}
        return gate(tried, catalogue=found, now=now, small_steps="fired", rows_sum="quiet")

    stopped = at(0.011)
    assert not stopped.passes
    assert rival in stopped.reason and "not refuted" in stopped.reason
    assert at(0.009).passes


@pytest.mark.parametrize("rival", ["hp/other", "num/log", "env/full", "other/unlisted", "none/healthy"])
def test_other_rivals_of_a_rate_need_only_the_experiment(rival: str) -> None:
    found = make(SLOW, cause(rival, 0.4), *([] if rival == "other/unlisted" else [UNLISTED]))
    tried = experiment("X1", "rate=x10", "symptom-gone", catalogue=found)
    now = {"hp/slow": 0.95, rival: 0.05}
    assert gate(tried, catalogue=found, now=now, small_steps="fired", rows_sum="quiet").passes


@pytest.mark.parametrize(("probability", "passes"), [(0.899, False), (0.9, True)])
def test_no_claim_below_nine_tenths(probability: float, passes: bool) -> None:
    now = {"loss/softmax": probability, "other/unlisted": 1 - probability}
    found = gate(settled(), now=now)
    assert found.passes is passes
    assert passes or "probability" in found.reason


def test_no_claim_without_an_experiment() -> None:
    found = gate()
    assert not found.passes
    assert "no experiment favours it 10 to 1" in found.reason
    assert "hp/slow" in found.reason and "other/unlisted" in found.reason
    assert "none/healthy" not in found.reason


@pytest.mark.parametrize(("mine", "theirs", "passes"), [(0.8, 0.08, True), (0.8, 0.081, False), (0.2, 0.001, True)])
def test_the_experiment_has_to_favour_it_ten_to_one(mine: float, theirs: float, passes: bool) -> None:
    """The rival's likelihood is floored, too: 0.2 against next to nothing is ten to one."""
    said = {c: {"symptom-gone": theirs, "same": 1 - theirs} for c in SMALL.causes}
    said["loss/softmax"] = {"symptom-gone": mine, "same": 1 - mine}
    found = gate(settled(predicted=said))
    assert found.passes is passes
    assert passes or "10 to 1" in found.reason


def test_every_rival_above_one_percent_has_to_be_beaten() -> None:
    said = {c: LITTLE for c in SMALL.causes} | {"loss/softmax": GONE, "hp/slow": CALM}
    tried = settled(predicted=said)
    assert "10 to 1 over other/unlisted, hp/slow" in gate(tried).reason
    refuted = {"loss/softmax": 0.95, "other/unlisted": 0.041, "hp/slow": 0.009}
    assert gate(tried, now=refuted).passes


def test_with_no_rival_left_the_unlisted_fault_still_has_to_be_beaten() -> None:
    alone = {"loss/softmax": 0.995, "other/unlisted": 0.004, "hp/slow": 0.001}
    said = {c: LITTLE for c in SMALL.causes} | {"loss/softmax": GONE, "other/unlisted": CALM}
    assert gate(settled(), now=alone).passes
    assert "other/unlisted" in gate(settled(predicted=said), now=alone).reason


@pytest.mark.parametrize("outcome", ["not-applied", "undecided"])
def test_an_experiment_without_an_answer_settles_nothing(outcome: ExperimentOutcome) -> None:
    assert "no experiment" in gate(settled(outcome=outcome)).reason


def test_an_artifact_can_be_the_proof() -> None:
    proof = make(replace(SOFTMAX, proof_by_artifact=True), SLOW, UNLISTED, HEALTH)
    found = gate(catalogue=proof)
    assert found.passes
    assert "artifact" in found.reason
    assert found.experiments == ()
    # It replaces the experiment and nothing else.
    assert not gate(catalogue=proof, rows_sum="unknown").passes
    assert not gate(catalogue=proof, symptom="crash").passes
    assert not gate(catalogue=proof, now={"loss/softmax": 0.8, "other/unlisted": 0.2}).passes


# --- the more specific cause ---------------------------------------------------------------------------------


def test_an_exception_goes_to_what_explains_it() -> None:
    """Both causes expect the exception; the one whose own mechanism shows as well is the better name."""
    crash = {"crash": 0.97}
    general = cause(
        "env/exception", 0.6, symptoms=crash, predicts={"raised": 0.98}, mechanism=("raised",), proof_by_artifact=True
    )
    specific = cause(
        "data/encoding", 0.05, symptoms=crash, predicts={"raised": 0.97, "labels-beyond": 0.95},
        mechanism=("labels-beyond",), proof_by_artifact=True,
    )  # fmt: skip
    unlisted = replace(UNLISTED, symptoms={"crash": 0.12, "none": 0.12})
    more = (check("raised", root="traceback", background=0.02), check("labels-beyond", root="labels", background=0.02))
    found = make(general, specific, unlisted, HEALTH, more=more)

    def asked(**outcomes: Outcome) -> Gate:
        look = seen("crash", **outcomes)
        return claim_gate(found, look, posterior(found, look))

    shown = asked(raised="fired", labels_beyond="fired")
    assert (shown.cause, shown.passes) == ("data/encoding", True)
    assert asked(raised="fired", labels_beyond="quiet").cause == "env/exception"


def real(symptom: str, tried: tuple[Experiment, ...] = (), **outcomes: Outcome) -> tuple[dict[str, float], Gate]:
    """The real catalogue; checks that are not named are quiet, where an observed run without an exception has them."""
    found = declared.load()
    dead = {Crash, Metrics, Statements, Checkpoints, Config, LossScale, RankLosses}
    said: dict[str, Outcome] = {
        c: "unknown" if dead.intersection(one.reads) else "quiet"
        for c, one in found.checks.items()
        if one.family != "symptoms"
    }
    said.update({name.replace("_", "-"): outcome for name, outcome in outcomes.items()})
    judged = tuple(Judgement(c, o, (Finding("seen"),) if o == "fired" else (), ("E1",)) for c, o in said.items())
    look = Seen(symptom, judged, tried)
    now = posterior(found, look)
    return now, claim_gate(found, look, now)


def test_a_sum_over_the_batch_is_named_before_the_rate_it_spoils() -> None:
    found = declared.load()
    calmed = experiment("X1", "lr=x0.1", "symptom-gone", catalogue=found)
    now, gate = real("loss-diverging", (calmed,), updates_too_large="fired", summed_over_batch="fired")
    assert next(iter(now)) == "loss/wrong-reduction"
    assert gate.cause != "hp/lr-too-high" and not gate.passes
    now, _ = real("loss-diverging", (calmed,), updates_too_large="fired")
    assert next(iter(now)) == "hp/lr-too-high"


def test_chance_by_nature_does_not_explain_what_a_simple_model_reads() -> None:
    """The labels say something, as shuffling them shows, and neighbours have read more of it than the network."""
    tried = experiment("X1", "shuffled-labels", "worse", catalogue=declared.load())
    now, _ = real("loss-high", (tried,), outdone_by_simple_model="fired")
    assert now["none/noise-floor"] < 0.1
    now, _ = real("loss-flat", (tried,))
    assert now["none/noise-floor"] > 0.1


def test_a_decay_that_undoes_what_is_learned_is_named_though_the_weights_have_not_shrunk_to_nothing() -> None:
    cured = experiment("X1", "weight-decay=0", "symptom-gone", catalogue=declared.load())
    shown: dict[str, Outcome] = {"decay_undoes_learning": "fired", "outdone_by_simple_model": "fired"}
    now, gate = real("loss-high", (cured,), **shown)
    assert gate.passes and gate.cause == "hp/weight-decay-too-high"
    now, gate = real("none", (), decay_undoes_learning="fired")
    assert next(iter(now)) == "none/healthy" and not gate.passes


def test_what_explains_a_symptom_away_stands_only_once_nothing_is_left_to_ask() -> None:
    changes = ("one-batch", "synthetic", "shuffled-labels", "regularised")
    tried = tuple(experiment(f"X{i}", change, "same", catalogue=declared.load()) for i, change in enumerate(changes))
    inquiry = cast(Inquiry, SimpleNamespace(catalogue=declared.load()))
    assert not nothing_localised(inquiry, Seen("loss-flat", (), tried), {"none/noise-floor": 0.9})
    assert nothing_localised(inquiry, Seen("loss-flat", (), tried), {"other/unlisted": 0.9})
    assert not nothing_localised(inquiry, Seen("loss-flat", (), tried[:3]), {"other/unlisted": 0.9})


def test_a_missing_reset_is_named_before_the_rate_that_calms_it() -> None:
    found = declared.load()
    calmed = experiment("X1", "lr=x0.1", "symptom-gone", catalogue=found)
    cured = experiment("X2", "zero-grad", "symptom-gone", catalogue=found)
    now, gate = real("loss-diverging", (calmed,), updates_too_large="fired", gradients_kept="fired")
    assert next(iter(now)) == "train/missing-zero-grad"
    assert not gate.passes and "10 to 1" in gate.reason
    now, gate = real("loss-diverging", (calmed, cured), updates_too_large="fired", gradients_kept="fired")
    assert gate.passes and gate.cause == "train/missing-zero-grad" and gate.experiments == ("X2",)


def test_a_traceback_alone_establishes_an_exception() -> None:
    """A log and nothing else: most checks have no answer, and no experiment can be run."""
    found = declared.load()
    facts = (Crash("KeyError", "'lr'", Place("train.py", 5), log_line=7), RunEnd(1))
    judged = judge_all(found, {type(fact): (f"E{n}", fact) for n, fact in enumerate(facts, 1)})
    look = Seen(gravest(found, judged), judged, ())
    gate = claim_gate(found, look, posterior(found, look))
    assert (gate.cause, gate.passes) == ("env/exception", True), gate.reason


@pytest.mark.parametrize(
    ("slower", "warmed", "claimed"), [(0.06, 0.94, True), (0.06, 0.07, False), (0.06, 0.10, False), (1.2, 0.3, False)]
)
def test_a_rate_is_claimed_beside_a_warm_up_that_helps_where_a_smaller_one_leaves_far_less(
    slower: float, warmed: float, claimed: bool
) -> None:
    found = declared.load()
    calmed = replace(experiment("X1", "lr=x0.1", "symptom-gone", catalogue=found), before=1.78, after=slower)
    warm = replace(experiment("X2", "warmup", "symptom-gone", catalogue=found), before=1.78, after=warmed)
    settled = deciding((calmed, warm), "hp/lr-too-high", {"hp/no-warmup": 0.05}, found.causes)
    assert settled == (("X1",) if claimed else ())
    now, _ = real("loss-flat", (calmed, warm), rate_keeps_loss_up="fired", thrown_out_at_once="fired")
    assert (now["hp/lr-too-high"] > 13 * now["hp/no-warmup"]) is claimed


def made(name: str, outcome: ExperimentOutcome, after: float | None) -> Experiment:
    return Experiment("X1", "control", Change(name), "?", {}, outcome, "", 1.0, 60, after=after)


# --- a finding that harmless things show, too ----------------------------------------------------------------


def harm(name: str, outcome: ExperimentOutcome, after: float | None, measure: str = "printed val") -> Experiment:
    return replace(made(name, outcome, after), before=0.1, measure=measure)


@pytest.mark.parametrize(
    ("beside", "why"),
    [
        (harm("thinned", "same", 0.11), ""),
        (harm("thinned", "worse", 0.3), ""),
        (harm("thinned", "worse", 1.0), "is harmless where thinned does not leave a run the same: it is worse"),
        (harm("thinned", "worse", 0.3, "loss"), "it is worse"),
        (harm("thinned", "better", 0.05), "it is better"),
        (harm("thinned", "undecided", None), "thinned has not told yet"),
    ],
)
def test_of_two_controls_that_both_do_harm_one_must_do_far_more(beside: Experiment, why: str) -> None:
    one = cause("data/one", control="apart", only_with={"seen": ("thinned", "same")})
    said = unconfirmed(one, ("seen",), (harm("apart", "worse", 2.0), beside))
    assert said.endswith(why) and bool(said) == bool(why)


@pytest.mark.parametrize(
    ("experiments", "does", "why"),
    [
        ([made("rate", "same", 0.2)], False, ""),
        ([made("rate", "worse", 0.2)], False, ""),
        ([made("rate", "symptom-gone", 0.2)], True, "rate helps as well"),
        ([made("rate", "better", 0.2)], True, "rate helps as well"),
        ([made("rate", "not-applied", None)], False, "it is not known whether rate would help"),
        ([], False, "it is not known whether rate would help"),
    ],
)
def test_a_cause_may_have_to_outlast_a_change(experiments: list[Experiment], does: bool, why: str) -> None:
    one = cause("data/few", unhelped_by="rate")
    assert helped(one, experiments) is does
    assert otherwise_cured(one, experiments) == why
    assert otherwise_cured(cause("data/two"), experiments) == ""


def test_a_rival_that_the_change_has_ruled_out_stands_in_no_way() -> None:
    rate = cause("hp/slow", 0.4, predicts={"small-steps": 0.9, "rate=x10": GONE}, mechanism=("small-steps",))
    now = {"hp/slow": 0.92, "data/few": 0.05, "other/unlisted": 0.03}
    for unhelped_by, passes in ((None, False), ("rate=x10", True)):
        rival = cause("data/few", predicts={"rate=x10": LITTLE}, unhelped_by=unhelped_by)
        found = make(rate, rival, UNLISTED, HEALTH)
        tried = experiment("X1", "rate=x10", "symptom-gone", catalogue=found)
        assert gate(tried, catalogue=found, now=now, small_steps="fired", rows_sum="quiet").passes is passes


# --- a setting that only calms what another cure cures -------------------------------------------------------


def calmed(setting: float, cure: float, measure: str = "loss", worked: str = "fired") -> bool:
    tried = [
        replace(made("rate", "symptom-gone", setting), before=2.0, measure="loss"),
        replace(made("fix loss/softmax", "symptom-gone", cure), before=2.0, measure=measure, tests="loss/softmax"),
    ]
    slow = cause("hp/slow", trial="rate")
    look = Seen("loss-flat", answers(rows_sum=worked), tuple(tried))
    return only_calms(make(SOFTMAX, slow, UNLISTED), look, slow)


def test_a_setting_that_helps_far_less_than_the_cure_of_what_was_seen_only_calms_it() -> None:
    assert calmed(1.6, 0.2)
    assert not calmed(0.9, 0.2), "more than half of what the cure brings"
    assert not calmed(0.1, 0.2), "the setting brings more"
    assert not calmed(1.6, 0.2, worked="quiet"), "what the other cure cures was not seen at work"
    assert not calmed(1.6, 0.2, measure="accuracy"), "measured otherwise"
    assert not calmed(1.6, 2.4), "the other way"


def test_a_fault_that_is_no_setting_is_not_held_against_the_others_cures() -> None:
    tried = (
        replace(made("fix loss/softmax", "better", 1.8), before=2.0, tests="loss/softmax"),
        replace(made("rate", "better", 0.1), before=2.0),
    )
    slow = cause("hp/slow", trial="rate", mechanism=("small-steps",))
    look = Seen("loss-flat", answers(rows_sum="fired", small_steps="fired"), tried)
    assert not only_calms(make(SOFTMAX, slow, UNLISTED), look, SOFTMAX)


def test_what_only_calms_falls_behind_what_is_cured() -> None:
    slow = cause("hp/slow", trial="rate")
    known = make(SOFTMAX, slow, UNLISTED)
    tried = (
        replace(made("rate", "symptom-gone", 1.6), before=2.0),
        replace(made("fix loss/softmax", "symptom-gone", 0.2), before=2.0, tests="loss/softmax"),
    )
    plain = posterior(known, Seen("loss-flat", answers(rows_sum="fired"), tried[:1]))
    told = posterior(known, Seen("loss-flat", answers(rows_sum="fired"), tried))
    ratio = (told["hp/slow"] / told["loss/softmax"]) / (plain["hp/slow"] / plain["loss/softmax"])
    assert ratio == pytest.approx(CALMS_THOUGH_RIGHT / CALMS_OTHERWISE)
