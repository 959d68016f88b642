"""Where the graph is cut: values taken out of it before they come to the loss, and the parameters behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .. import sites
from ..graph import leaves_below, node_of
from ..guard import guarded
from ..tensors import tensors_in

if TYPE_CHECKING:
    from ..sites import Place
    from ..watch import Watch

# Lines remembered in one run, and operations of one step whose origin is followed.
LINES, FOLLOWED = 64, 256
# By these a value leaves the graph, whatever it is used for then.
LEAVING = ("detach", "item", "tolist", "numpy", "__float__", "__array__")
DATA = torch.Tensor.data


class Cut:
    """One line that takes values out of the graph, with the parameters that these depend on."""

    def __init__(self, kind: str, frames: list[Place], inside: bool, recorded: bool) -> None:
        self.kind = kind
        self.frames = frames
        self.inside = inside
        # Whether the model's call as a whole is recorded in a graph.
        self.recorded = recorded
        self.behind: set[int] = set()


class Cuts:
    """Notes on the first steps, operation by operation, what leaves the graph."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.lines: dict[tuple[str, Any], Cut] = {}
        self.followed = 0
        self.step = -1

    def let_go(self) -> None:
        """Hold nothing of the program's any more."""
        self.lines = {}

    @guarded
    def saw(self, func: Any, name: str, args: Any, kwargs: Any, out: Any) -> None:
        """Look at one operation while the first steps are followed."""
        kind = self.kind(func, name, out)
        if not kind or self.watch.reach.written:
            return
        sources = [t for t in tensors_in((args, kwargs)) if t.requires_grad]
        if not sources or (kind == "no_grad" and not self.watch.modules.depth):
            return
        if self.step != self.watch.step:
            self.step, self.followed = self.watch.step, 0
        self.followed += 1
        if self.followed <= FOLLOWED:
            self.note(kind, sources)

    def kind(self, func: Any, name: str, out: Any) -> str:
        """How an operation takes its arguments out of the graph; empty where it does not."""
        if name == "__get__":
            return "data" if getattr(func, "__self__", None) is DATA else ""
        if name in LEAVING:
            return name
        makes = name.endswith("_like") or name.startswith(("new_", "__set", "requires_grad", "backward", "is_"))
        if makes or not isinstance(out, torch.Tensor) or out.requires_grad or not out.is_floating_point():
            return ""
        return "no_grad"

    def note(self, kind: str, sources: list[Any]) -> None:
        """Remember the line, and the parameters behind what it takes out."""
        frames = sites.here(5, 6)
        modules = self.watch.modules
        if kind == "no_grad" and not modules.recording:
            # The whole call is kept out of the graph: the line that calls is the one to look at.
            frames = list(modules.called_at or frames)
        key = (kind, tuple(frames[:2]))
        cut = self.lines.get(key)
        if cut is None:
            if len(self.lines) >= LINES:
                return
            cut = self.lines[key] = Cut(kind, frames, modules.depth > 0, modules.recording)
        for source in sources:
            node = node_of(source)
            cut.behind.update([id(source)] if node is None else [id(leaf) for leaf in leaves_below(node)])

    def behind(self, parameters: list[Any]) -> list[dict[str, Any]]:
        """The lines that keep these parameters from the loss, those that keep most from it first."""
        sizes = {id(p): p.numel() for p in parameters}
        found = [(sum(sizes[i] for i in cut.behind & sizes.keys()), cut) for cut in self.lines.values()]
        # What is evaluated without gradients as well says less than what a value is taken out by.
        found = sorted((f for f in found if f[0]), key=lambda f: (f[1].kind == "no_grad", -f[0]))
        return [
            {
                "kind": cut.kind,
                "elements": size,
                "inside": cut.inside,
                "site": self.watch.journal.site(cut.frames),
                "names": [i for i in range(len(parameters)) if id(parameters[i]) in cut.behind],
            }
            for size, cut in found[:6]
        ]
