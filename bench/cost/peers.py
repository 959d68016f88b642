"""The tools whose cost is compared: how each is switched on and off around a block of steps.

Standard library, torch and the tool itself only: this runs in the environment that the tool is installed in.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from programs import Training, build


def nothing() -> None:
    """What a tool without a switch does between blocks."""


def idle() -> bool:
    """What a tool is that begins and ends its work within a step."""
    return False


def looking() -> bool:
    """Whether the observer has made ready to see the next step operation by operation."""
    return bool(torch.overrides._len_torch_function_stack() > 0)


@dataclass(frozen=True)
class Arms:
    """The step without the tool and with it, and what is to be done before and after a block with it."""

    plain: Callable[[], None]
    watched: Callable[[], None]
    enter: Callable[[], None] = nothing
    leave: Callable[[], None] = nothing
    busy: Callable[[], bool] = idle
    """Whether the tool has begun something that slows the next step, so that the block must not end yet."""


def unobserved(name: str) -> Arms:
    """The same thing twice: what this measurement shows where there is nothing to see."""
    training = build(name)
    return Arms(training.step, training.step)


def stetho(name: str) -> Arms:
    """The observer, by its own switch; its wrappers stay installed in both arms and return at once in one."""
    guard: Any = sys.modules["_stetho_observer.guard"]
    training = build(name)

    def enter() -> None:
        guard.off = False

    def leave() -> None:
        if guard.off:
            raise SystemExit("the observer switched itself off")
        guard.off = True

    return Arms(training.step, training.step, enter, leave, looking)


def anomaly(name: str) -> Arms:
    """torch's own search for the operation behind a NaN gradient."""
    training = build(name)
    switch = torch.autograd.set_detect_anomaly
    return Arms(training.step, training.step, lambda: _do(switch(True)), lambda: _do(switch(False)))


def isnan(name: str) -> Arms:
    """What people write by hand: a forward hook on every module that looks for NaN."""
    training = build(name)

    def look(module: Any, args: Any, output: Any) -> None:
        for value in output if isinstance(output, tuple) else (output,):
            if isinstance(value, torch.Tensor) and torch.isnan(value).any():
                raise RuntimeError(f"NaN from {type(module).__name__}")

    for module in training.model.modules():
        module.register_forward_hook(look)
    return _switched_hooks(training)


def underflow(name: str) -> Arms:
    """Hugging Face's DebugUnderflowOverflow, which keeps the range of all that goes in and out of every module."""
    from transformers.debug_utils import DebugUnderflowOverflow

    training = build(name)
    DebugUnderflowOverflow(training.model)
    return _switched_hooks(training)


def cockpit(name: str) -> Arms:
    """Cockpit's cheapest set of quantities at every step, beside a twin of the model without BackPACK's hooks."""
    from backpack import extend
    from cockpit import Cockpit
    from cockpit.utils.configuration import configuration

    plain, training = build(name), build(name)
    model, mean = extend(training.model), extend(torch.nn.CrossEntropyLoss())
    single = torch.nn.CrossEntropyLoss(reduction="none")
    board = Cockpit(model.parameters(), quantities=configuration("economy"))
    steps = [0]

    def step() -> None:
        data, labels = next(training.batches)
        training.optimizer.zero_grad()
        scores = model(data)
        loss, losses = mean(scores, labels), single(scores, labels)
        told = {"batch_size": len(data), "individual_losses": losses, "loss": loss, "optimizer": training.optimizer}
        with board(steps[0], info=told):
            loss.backward(create_graph=board.create_graph(steps[0]))
        training.optimizer.step()
        steps[0] += 1

    return Arms(plain.step, step)


def _switched_hooks(training: Training) -> Arms:
    """Forward hooks, taken out of their modules and put back, so that the other arm has none at all."""
    held = [(m, m._forward_hooks.copy()) for m in training.model.modules()]

    def enter() -> None:
        for module, hooks in held:
            module._forward_hooks.update(hooks)

    def leave() -> None:
        for module, _ in held:
            module._forward_hooks.clear()

    leave()
    return Arms(training.step, training.step, enter, leave)


def _do(_: object) -> None:
    """Nothing more: the call that made the argument was the point."""


PEERS: dict[str, Callable[[str], Arms]] = {
    "unobserved": unobserved,
    "stetho": stetho,
    "anomaly": anomaly,
    "isnan": isnan,
    "underflow": underflow,
    "cockpit": cockpit,
}
