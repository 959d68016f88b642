from collections.abc import Iterator, Sequence
from statistics import median

from stetho.check import Finding, check
from stetho.curves import roughness
from stetho.facts import AgentProgress, Metrics, Scores
from stetho.logged.roles import words_of

TWELVE = list(range(12))
SIXTY = list(range(60))
NO_CURVES: dict[str, object] = {"curves": []}


def curve(name: str, kind: str, split: str, values: Sequence[float]) -> dict[str, object]:
    return {
        "name": name, "kind": kind, "split": split, "file": "log", "points": len(values),
        "steps": list(range(len(values))), "values": list(values),
    }  # fmt: skip


def scores(values: Sequence[float], name: str = "acc") -> dict[str, object]:
    return {
        "metrics": NO_CURVES,
        "scores": {"name": name, "split": "", "steps": list(range(len(values))), "values": list(values)},
    }


STANDS = [0.02, 0.13, 0.2, 0.24, 0.27, 0.29, *[0.31, 0.305, 0.312] * 18]
HIGH = [4.6, 3.9, 3.5, 3.3, 3.1, 3.0, *[2.90, 2.91, 2.89] * 18]
AGENT = {
    "reward": "ep_rew_mean", "points": 250, "early": 21.0, "late": 21.2, "best": 21.9, "noise": 0.8, "size": 21.0,
    "entropy_first": 1.3, "entropy_late": 0.01, "entropy_gone": 0.12, "entropy_gone_step": 300,
}  # fmt: skip


@check(
    reads=Metrics,
    also=(Scores, AgentProgress),
    root="scores",
    severity=30,
    fires={
        "the same accuracy in every epoch": {
            "metrics": NO_CURVES,
            "scores": {"name": "val_acc", "split": "validation", "steps": TWELVE, "values": [0.1] * 12},
        },
        "training stands still far from its best": {
            "metrics": {"curves": [curve("train_acc", "score", "training", STANDS),
                                   curve("train_loss", "loss", "training", HIGH)]},
        },
        "rewards stay where they began, and the policy tries nothing": {
            "metrics": NO_CURVES, "agent-progress": AGENT,
        },
    },
    quiet={
        "rises": scores([0.1 + 0.05 * i for i in range(12)]),
        "as good as it gets": scores([1.0] * 12),
        "in percent, as good as it gets": scores([99.2] * 12),
        "nothing found yet": scores([0.0] * 4, "mAP"),
        "hovers": scores([0.5, 0.51] * 6),
        "validation stands still": {
            "metrics": {"curves": [curve("val_acc", "score", "validation", STANDS),
                                   curve("train_loss", "loss", "training", HIGH)]},
        },
        "the loss goes on": {
            "metrics": {"curves": [curve("train_acc", "score", "training", STANDS),
                                   curve("train_loss", "loss", "training", [4.6 * 0.98**i for i in SIXTY])]},
        },
        "high enough": {
            "metrics": {"curves": [curve("train_acc", "score", "training", [2 * v for v in STANDS]),
                                   curve("train_loss", "loss", "training", HIGH)]},
        },
        "the rate was taken down": {
            "metrics": {"curves": [curve("train_acc", "score", "training", STANDS),
                                   curve("train_loss", "loss", "training", HIGH),
                                   curve("lr", "rate", "", [0.1] * 20 + [0.001] * 40)]},
        },
        "tokens": {
            "metrics": {"curves": [curve("train_token_acc", "score", "training", STANDS),
                                   curve("train_loss", "loss", "training", HIGH)]},
        },
        "rewards rose": {"metrics": NO_CURVES, "agent-progress": {**AGENT, "late": 80.0, "best": 82.0}},
        "the policy still tries": {
            "metrics": NO_CURVES, "agent-progress": {**AGENT, "entropy_gone": None, "entropy_gone_step": None},
        },
    },
)  # fmt: skip
def metric_stuck(
    metrics: Metrics, scores: Scores | None, agent: AgentProgress | None, *, least: int = 8
) -> Iterator[Finding]:
    """A score has exactly the same value every time, or stands still far from its best for most of the run.

    ## Why it matters
    A model that learns changes some of its answers; one number for ever means that it gives one answer, or that the
    score is not computed from its answers.

    ## False alarms
    A score at its best possible value stays there. A score that only stands still counts when it is one of training
    below one half, when the loss stands still with it, and when no schedule has taken the rate down; scores of tokens
    are left alone, as language has a floor. Rewards count when the policy stopped trying early on.
    """
    values = scores.values if scores is not None else ()
    top = 1.0 if max(values, default=0.0) <= 1.0 else 100.0
    if scores is not None and len(values) >= least and len(set(values)) == 1 and values[0] < 0.98 * top:
        yield Finding(f"{scores.name} is {values[0]:.4g} all {len(values)} times it was measured")
    elif agent is not None:
        yield from rewards_stuck(agent)
    else:
        yield from plateau(metrics)


def rewards_stuck(agent: AgentProgress) -> Iterator[Finding]:
    gain = max(agent.late, agent.best) - agent.early
    stays = gain < max(3 * agent.noise, 0.1 * abs(agent.early))
    if agent.entropy_gone is not None and agent.entropy_gone < 0.5 and stays and agent.points >= 20:
        yield Finding(
            f"{agent.reward} stays around {agent.late:.4g} ({agent.early:.4g} at the beginning) while the entropy of "
            f"the policy is as good as 0 from step {agent.entropy_gone_step} on",
            step=agent.entropy_gone_step,
        )


def plateau(metrics: Metrics, *, least: int = 20) -> Iterator[Finding]:
    """A training accuracy below one half that has not moved for most of the run, and a loss that stands with it."""
    if any(words_of(c.name) & {"perplexity", "ppl", "bpc", "bpb", "token", "tokens", "tok", "mlm", "char"} for c in
           metrics.curves):  # fmt: skip
        return
    rates = [c.values for c in metrics.curves if c.kind == "rate"]
    if any(values[-1] < 0.3 * max(values) for values in rates):
        return
    losses = [c for c in metrics.curves if c.kind == "loss" and c.split != "validation" and len(c.values) >= least]
    for one in metrics.curves:
        top = 1.0 if max(one.values) <= 1.0 else 100.0
        told = one.kind == "score" and one.split != "validation" and words_of(one.name) & {"acc", "accuracy", "top"}
        if not told or len(one.values) < least:
            continue
        level = median(one.values[-len(one.values) // 5 :])
        moved = level - one.values[0] > 0.05 * top
        if moved and level < 0.5 * top and stands(one.values, 0.02 * top) and losses and all(
            stands(loss.values, 0.02 * abs(median(loss.values))) for loss in losses
        ):  # fmt: skip
            begun = one.steps[len(one.steps) * 2 // 5]
            yield Finding(f"{one.name} stands at {level:.3g} since step {begun} or before, and so does the loss",
                          step=begun)  # fmt: skip
            return


def stands(values: Sequence[float], least: float) -> bool:
    """Whether the last three fifths of a curve have no trend beyond noise or a change that matters."""
    part = values[len(values) * 2 // 5 :]
    third = len(part) // 3
    change = abs(median(part[:third]) - median(part[-third:]))
    return change < max(least, 0.5 * roughness(part))
