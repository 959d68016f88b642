"""What is left of earlier steps: graphs that are still held, and what a loss has from before the last step."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Iterable, NamedTuple

import torch

from ..graph import MOST, node_of
from ..look.marks import mark_of
from ..record.steps import PAGE
from .holders import holders

if TYPE_CHECKING:
    from ..sites import Place
    from ..watch import Watch
    from ..watched import Watched

# What a mark on a node is kept under, besides those of a close look.
KEPT = "stetho kept"
# Steps that must lie between a mark and the look at it: the names of a loop hold the last step's values.
APART = 2
# Graphs of so many steps are held before it is asked who holds them; how often that is asked, and failures are told.
SEVERAL, ASKED, REFUSALS = 3, 2, 3
# How many nodes this thread has made; where torch does not tell, nothing is known to be of an earlier step.
sequence: Any = getattr(torch._C._autograd, "_get_sequence_nr", int)


class Held:
    """Lies on a node of a graph, and is gone when the node is."""

    __slots__ = ("__weakref__",)


class Look(NamedTuple):
    """What one look has shown: nodes of earlier steps in the graph, and steps whose graphs are still held."""

    carried: int
    held: int


class History:
    """Looks, on the steps that are seen closely, at how old the graph behind a loss is and which older ones live on."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.held: list[tuple[int, weakref.ref[Held]]] = []
        self.marked: list[int] = []
        self.last: Look | None = None
        self.asked = self.refusals = 0

    def walked(self, nodes: Iterable[Any], leaves: list[Any]) -> dict[str, Any]:
        """A graph was followed: how many of its nodes are of earlier steps, and of how many steps graphs are held."""
        nodes, step = list(nodes), self.watch.step
        boundary = self.boundary(leaves)
        old = earlier(nodes, boundary)
        self.held = [(at, mark) for at, mark in self.held if mark() is not None]
        known = sum(at <= step - APART for at in self.marked)
        alive = sum(at <= step - APART for at, _ in self.held)
        self.last = Look(len(old), alive)
        fields: dict[str, Any] = {"carried": len(old), "held": alive, "marked": known, "resident": resident()}
        if old and step <= APART:
            fields["entered"] = self.watch.journal.site(entering(nodes, old))
        if alive >= SEVERAL and 2 * alive > known and self.asked < ASKED:
            self.asked += 1
            first = min((made(node) for node in nodes if node not in old), default=0)
            found = holders(lambda node: made(node) < first)
            fields["holders"] = [[name, self.watch.journal.site(at)] for name, at in found]
        self.mark(nodes, boundary)
        return fields

    def mark(self, nodes: list[Any], boundary: int) -> None:
        """Leave a mark on the first node of this step: whoever holds a value that was computed from it holds this."""
        step = self.watch.step
        if self.marked and self.marked[-1] == step:
            return
        new = [node for node in nodes if boundary <= made(node) and not hasattr(node, "variable")]
        first = min(new, key=made, default=None)
        if first is not None:
            held = first.metadata[KEPT] = Held()
            self.marked.append(step)
            self.held.append((step, weakref.ref(held)))

    def boundary(self, leaves: list[Any]) -> int:
        """Nodes with lower numbers are of earlier steps: of each optimizer that holds something of what is reached."""
        reached = {id(leaf) for leaf in leaves}
        owners = [w for w in self.watch.optimizers.values() if any(id(p) in reached for p in w.parameters())]
        return min((w.sequence for w in owners), default=0)

    def step_ended(self, watched: Watched) -> None:
        """What is computed from now on is of the next step."""
        watched.sequence = sequence()

    def now(self) -> int:
        """The number that the next node will have."""
        return int(sequence())

    def before(self, tensor: Any, boundary: int) -> bool:
        """Whether a tensor was computed before the nodes of a number."""
        node = node_of(tensor)
        return node is not None and made(node) < boundary

    def refused(self, loss: Any) -> None:
        """A backward has failed: say how much of its graph is of earlier steps, and where that entered."""
        top = node_of(loss)
        if top is None or self.refusals >= REFUSALS:
            return
        self.refusals += 1
        nodes, leaves = below(top)
        old = earlier(nodes, self.boundary(leaves))
        site = self.watch.journal.site(entering(nodes, old)) if old else None
        self.watch.journal.write("refused", step=self.watch.step, nodes=len(nodes), carried=len(old), site=site)


def made(node: Any) -> int:
    """The number of a node: they count upwards as they are made."""
    return int(node._sequence_nr()) if hasattr(node, "_sequence_nr") else 2**63


def earlier(nodes: Iterable[Any], boundary: int) -> set[Any]:
    """The nodes that were made before."""
    return {node for node in nodes if made(node) < boundary} if boundary else set()


def entering(nodes: Iterable[Any], old: set[Any]) -> list[Place]:
    """The line that first used a value of an earlier step: that of the operation which was seen to end next."""
    new = sorted((node for node in nodes if node not in old), key=made)
    used = next((i for i, node in enumerate(new) if any(b in old for b, _ in node.next_functions)), len(new))
    return next((mark.frames for mark in map(mark_of, new[used:]) if mark.frames), [])


def below(top: Any) -> tuple[list[Any], list[Any]]:
    """The nodes below one, itself among them, and the leaves."""
    seen, waiting, leaves = {top}, [top], []
    while waiting and len(seen) < 10 * MOST:
        node = waiting.pop()
        variable = getattr(node, "variable", None)
        if variable is not None:
            leaves.append(variable)
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return list(seen), leaves


def resident() -> int | None:
    """Bytes of memory that the process holds."""
    try:
        with open("/proc/self/statm", "rb") as handle:
            return int(handle.read().split()[1]) * PAGE
    except (OSError, ValueError, IndexError):
        return None
