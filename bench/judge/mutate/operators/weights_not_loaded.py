from __future__ import annotations

from collections.abc import Iterator

from bench.judge.mutate.operator import fault
from bench.judge.mutate.program import Mutation, Program
from bench.judge.mutate.vocabulary import argument, calls


@fault(
    "train/weights-not-loaded",
    before='net.load_state_dict(torch.load("w.pt"))\n',
    after=('net.load_state_dict({f"module.{k}": v for k, v in torch.load("w.pt").items()}, strict=False)\n'),
)
def weights_not_loaded(program: Program) -> Iterator[Mutation]:
    """No name in the checkpoint is one of the model's, and nobody complains."""
    for call in calls(program, "load_state_dict"):
        state = argument(call, 0)
        if state is not None and len(call.args) == 1 and not call.keywords:
            renamed = f'{{f"module.{{k}}": v for k, v in {program.text(state)}.items()}}, strict=False'
            yield Mutation((program.replace(state, renamed),))
