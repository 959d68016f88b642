"""Step with another optimizer: plain gradient descent, Adam or AdamW.

## What changes
The arithmetic of each step, for the same parameters, groups and gradients; hooks, closures, clipping and schedules work
as before. Gradient descent has no momentum and takes the program's own rates; Adam and AdamW begin at 3e-4, or the rate
given, and follow the program's schedule: they are scaled as its rate is. Only AdamW has a weight decay, of 0.01.

## How it is known
A parameter has moved by what the new rule says, as far as one step tells, and the old optimizer has noted nothing.

## What it tells
If the symptom goes away, the optimizer or its settings made it. That Adam at a usual rate works says that model, data
and loss are fit to be learned.

## When it says nothing
Programs that use that very optimizer, and updates written by hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow the optimizer?"
applies = "any optimizer of torch's"
values = {
    "sgd": "plain gradient descent at the program's rates",
    "sgd:LR": "at LR",
    "adam": "Adam at 3e-4",
    "adam:LR": "at LR",
    "adamw": "AdamW at 3e-4",
    "adamw:LR": "at LR",
}
example = "adam"
BETAS, EPSILON, DECAY, USUAL = (0.9, 0.999), 1e-8, 0.01, 3e-4


def read(value: str) -> tuple[str, float | None]:
    """The name, and the rate where one is given."""
    name, _, rate = value.partition(":")
    if name not in ("sgd", "adam", "adamw"):
        raise ValueError("sgd, adam and adamw are known")
    if not rate:
        return name, None if name == "sgd" else USUAL
    if not 0 < float(rate) < float("inf"):
        raise ValueError("a rate is above 0")
    return name, float(rate)


class Notes:
    """What Adam notes for one parameter."""

    def __init__(self, torch: Any, parameter: Any) -> None:
        self.step = 0
        self.mean = torch.zeros_like(parameter)
        self.square = torch.zeros_like(torch.view_as_real(parameter) if parameter.is_complex() else parameter)


class Rule:
    """The arithmetic of the new optimizer."""

    def __init__(self, torch: Any, name: str) -> None:
        self.torch, self.name = torch, name
        self.notes: dict[int, Notes] = {}

    def update(self, parameter: Any, gradient: Any, rate: float) -> None:
        """Move one parameter."""
        gradient = gradient.to_dense() if gradient.is_sparse else gradient
        if self.name == "sgd":
            parameter.add_(gradient, alpha=-rate)
            return
        if id(parameter) not in self.notes:
            self.notes[id(parameter)] = Notes(self.torch, parameter)
        self.adam(self.notes[id(parameter)], parameter, gradient, rate)

    def adam(self, notes: Notes, parameter: Any, gradient: Any, rate: float) -> None:
        """Move one parameter as Adam does, or AdamW."""
        notes.step += 1
        first_beta, second_beta = BETAS
        if self.name == "adamw":
            parameter.mul_(1 - rate * DECAY)
        mean = notes.mean.lerp_(gradient, 1 - first_beta)
        if parameter.is_complex():
            parameter, gradient, mean = (self.torch.view_as_real(t) for t in (parameter, gradient, mean))
        notes.square.mul_(second_beta).addcmul_(gradient, gradient, value=1 - second_beta)
        height = (notes.square / (1 - second_beta**notes.step)).sqrt_().add_(EPSILON)
        parameter.addcdiv_(mean, height, value=-rate / (1 - first_beta**notes.step))


class Stepping:
    """Puts the rule between the hooks of each optimizer's step."""

    def __init__(self, run: Run, value: str) -> None:
        self.run, self.torch = run, run.torch
        self.name, self.rate = read(value)
        self.as_usual = ":" not in value
        self.rule = Rule(run.torch, self.name)
        self.begun: dict[tuple[int, int], float] = {}
        """The program's rate at the beginning, by optimizer and group."""
        self.patched: set[Any] = set()
        # The hooks of torch's optimizers, the observer's among them, come with it.
        self.hooked = run.torch.optim.Optimizer.profile_hook_step(self.step)

    def same(self, optimizer: Any) -> bool:
        """Whether the program has chosen the very same."""
        optim = self.torch.optim
        kind = {"sgd": optim.SGD, "adam": optim.Adam, "adamw": optim.AdamW}[self.name]
        settings = optimizer.defaults
        plain = self.name != "sgd" or not (settings.get("momentum") or settings.get("weight_decay"))
        return self.as_usual and type(optimizer) is kind and plain

    def made(self, optimizer: Any) -> None:
        """The program has made an optimizer."""
        for number, group in enumerate(optimizer.param_groups):
            self.begun[id(optimizer), number] = float(group.get("lr") or 0)
        kind = type(optimizer)
        if self.same(optimizer):
            self.run.refused(f"the program uses {kind.__name__} already")
        elif kind not in self.patched:
            self.patched.add(kind)
            self.run.instead(kind, "step", self.instead)

    def instead(self, original: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """In place of a step; others of its kind may be the very same."""
        return (original if self.same(optimizer) else self.hooked)(optimizer, *args, **kwargs)

    def step(self, optimizer: Any, closure: Any = None) -> Any:
        """The step between the hooks."""
        loss = None
        if closure is not None:
            with self.torch.enable_grad():
                loss = closure()
        bad = getattr(optimizer, "found_inf", None)
        if bad is None or not bool(bad):
            with self.torch.no_grad():
                self.update(optimizer)
        return loss

    def update(self, optimizer: Any) -> None:
        for number, group in enumerate(optimizer.param_groups):
            for parameter in group["params"]:
                if parameter.grad is not None:
                    gradient = unscaled(optimizer, parameter.grad)
                    self.rule.update(parameter, gradient, self.rate_of(optimizer, number, group))

    def rate_of(self, optimizer: Any, number: int, group: Any) -> float:
        """The rate in force: the program's own, or the one asked for in the proportion of its schedule."""
        current = float(group.get("lr") or 0)
        begun = float(group.get("initial_lr") or self.begun.get((id(optimizer), number)) or current)
        if self.rate is None:
            return current
        return self.rate * current / begun if begun else self.rate


@dataclass(frozen=True)
class Probe:
    """One parameter as it was before a step, and what the program's optimizer had noted for it."""

    parameter: Any
    old: Any
    gradient: Any
    rate: float
    notes: list[Any]


class Looking:
    """Sees in one parameter of each step whose rule has moved it."""

    def __init__(self, run: Run, stepping: Stepping) -> None:
        self.run, self.torch, self.stepping = run, run.torch, stepping
        self.probes: dict[int, Probe] = {}

    def before(self, optimizer: Any) -> None:
        """Note the first parameter that can be looked at."""
        if self.stepping.same(optimizer):
            return
        for number, group in enumerate(optimizer.param_groups):
            for one in group["params"]:
                if one.grad is not None and not one.grad.is_sparse and not one.is_complex():
                    rate, notes = self.stepping.rate_of(optimizer, number, group), self.noted(optimizer, one)
                    old, gradient = one.detach().clone(), one.grad.detach().clone()
                    self.probes[id(optimizer)] = Probe(one, old, gradient, rate, notes)
                    return

    def noted(self, optimizer: Any, parameter: Any) -> list[Any]:
        """What the program's optimizer has noted for a parameter, by which it is told whether it adds to it."""
        notes = optimizer.state.get(parameter, {}).values()
        return [(id(note), note._version) if self.torch.is_tensor(note) else note for note in notes]

    def after(self, optimizer: Any) -> None:
        """Hold what has become of it against the rule."""
        if self.stepping.same(optimizer) or id(optimizer) not in self.probes:
            return
        self.run.applied()
        probe = self.probes.pop(id(optimizer))
        if not self.fits(optimizer, probe) and bool(probe.gradient.isfinite().all()):
            self.run.contradicted("parameters do not move as the new optimizer would move them")
        elif self.noted(optimizer, probe.parameter) == probe.notes:
            self.run.verified()
        else:
            self.run.contradicted("the program's own optimizer has stepped as well")

    def fits(self, optimizer: Any, probe: Probe) -> bool:
        """Whether the parameter has moved by what the rule says, as far as one step tells."""
        old, rate = probe.old, probe.rate
        moved = (probe.parameter.detach() - old).double()
        if self.stepping.name == "sgd":
            wanted = -rate * unscaled(optimizer, probe.gradient).double()
            return bool(self.torch.allclose(moved, wanted, rtol=1e-2, atol=1e-6 + 1e-6 * float(old.abs().max())))
        # No step of Adam is longer than a few times its rate, whatever the gradient.
        return bool((moved.abs() <= 10 * rate * (1 + DECAY * old.abs().double()) + 1e-6).all())


def apply(run: Run, value: str) -> None:
    """Put other arithmetic between the hooks of each optimizer's step."""
    stepping = Stepping(run, value)
    looking = Looking(run, stepping)
    run.on_optimizer(stepping.made)
    run.on_gradients(looking.before)
    run.on_stepped(looking.after)


def unscaled(optimizer: Any, gradient: Any) -> Any:
    """A gradient without the factor that a scaler has left to the optimizer."""
    scale = getattr(optimizer, "grad_scale", None)
    return gradient if scale is None else gradient / scale
