"""Loss functions as they are called: what goes in, what chance would give, and whether it was trained on."""

from __future__ import annotations

import functools
import weakref
from types import FunctionType
from typing import TYPE_CHECKING, Any, Callable

import torch

from .. import guard, sites
from ..change.moments import LossCall
from ..graph import node_of
from ..guard import guarded
from ..schedule import losses_shown
from ..unseen import transformed, unrecorded
from .fit import explained, told_apart
from .forms import form, sequence
from .weighting import weighting

if TYPE_CHECKING:
    from ..patches import Patches
    from ..watch import Watch

# Name of the function, and what its input should be.
LOSSES = {
    "cross_entropy": "scores",
    "log_softmax": "scores",
    "nll_loss": "log-probabilities",
    "binary_cross_entropy": "probabilities",
    "binary_cross_entropy_with_logits": "score",
    "mse_loss": "number",
    "l1_loss": "number",
    "smooth_l1_loss": "number",
    "huber_loss": "number",
    "kl_div": "log-probabilities",
    "gaussian_nll_loss": "number",
    "poisson_nll_loss": "number",
    "multi_margin_loss": "scores",
    "hinge_embedding_loss": "number",
}
# Losses whose targets may be numbers of classes, which have another shape than the scores.
INDEXED = ("cross_entropy", "nll_loss", "multi_margin_loss")
CLASSES = 2000
# Samples from which the mean of each output says something.
SAMPLES = 32
# Calls of one step that are looked at, and values of one step that are kept.
CALLS, TERMS = 64, 32
# Losses of two classes in one number, and the number from which on it means yes.
YES_OR_NO = {"binary_cross_entropy_with_logits": 0.0, "binary_cross_entropy": 0.5}


class Objectives:
    """Wraps the loss functions of torch; a call is looked at on the sampled steps only."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.inside = False
        self.seen: dict[int, int] = {}
        # The step under way, and calls of it that are still to be looked at.
        self.step = -1
        self.left = 0
        # Values of the losses that were computed for training since the last step, with their call sites.
        self.values: list[tuple[int, Any, Any]] = []
        # What a library makes of the losses of single samples that it asks torch for: their mean or their sum.
        self.reduced: str | None = None

    def install(self, patches: Patches) -> None:
        """Put the wrappers where torch's own modules and the program look the functions up."""
        functional = torch.nn.functional
        for name, expects in LOSSES.items():
            patches.replace(functional, name, self.wrapped(name, expects, getattr(functional, name)))
        for owner in (torch, torch.Tensor):
            patches.replace(owner, "log_softmax", self.wrapped("log_softmax", "scores", owner.log_softmax))

    def wrapped(self, name: str, expects: str, original: Callable[..., Any]) -> Callable[..., Any]:
        """The function with a look at its arguments; a loss that calls another one is looked at once."""
        # All names of the wrapper's are its own: torch.jit reads the original's source with the wrapper's globals.
        mine, watch, state, skipped = self, self.watch, guard, transformed

        def loss(*args: Any, **kwargs: Any) -> Any:
            if mine.inside or state.away() or state.compiling() or (state.modes() and state.hollow()) or skipped():
                return original(*args, **kwargs)
            mine.inside = True
            try:
                if watch.run.calls and watch.run.wants("loss", "target", "input"):
                    args, kwargs = mine.changed(name, args, kwargs)
                if watch.data.unlabelled and name != "log_softmax":
                    mine.paired(name, args, kwargs)
                if watch.step != mine.step:
                    mine.step_begins(watch.step)
                if mine.left > 0:
                    mine.called(name, expects, args, kwargs)
                lifted = watch.tracer.mode is not None and watch.tracer.lift()
                try:
                    value = original(*args, **kwargs)
                finally:
                    if lifted:
                        watch.tracer.lower()
                mine.returned(name, loss, args, kwargs, value)
                if watch.run.calls:
                    watch.run.loss_returned(name, args, kwargs, value)
                return value
            finally:
                mine.inside = False
                if watch.run.calls:
                    watch.run.meetings.go_on()

        known = getattr(original, "__globals__", loss.__globals__)
        loss = FunctionType(loss.__code__, known, name, None, loss.__closure__)
        return functools.wraps(original)(loss)

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.values = []

    def changed(self, name: str, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """The arguments as the experiment wants them; shapes that are tried out without numbers stay as they are."""
        if any(isinstance(one, torch.Tensor) and one.is_meta for one in (*args, *kwargs.values())):
            return args, kwargs
        call = LossCall(name, args, kwargs)
        return (tuple(call.args), call.kwargs) if self.watch.run.loss_arguments(call) else (args, kwargs)

    def step_begins(self, step: int) -> None:
        """Decide whether calls of this step are looked at; of an evaluation with many calls, the first ones."""
        self.step = step
        self.left = CALLS if losses_shown(step) else 0

    @guarded
    def paired(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """The labels that came for a model's input."""
        with unrecorded():
            self.watch.data.loss_seen(arguments(name, args, kwargs)[1])

    @guarded
    def called(
        self, name: str, expects: str, args: tuple[Any, ...], kwargs: dict[str, Any], trained: bool | None = None
    ) -> None:
        """Record one call: always the first ones of a line, then a thin sample."""
        step = self.watch.step
        self.left -= 1
        with unrecorded():
            given, target = arguments(name, args, kwargs)
            if not isinstance(given, torch.Tensor) or not given.is_floating_point() or not given.numel():
                return
            if given.is_meta or (isinstance(target, torch.Tensor) and target.is_meta):
                # Shapes that are tried out without numbers, as frameworks do before they train.
                return
            site = self.watch.journal.site(sites.here(3, 5))
            count = self.seen[site] = self.seen.get(site, 0) + 1
            trained = given.requires_grad if trained is None else trained
            if count > 12 and step > 3 and count % 7 and not trained:
                return
            self.watch.journal.write(
                "loss-call",
                fn=name,
                site=site,
                step=step,
                n=count,
                grad=trained,
                red=self.reduction(kwargs) if name != "log_softmax" else None,
                **sizes(name, given, target),
                **self.described(name, expects, given, target, kwargs),
                **weighting(name, args, kwargs),
            )

    def reduction(self, kwargs: dict[str, Any]) -> str:
        """What becomes of the losses of single samples."""
        asked = str(kwargs.get("reduction", "mean"))
        return self.reduced or asked if asked == "none" else asked

    @guarded
    def elsewhere(self, name: str, given: Any, target: Any, value: Any) -> None:
        """A loss that a library has computed without torch's functions, of the same meaning as one of them."""
        watch, trained = self.watch, isinstance(value, torch.Tensor) and value.requires_grad
        if watch.data.unlabelled:
            self.paired(name, (given, target), {})
        if watch.step != self.step:
            self.step_begins(watch.step)
        if self.left > 0:
            self.called(name, LOSSES[name], (given, target), {"reduction": "none"}, trained)
        if not trained and isinstance(value, torch.Tensor) and not value.is_meta:
            watch.evaluations.seen(name, given, target, "none", value)

    @guarded
    def returned(self, name: str, function: Any, args: Any, kwargs: Any, value: Any) -> None:
        """Keep what a loss came to; one that is trained on may be a term of what backward is called on."""
        if not isinstance(value, torch.Tensor) or value.is_meta:
            return
        watch = self.watch
        if not value.requires_grad:
            watch.evaluations.seen(name, *arguments(name, args, kwargs), kwargs.get("reduction", "mean"), value)
            return
        if watch.tracer.looking:
            with unrecorded():
                watch.tracer.saw(function, args, kwargs, value)
        if name == "log_softmax":
            watch.replay.operation(function, args, kwargs, value, 4)
            return
        watch.replay.loss_comes()
        site = watch.replay.operation(function, args, kwargs, value, 4)
        if value.numel() == 1 and len(self.values) < TERMS:
            # Read now: what is added to it in place later is not its own.
            number = value.item() if value.is_cpu else value.detach().clone()
            self.values.append((site, weakref.ref(value), number))

    def backward_on(self, loss: Any) -> None:
        """Forget a value that is itself what backward is called on: it is no term of it."""
        if self.values and self.values[-1][1]() is loss:
            self.values.pop()

    def taken(self, losses: list[tuple[int, Any]]) -> list[Any] | None:
        """The values since the last step, unless there is just one and it is what backward was called on."""
        values, self.values = self.values, []
        if not values:
            return None
        found = [(site, number) for site, _, number in values]
        if len(found) == len(losses) and [v for _, v in found] == [v for _, v in losses]:
            return None
        return found

    def described(self, name: str, expects: str, given: Any, target: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Whether the input is what the loss expects, which operation made it, and what the labels look like."""
        fields: dict[str, Any] = {}
        axis = axis_of(name, given, kwargs)
        if expects == "scores":
            fields["norm"] = is_distribution(given, axis)
            fields["k"] = given.shape[axis]
        elif expects == "score":
            fields["norm"] = bool(given.min() >= 0) and bool(given.max() <= 1)
        if self.watch.tracer.looking and node_of(given) is not None:
            made = self.watch.tracer.produced(given)
            if made is not None:
                fields["by"] = made[0]
                fields["by_at"] = self.watch.journal.site(made[1])
        fields.update(form(name, given, target, axis, kwargs))
        if isinstance(target, torch.Tensor) and target.numel():
            fields.update(labels(name, given, target, axis, kwargs))
            if name in INDEXED or expects == "number":
                fields.update(sequence(self.watch.data.tokens, target, kwargs))
        return fields


def arguments(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Input and target of a call, however they were passed; `log_softmax` has no target."""
    given = args[0] if args else kwargs.get("input", kwargs.get("self"))
    if name == "log_softmax":
        return given, None
    target = args[1] if len(args) > 1 else kwargs.get("target")
    return given, target


def axis_of(name: str, given: Any, kwargs: dict[str, Any]) -> Any:
    """The axis along which the classes lie."""
    if name == "log_softmax":
        return given.dim() - 1
    return 1 if given.dim() > 1 else 0


def sizes(name: str, given: Any, target: Any) -> dict[str, Any]:
    """Shapes, types and ranges of what a loss was given, and whether the two had to be stretched to fit."""
    low, high = (v.item() for v in torch.aminmax(given))
    fields: dict[str, Any] = {
        "shape": list(given.shape),
        "dtype": str(given.dtype).replace("torch.", ""),
        "low": low,
        "high": high,
        "broadcast": False,
    }
    if isinstance(target, torch.Tensor) and target.numel():
        fields["tshape"] = list(target.shape)
        fields["tdtype"] = str(target.dtype).replace("torch.", "")
        if target.dtype != torch.bool and not target.is_complex():
            fields["tlow"], fields["thigh"] = (v.item() for v in torch.aminmax(target))
        fields["broadcast"] = target.shape != given.shape and (target.is_floating_point() or name not in INDEXED)
    return fields


def is_distribution(value: Any, axis: int) -> bool:
    """Values in 0..1 whose sums along the axis are all one: probabilities, not scores."""
    if value.shape[axis] < 2 or bool(value.min() < 0) or bool(value.max() > 1):
        return False
    sums = value.float().sum(dim=axis)
    return bool(((sums - 1).abs() < 1e-3).all())


def yes_or_no(name: str, given: Any, target: Any) -> dict[str, Any]:
    """How often yes and no are right, are answered, and are answered rightly; nothing for targets between the two."""
    if not bool(((target == 0) | (target == 1)).all()):
        return {}
    right, answer = target.reshape(-1) > 0.5, given.reshape(-1) > YES_OR_NO[name]
    yes, said, both = int(right.sum()), int(answer.sum()), int((right & answer).sum())
    size = right.numel()
    return {"given2": [size - yes, yes], "pred2": [size - said, said], "hits2": [size - yes - said + both, both]}


def by_output(target: Any) -> dict[str, float]:
    """What it costs to answer each of several outputs with its own mean: less than one mean for all of them."""
    if target.dim() < 2 or target.shape[0] < SAMPLES or target.shape[1:].numel() < 2:
        return {}
    mean = target.reshape(target.shape[0], -1).mean(dim=0).clamp(1e-6, 1 - 1e-6)
    return {"ent": float(-(mean * mean.log() + (1 - mean) * (1 - mean).log()).mean())}


def labels(name: str, given: Any, target: Any, axis: int, kwargs: dict[str, Any]) -> dict[str, Any]:
    """What chance needs to know about the targets: class counts, or mean and variance."""
    if name in ("cross_entropy", "nll_loss") and not target.is_floating_point():
        flat = target.reshape(-1)
        flat = flat[flat != kwargs.get("ignore_index", -100)]
        k = given.shape[axis]
        fields: dict[str, Any] = {"ignored": target.numel() - flat.numel()}
        if flat.numel() and int(flat.min()) >= 0 and int(flat.max()) < k <= CLASSES:
            fields["hist"] = torch.bincount(flat, minlength=k).tolist()
            kept = target.reshape(-1) != kwargs.get("ignore_index", -100)
            guess = given.argmax(dim=axis).reshape(-1)[kept]
            fields["pred"] = torch.bincount(guess, minlength=k).tolist()
            fields["acc"] = float((guess == flat).float().mean())
            fields["hits"] = torch.bincount(flat[guess == flat], minlength=k).tolist()
        return fields
    if target.is_floating_point():
        number = target.float()
        fields = {"mean": float(number.mean()), "sq": float((number * number).mean()), "m": number.numel()}
        if name.startswith("binary_cross_entropy") and given.shape == target.shape:
            yes = given > (0.0 if name.endswith("logits") else 0.5)
            fields["acc"] = float((yes == (target > 0.5)).float().mean())
            fields.update(by_output(number))
        share = explained(given, target) if name != "binary_cross_entropy_with_logits" else None
        if share is not None:
            fields["r2"] = share
        parted = told_apart(given, target)
        if parted is not None:
            fields["parted"] = parted
        if name in YES_OR_NO and given.shape == target.shape:
            fields.update(yes_or_no(name, given, target))
        return fields
    return {}
