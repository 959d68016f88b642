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
    from stetho.observer.change import Run

kind = "control"
question = "Does the symptom follow dropout?"
applies = "models that call torch's dropout"
values = {"off": "nothing is dropped", "V": "a share of V is dropped"}
example = "off"
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


def apply(run: Run, value: str) -> None:
    """Stand in for every function that drops; each is still called, for its random numbers."""
    torch, share = run.torch, read(value)
    functional = torch.nn.functional
    state = {"seen": False}

    def looked(given: Any, made: Any) -> None:
        """See the change in what came out."""
        run.applied()
        with torch.no_grad():
            if share == 0:
                same = made is given or torch.equal(made, given)
                run.verified() if same else run.contradicted("values change although nothing is dropped")
            elif given.numel() >= MANY:
                gone = float(((made == 0) & (given != 0)).sum()) / max(1.0, float((given != 0).sum()))
                if abs(gone - share) < 0.1:
                    run.verified()

    def functional_one(trains: bool) -> Any:
        """A function with the mode among its arguments; some take it for training when it is left out."""

        def function(original: Any, input: Any, p: Any = 0.5, training: Any = trains, inplace: Any = False) -> Any:
            state["seen"] = state["seen"] or bool(p)
            if not training or not p:
                return original(input, p, training, inplace)
            given = input.detach().clone() if inplace else input
            if share == 0:
                with torch.no_grad():
                    original(input.detach(), p, True, False)
                looked(given, input)
                return input
            made = original(input, share, True, inplace)
            looked(given, made)
            return made

        return function

    def plain(original: Any, input: Any, p: Any, train: Any) -> Any:
        state["seen"] = state["seen"] or bool(p)
        if not train or not p:
            return original(input, p, train)
        given = input.detach().clone()
        if share == 0:
            with torch.no_grad():
                original(given.clone(), p, True)
            looked(given, input)
            return input
        made = original(input, share, True)
        looked(given, made)
        return made

    def attention(original: Any, *args: Any, **kwargs: Any) -> Any:
        p = args[4] if len(args) > 4 else kwargs.get("dropout_p", 0.0)
        if not p:
            return original(*args, **kwargs)
        state["seen"] = True
        with torch.no_grad():
            dropped = original(*args, **kwargs)
        if share == 0:
            made = without(original, args, kwargs, 0.0)
        else:
            made = kept_in_step(lambda: without(original, args, kwargs, share))
        differs(made, dropped)
        return made

    def without(original: Any, args: Any, kwargs: Any, p: float) -> Any:
        if len(args) > 4:
            return original(*args[:4], p, *args[5:], **kwargs)
        return original(*args, **{**kwargs, "dropout_p": p})

    def recurrent(original: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        p = self.dropout
        # Between layers only: a single one drops nothing.
        if not self.training or not p or self.num_layers < 2:
            return original(self, *args, **kwargs)
        state["seen"] = True
        with torch.no_grad():
            dropped = original(self, *args, **kwargs)
        self.dropout = share
        try:
            made = (
                original(self, *args, **kwargs) if share == 0 else kept_in_step(lambda: original(self, *args, **kwargs))
            )
        finally:
            self.dropout = p
        differs(values_of(made), values_of(dropped))
        return made

    def values_of(output: Any) -> Any:
        first = output[0]
        return getattr(first, "data", first) if not torch.is_tensor(first) else first

    def differs(made: Any, dropped: Any) -> None:
        run.applied()
        if not torch.equal(made.detach(), dropped):
            run.verified()

    def kept_in_step(compute: Any) -> Any:
        """Compute with other random numbers than those that have just been drawn, and leave the generators there."""
        devices = list(range(torch.cuda.device_count())) if torch.cuda.is_initialized() else []
        with torch.random.fork_rng(devices):
            return compute()

    for name in FUNCTIONS:
        if hasattr(functional, name):
            # The alpha variants are no training unless they are told so.
            run.instead(functional, name, functional_one("alpha" not in name))
    for name in PLAIN:
        if hasattr(torch, name):
            run.instead(torch, name, plain)
    run.instead(functional, "scaled_dot_product_attention", attention)
    for kind in (torch.nn.RNN, torch.nn.LSTM, torch.nn.GRU):
        run.instead(kind, "forward", recurrent)

    @run.on_stepped
    def none_seen(optimizer: Any) -> None:
        if not state["seen"]:
            run.refused("the model has no dropout")
        elif not run.count:
            run.refused("dropout is called in evaluation mode only")
