"""Use algorithms that give the same result each time, where torch has them.

## What changes
torch.use_deterministic_algorithms is on, with a warning where an operation has no such algorithm; cuDNN does not try
out which of its algorithms is the fastest, and cuBLAS gets the workspace it needs for this.

## How it is known
Torch and cuDNN are asked after each step: the settings are still in force.

## What it tells
If two runs with one seed that came out differently now come out alike, the order of additions on the device made the
difference. If the symptom goes away, it lives on that.

## When it says nothing
Programs that ask for it themselves; what differs for another reason, as data that come in another order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom come from operations that give another result each time?"
applies = "any program"
values = {"": "where torch has such algorithms"}
cost = 1.5


def prepare(command: list[str], environment: dict[str, str], value: str) -> tuple[list[str], dict[str, str]]:
    """cuBLAS reads its workspace from the environment, before anything runs."""
    return command, {"CUBLAS_WORKSPACE_CONFIG": ":4096:8", **environment}


def apply(run: Run, value: str) -> None:
    """Switch it on before the program begins, and let nobody switch it off."""
    torch = run.torch
    state = {"asked": False}

    def switch() -> None:
        torch._C._set_deterministic_algorithms(True, warn_only=True)
        torch.backends.cudnn.deterministic = True
        torch.backends.cudnn.benchmark = False

    def asked(args: Any, kwargs: Any) -> Any:
        state["asked"] = bool(kwargs.get("mode", args[0] if args else True))
        return (True,), {"warn_only": True}

    switch()
    run.before(torch, "use_deterministic_algorithms", asked)

    @run.on_entering
    def again(module: Any, training: bool) -> None:
        if torch.backends.cudnn.benchmark or not torch.are_deterministic_algorithms_enabled():
            switch()

    @run.on_stepped
    def look(optimizer: Any) -> None:
        if state["asked"]:
            run.refused("the program asks for deterministic algorithms itself")
            return
        run.applied()
        if torch.are_deterministic_algorithms_enabled() and not torch.backends.cudnn.benchmark:
            run.verified()
