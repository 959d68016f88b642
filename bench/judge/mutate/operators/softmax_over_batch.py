from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import calls, keyword, training


@fault(
    "arch/batch-mixing",
    "arch/norm-misuse",
    "loss/wrong-reduction",
    before="p = torch.softmax(scores, dim=-1)\n",
    after="p = torch.softmax(scores, dim=0)\n",
)
def softmax_over_batch(program: Program) -> Iterator[Mutation]:
    """A softmax runs over the samples of the batch instead of over the classes."""
    for call in calls(program, "softmax", "log_softmax", "logsumexp"):
        axis = keyword(call, "dim")
        learned = training(program, call) and "detach" not in program.text(call)
        if axis is not None and learned and program.text(axis.value) in ("1", "-1"):
            yield Mutation((program.replace(axis.value, "0"),))
