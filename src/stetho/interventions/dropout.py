"""Switch dropout off, or drop another share.

## What changes
Every call of dropout that would drop something: torch's functions and so its layers, the dropout of
scaled_dot_product_attention and so of MultiheadAttention, and that between the layers of an RNN. What is switched off
still draws its random numbers, which are thrown away, so that the others stay as they are.

## How it is known
Off: what comes out equals what went in; of attention and RNNs, what comes out is not what dropping gave. With a share:
among the values that were not zero before, about that many are zero after.

## What it tells
If a run that learns too little learns more, the model was given too little to learn from. If held-out loss gets worse,
dropout was needed.

## When it says nothing
Programs without dropout, or with a share of 0; dropout that the program writes by hand, or inside a compiled graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow dropout?"
applies = "models that call torch's dropout"
values = {"off": "nothing is dropped", "V": "a share of V is dropped"}
example = "off"
# A training loss without dropout is a little lower in most runs that have it.
backgrounds = {"off": {"symptom-gone": 0.03, "better": 0.35, "same": 0.55, "worse": 0.05, "new-failure": 0.02}}
FUNCTIONS = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
# Functions without the word `functional` in front; they take the share and the mode by position.
PLAIN = ("dropout", "dropout_", "alpha_dropout", "alpha_dropout_", "feature_dropout", "feature_dropout_")
# Values looked at to tell what share was dropped; of fewer, the share is a matter of luck.
MANY = 1000


def read(value: str) -> float:
    """The share to drop; off is a share of 0."""
    share = 0.0 if value == "off" else float(value)
    if not 0 <= share < 1:
        raise ValueError("a share lies between 0 and 1")
    return share


class Dropping:
    """Stands in for every function that drops; each is still called, for its random numbers."""

    def __init__(self, run: Run, share: float) -> None:
        self.run, self.torch, self.share = run, run.torch, share
        self.seen = False

    def function(self, original: Any, input: Any, p: Any = 0.5, training: Any = True, inplace: Any = False) -> Any:
        """A function with the mode among its arguments, which takes it for training when it is left out."""
        self.seen = self.seen or bool(p)
        if not training or not p:
            return original(input, p, training, inplace)
        given = input.detach().clone() if inplace else input
        if self.share == 0:
            with self.torch.no_grad():
                original(input.detach(), p, True, False)
            return self.looked(given, input)
        return self.looked(given, original(input, self.share, True, inplace))

    def alpha(self, original: Any, input: Any, p: Any = 0.5, training: Any = False, inplace: Any = False) -> Any:
        """The same for those that are no training unless they are told so."""
        return self.function(original, input, p, training, inplace)

    def plain(self, original: Any, input: Any, p: Any, train: Any) -> Any:
        """A function that takes the share and the mode by position, and may write to its input."""
        self.seen = self.seen or bool(p)
        if not train or not p:
            return original(input, p, train)
        given = input.detach().clone()
        if self.share == 0:
            with self.torch.no_grad():
                original(given.clone(), p, True)
            return self.looked(given, input)
        return self.looked(given, original(input, self.share, True))

    def attention(self, original: Any, *args: Any, **kwargs: Any) -> Any:
        """Attention drops weights within: what comes out is held against what dropping gives."""
        if not (args[4] if len(args) > 4 else kwargs.get("dropout_p", 0.0)):
            return original(*args, **kwargs)
        self.seen = True
        with self.torch.no_grad():
            dropped = original(*args, **kwargs)
        made = self.anew(lambda: with_share(original, args, kwargs, self.share))
        self.compare(made, dropped)
        return made

    def recurrent(self, original: Any, layer: Any, *args: Any, **kwargs: Any) -> Any:
        """So do recurrent layers, between layers only: a single one drops nothing."""
        own = layer.dropout
        if not layer.training or not own or layer.num_layers < 2:
            return original(layer, *args, **kwargs)
        self.seen = True
        with self.torch.no_grad():
            dropped = original(layer, *args, **kwargs)
        layer.dropout = self.share
        try:
            made = self.anew(lambda: original(layer, *args, **kwargs))
        finally:
            layer.dropout = own
        self.compare(self.values_of(made), self.values_of(dropped))
        return made

    def anew(self, compute: Callable[[], Any]) -> Any:
        """Compute with other random numbers than those that have just been drawn, and leave the generators there."""
        torch = self.torch
        if self.share == 0:
            return compute()
        devices = list(range(torch.cuda.device_count())) if torch.cuda.is_initialized() else []
        with torch.random.fork_rng(devices):
            return compute()

    def values_of(self, output: Any) -> Any:
        """The tensor of a recurrent layer's output, which may be packed."""
        first = output[0]
        return first if self.torch.is_tensor(first) else getattr(first, "data", first)

    def looked(self, given: Any, made: Any) -> Any:
        """What came out, once the change has been seen in it."""
        self.run.applied()
        with self.torch.no_grad():
            if self.share == 0:
                same = made is given or self.torch.equal(made, given)
                self.run.verified() if same else self.run.contradicted("values change although nothing is dropped")
            elif given.numel() >= MANY:
                gone = float(((made == 0) & (given != 0)).sum()) / max(1.0, float((given != 0).sum()))
                if abs(gone - self.share) < 0.1:
                    self.run.verified()
        return made

    def compare(self, made: Any, dropped: Any) -> None:
        """What comes out is not what dropping gave."""
        self.run.applied()
        if not self.torch.equal(made.detach(), dropped):
            self.run.verified()

    def none_seen(self, optimizer: Any) -> None:
        """After a step: why nothing was changed, if so."""
        if not self.seen:
            self.run.refused("the model has no dropout")
        elif not self.run.count:
            self.run.refused("dropout is called in evaluation mode only")


def apply(run: Run, value: str) -> None:
    """Stand in for every function that drops."""
    torch, dropping = run.torch, Dropping(run, read(value))
    functional = torch.nn.functional
    for name in FUNCTIONS:
        if hasattr(functional, name):
            run.instead(functional, name, dropping.alpha if "alpha" in name else dropping.function)
    for name in PLAIN:
        if hasattr(torch, name):
            run.instead(torch, name, dropping.plain)
    run.instead(functional, "scaled_dot_product_attention", dropping.attention)
    for layer in (torch.nn.RNN, torch.nn.LSTM, torch.nn.GRU):
        run.instead(layer, "forward", dropping.recurrent)
    run.on_stepped(dropping.none_seen)


def with_share(original: Any, args: Any, kwargs: dict[str, Any], share: float) -> Any:
    """Attention that drops another share."""
    if len(args) > 4:
        return original(*args[:4], share, *args[5:], **kwargs)
    return original(*args, **{**kwargs, "dropout_p": share})
