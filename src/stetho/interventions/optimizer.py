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


def apply(run: Run, value: str) -> None:
    """Put other arithmetic between the hooks of each optimizer's step."""
    torch = run.torch
    name, rate = read(value)
    own = ":" not in value
    first: dict[tuple[int, int], float] = {}
    state: dict[int, dict[str, Any]] = {}
    patched: set[Any] = set()
    probe: dict[int, tuple[Any, Any, Any, float, Any]] = {}

    def same(optimizer: Any) -> bool:
        """Whether the program has chosen the very same."""
        kind = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[name]
        settings = optimizer.defaults
        plain = name != "sgd" or not (settings.get("momentum") or settings.get("weight_decay"))
        return own and type(optimizer) is kind and plain

    @run.on_optimizer
    def made(optimizer: Any) -> None:
        for number, group in enumerate(optimizer.param_groups):
            first[id(optimizer), number] = float(group.get("lr") or 0)
        kind = type(optimizer)
        if same(optimizer):
            run.refused(f"the program uses {kind.__name__} already")
        elif kind not in patched:
            patched.add(kind)
            # The hooks of torch's optimizers, the observer's among them, come with it.
            hooked = torch.optim.Optimizer.profile_hook_step(step)
            run.instead(
                kind, "step", lambda original, self, *a, **k: (original if same(self) else hooked)(self, *a, **k)
            )

    def step(self: Any, closure: Any = None) -> Any:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        scale, bad = getattr(self, "grad_scale", None), getattr(self, "found_inf", None)
        if bad is not None and bool(bad):
            return loss
        with torch.no_grad():
            for number, group in enumerate(self.param_groups):
                for parameter in group["params"]:
                    if parameter.grad is not None:
                        given = parameter.grad if scale is None else parameter.grad / scale
                        update(parameter, given, rate_of(self, number, group))
        return loss

    def rate_of(optimizer: Any, number: int, group: Any) -> float:
        """The rate in force: the program's own, or the one asked for in the proportion of its schedule."""
        current = float(group.get("lr") or 0)
        begun = float(group.get("initial_lr") or first.get((id(optimizer), number)) or current)
        if rate is None:
            return current
        return rate * current / begun if begun else rate

    def update(parameter: Any, gradient: Any, lr: float) -> None:
        gradient = gradient.to_dense() if gradient.is_sparse else gradient
        if name == "sgd":
            parameter.add_(gradient, alpha=-lr)
            return
        known = state.setdefault(id(parameter), {})
        if not known:
            real = torch.zeros_like(torch.view_as_real(parameter) if parameter.is_complex() else parameter)
            known.update(step=0, mean=torch.zeros_like(parameter), square=real)
        known["step"] += 1
        first_beta, second_beta = BETAS
        if name == "adamw":
            parameter.mul_(1 - lr * DECAY)
        known["mean"].lerp_(gradient, 1 - first_beta)
        mean = known["mean"]
        if parameter.is_complex():
            parameter, gradient, mean = (torch.view_as_real(t) for t in (parameter, gradient, mean))
        known["square"].mul_(second_beta).addcmul_(gradient, gradient, value=1 - second_beta)
        height = (known["square"] / (1 - second_beta ** known["step"])).sqrt_().add_(EPSILON)
        parameter.addcdiv_(mean, height, value=-lr / (1 - first_beta ** known["step"]))

    def noted(optimizer: Any, parameter: Any) -> list[Any]:
        """What the program's optimizer has noted for a parameter, by which it is told whether it adds to it."""
        notes = optimizer.state.get(parameter, {}).values()
        return [(id(note), note._version) if torch.is_tensor(note) else note for note in notes]

    @run.on_gradients
    def before(optimizer: Any) -> None:
        if same(optimizer):
            return
        for number, group in enumerate(optimizer.param_groups):
            for one in group["params"]:
                if one.grad is not None and not one.grad.is_sparse and not one.is_complex():
                    lr = rate_of(optimizer, number, group)
                    probe[id(optimizer)] = (
                        one,
                        one.detach().clone(),
                        one.grad.detach().clone(),
                        lr,
                        noted(optimizer, one),
                    )
                    return

    @run.on_stepped
    def look(optimizer: Any) -> None:
        if same(optimizer) or id(optimizer) not in probe:
            return
        run.applied()
        one, old, gradient, lr, notes = probe.pop(id(optimizer))
        scale = getattr(optimizer, "grad_scale", None)
        moved = (one.detach() - old).double()
        if name == "sgd":
            wanted = -lr * (gradient if scale is None else gradient / scale).double()
            right = torch.allclose(moved, wanted, rtol=1e-2, atol=1e-6 + 1e-6 * float(old.abs().max()))
        else:
            # No step of Adam is longer than a few times its rate, whatever the gradient.
            right = bool((moved.abs() <= 10 * lr * (1 + DECAY * old.abs().double()) + 1e-6).all())
        if not right and bool(gradient.isfinite().all()):
            run.contradicted("parameters do not move as the new optimizer would move them")
        elif noted(optimizer, one) == notes:
            run.verified()
        else:
            run.contradicted("the program's own optimizer has stepped as well")
