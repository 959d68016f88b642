"""The graph that backward will follow, read from the loss."""

from __future__ import annotations

from typing import Any

# Operations looked at in one step; a long evaluation inside it must not be slowed down for ever.
MOST = 20_000


def node_of(tensor: Any) -> Any:
    """The node that made a tensor; none where torch refuses to say, as of a view that was written to unseen."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def node_kind(node: Any) -> str:
    """The operation a node of the graph belongs to."""
    return str(node.name()).replace("Backward0", "").replace("Backward1", "").replace("Backward2", "")


def leaves_of(loss: Any) -> list[Any]:
    """The parameters that a loss reaches."""
    return leaves_below(loss.grad_fn)


def leaves_below(top: Any) -> list[Any]:
    """The parameters that a node of the graph reaches."""
    leaves: list[Any] = []
    seen, waiting = {top}, [top]
    while waiting and len(seen) < 10 * MOST:
        node = waiting.pop()
        if node is None:
            continue
        variable = getattr(node, "variable", None)
        if variable is not None:
            leaves.append(variable)
        for following, _ in node.next_functions:
            if following is not None and following not in seen:
                seen.add(following)
                waiting.append(following)
    return leaves
