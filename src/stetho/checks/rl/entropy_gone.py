from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import AgentProgress, Metrics

RUN: dict[str, object] = {"curves": []}
AGENT = {
    "reward": "ep_rew_mean", "points": 250, "early": 21.0, "late": 21.2, "best": 21.9, "noise": 0.8, "size": 21.0,
    "entropy_first": 1.3, "entropy_late": 0.01, "entropy_gone": 0.12, "entropy_gone_step": 300,
}  # fmt: skip


@check(
    reads=Metrics,
    also=AgentProgress,
    root="agent-progress",
    fires={"after an eighth of the run, and no reward more": {"metrics": RUN, "agent-progress": AGENT}},
    quiet={
        "no agent": {"metrics": RUN},
        "sure of itself because it is good": {
            "metrics": RUN,
            "agent-progress": {**AGENT, "late": 480.0, "best": 495.0},
        },
        "late in the run": {"metrics": RUN, "agent-progress": {**AGENT, "entropy_gone": 0.8}},
        "still tries": {
            "metrics": RUN,
            "agent-progress": {**AGENT, "entropy_gone": None, "entropy_gone_step": None, "entropy_late": 0.8},
        },
    },
)
def entropy_gone(metrics: Metrics, agent: AgentProgress | None, *, early: float = 0.5) -> Iterator[Finding]:
    """The policy's entropy is gone early, before its rewards have risen.

    ## Why it matters
    An agent that always does the same finds nothing better.

    ## False alarms
    A policy may be sure of itself because it is good: then its rewards have risen.
    """
    if agent is None:
        return
    gain = max(agent.late, agent.best) - agent.early
    stays = gain < max(3 * agent.noise, 0.1 * abs(agent.early))
    if agent.entropy_gone is not None and agent.entropy_gone < early and stays and agent.points >= 20:
        yield Finding(
            f"the entropy falls from {agent.entropy_first or 0:.3g} to {agent.entropy_late or 0:.2g}, as good as 0 "
            f"from step {agent.entropy_gone_step} on, while {agent.reward} stays around {agent.late:.4g}",
            step=agent.entropy_gone_step,
        )
