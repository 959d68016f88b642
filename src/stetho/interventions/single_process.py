"""Train in one process instead of several ranks.

## What changes
torch's launcher, also below `torchrun` and `accelerate launch`, starts one process on one node. It reads all the data
that the ranks would have shared, and averages its gradients with nobody.

## How it is known
The launcher leaves word of how many ranks it was asked for; the process that trains finds itself alone in its group.

## What it tells
If the symptom is gone, it is in what the ranks do together: how they share the data, how they are seeded, what they
send each other. If it stays, it can be looked for in one process.

## When it says nothing
Programs that start their ranks themselves, launchers other than torch's, and training that is alone already. Batches
are fewer per step than before, so the loss need not follow the same curve.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom need several ranks?"
applies = "programs started by torch's launcher"
values = {"": "one rank on one node"}
moves = "one rank draws other samples than several that share them"
# The launcher's word to the process that it starts.
ASKED = "STETHO_RANKS_ASKED_FOR"


def apply(run: Run, value: str) -> None:
    """Change the launcher's settings in the launcher; look at the group in the process that trains."""
    run.when_imported("torch.distributed.launcher.api", lambda api: _alone(run, api))
    asked = int(os.environ.get(ASKED, "0"))
    if asked > 1:
        run.applied()

    @run.on_step_over
    def look(optimizer: Any) -> None:
        group = run.torch.distributed
        joined = group.is_available() and group.is_initialized()
        world = group.get_world_size() if joined else int(os.environ.get("WORLD_SIZE") or 1)
        if asked > 1 and world == 1:
            run.verified()
        elif asked > 1:
            run.contradicted(f"{world} ranks train although one was started")
        elif world > 1 and "TORCHELASTIC_RUN_ID" not in os.environ:
            run.refused("the ranks are started by the program itself or by a launcher other than torch's")
        elif world == 1:
            run.refused("one process trains already")


def _alone(run: Run, api: Any) -> None:
    """Have every launch of this process start one rank."""

    def settings(args: Any, kwargs: Any) -> None:
        config = kwargs.get("config", args[1] if len(args) > 1 else None)
        if config is not None:
            os.environ[ASKED] = str(int(config.nproc_per_node) * int(config.max_nodes))
            config.nproc_per_node = config.min_nodes = config.max_nodes = 1

    run.before(api.elastic_launch, "__init__", settings)
