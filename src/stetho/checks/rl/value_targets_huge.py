from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import AgentProgress, Metrics

RUN: dict[str, object] = {"curves": []}
AGENT = {
    "reward": "ep_rew_mean", "points": 20, "early": 2.6e5, "late": 2.4e5, "best": 2.6e5, "noise": 5e3, "size": 2.4e5,
    "length": 24.0, "explained": 1e-6, "value_loss": 9.5e9,
}  # fmt: skip


@check(
    reads=Metrics,
    also=AgentProgress,
    # Of the critic; what the policy does is another matter.
    root="value-targets",
    fires={"ten thousand a step, and the critic explains nothing": {"metrics": RUN, "agent-progress": AGENT}},
    quiet={
        "no agent": {"metrics": RUN},
        "large, and explained": {"metrics": RUN, "agent-progress": {**AGENT, "explained": 0.9}},
        "large, and learned all the same": {
            "metrics": RUN,
            "agent-progress": {**AGENT, "late": 9e5, "best": 9e5},
        },
        "of usual size": {
            "metrics": RUN,
            "agent-progress": {**AGENT, "early": 20.0, "late": 21.0, "best": 21.0, "size": 20.0, "value_loss": 30.0},
        },
        "no critic is logged": {
            "metrics": RUN,
            "agent-progress": {**AGENT, "explained": None, "value_loss": None},
        },
    },
)
def value_targets_huge(
    metrics: Metrics, agent: AgentProgress | None, *, reward: float = 50.0, loss: float = 1e4
) -> Iterator[Finding]:
    """Rewards are so large that the critic's loss is in the ten thousands, and it explains nothing of them.

    ## Why it matters
    Value targets within about ten are what networks and clipped updates are made for; far outside, the critic never
    catches up and the advantages are noise.

    ## False alarms
    Large returns that the critic explains, or that rise, are learned all the same.
    """
    if agent is None or agent.explained is None or agent.value_loss is None:
        return
    each = agent.size / agent.length if agent.length and agent.length > 1 else agent.size / 100
    stays = max(agent.late, agent.best) - agent.early < max(3 * agent.noise, 0.2 * abs(agent.early))
    if each > reward and agent.value_loss > loss and agent.explained < 0.1 and stays:
        yield Finding(
            f"{agent.reward} is of size {agent.size:.3g} (about {each:.3g} a step), the critic's loss "
            f"{agent.value_loss:.3g} and what it explains {max(agent.explained, 0.0):.2g}"
        )
