"""What the loss reaches: parameters in the graph, those that no optimizer holds, and names at the optimizer's line."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Iterable, Iterator

import torch

from .. import sites
from ..graph import leaves_of
from ..guard import guarded
from ..tensors import tensors_in
from .thawing import Thawing

if TYPE_CHECKING:
    from types import FrameType

    from ..sites import Place
    from ..watch import Watch
    from ..watched import Watched


class Reach:
    """Which parameters losses reach, as far as the first steps have shown."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.scopes: list[tuple[int, Place, str, weakref.ref[Any], frozenset[int]]] = []
        self.reached: dict[int, Any] = {}
        # Tensors that losses reach and that are no parameters as far as one can see, with the step they were met at.
        self.met: dict[int, tuple[weakref.ref[Any], int]] = {}
        # Tensors that models were called with at this step and that ask for a gradient, or what these were made from.
        self.fed: set[int] = set()
        self.fed_at = -1
        self.loaded: set[int] = set()
        self.thawing = Thawing(watch)
        self.written = False

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.reached, self.scopes = {}, []
        self.thawing.let_go()

    def state_loaded(self, module: Any) -> None:
        """Remember which parameters came from a checkpoint: those may be left out of training on purpose."""
        self.loaded.update(id(p) for p in module.parameters())

    def remember_scope(self, watched: Watched, frames: Iterable[FrameType]) -> None:
        """Which modules can be named where the optimizer is made, in case it should have been given more."""
        for frame in frames if not self.written else ():
            where = sites.places([frame])[0]
            for name, value in named_values(frame):
                # Not isinstance: objects that stand for others, loaded when first used, answer to that.
                if issubclass(type(value), torch.nn.Module):
                    ids = frozenset(id(p) for p in value.parameters())
                    self.scopes.append((watched.index, where, name, weakref.ref(value), ids))

    @guarded
    def graph_walked(self, leaves: list[Any], nodes: int, retain: bool, made: dict[str, Any]) -> None:
        """Remember the parameters that the loss reaches."""
        held = {id(p) for w in self.watch.optimizers.values() for p in w.parameters()}
        self.met = {key: entry for key, entry in self.met.items() if entry[0]() is not None}
        found = [
            leaf for leaf in leaves if isinstance(leaf, torch.nn.Parameter) or id(leaf) in held or self.stays(leaf)
        ]
        if not self.written:
            for leaf in found:
                self.reached[id(leaf)] = leaf
        self.watch.journal.write("graph", step=self.watch.step, leaves=len(found), nodes=nodes, retain=retain, **made)

    def stays(self, leaf: Any) -> bool:
        """Whether a plain tensor is a parameter: met again at a later step, and nothing that models are called with."""
        known, first = self.met.get(id(leaf), (None, self.watch.step))
        if known is None or known() is not leaf:
            self.met[id(leaf)] = (weakref.ref(leaf), self.watch.step)
            return False
        return first < self.watch.step and id(leaf) not in self.fed

    def asks_for_gradients(self, args: Any, kwargs: Any) -> None:
        """Remember inputs that ask for a gradient, as losses that hold derivatives by the input need them."""
        if self.fed_at != self.watch.step:
            self.fed_at, self.fed = self.watch.step, set()
        for tensor in tensors_in((args, kwargs)):
            if tensor.requires_grad:
                self.fed.update(id(leaf) for leaf in leaves_of(tensor) or [tensor])

    def left_out(self) -> list[Any]:
        """Parameters that the loss reaches and no optimizer holds; some ask for gradients for one look only."""
        held = {id(p) for w in self.watch.optimizers.values() for p in w.parameters()}
        missing = [p for p in self.reached.values() if id(p) not in held and p.requires_grad]
        return missing + self.thawing.awake()

    def step_ended(self, step: int) -> None:
        """Describe the models and what the loss reaches, once the first steps have shown them."""
        if step >= 2 and not self.written:
            self.written = True
            from .coverage import describe, models

            self.watch.journal.write("coverage", **describe(self.watch.modules))
            for fields in models(self.watch.modules):
                self.watch.journal.write("model", **fields)
            self.thawing.begin(self.scopes)
            self.reached, self.scopes = self.reached if self.watch.run.calls else {}, []
        elif self.written:
            self.thawing.step_ended(step)


def named_values(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """Names in scope at a frame, with one level of `self.`."""
    names = dict(frame.f_globals) if frame.f_code.co_name != "<module>" else {}
    own = sites.scope(frame)
    names.update(own)
    for name, value in list(names.items()):
        if not name.startswith("__"):
            yield name, value
    owner: Any = own.get("self")
    if owner is not None:
        attributes = dict(getattr(owner, "__dict__", {}))
        if isinstance(owner, torch.nn.Module):
            attributes.update(owner._modules)
        for name, value in attributes.items():
            yield f"self.{name}", value
