"""Samples: each parameter's gradient, change and size, on the steps that are looked at one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import sites
from ..seen import gradients
from ..seen.coverage import names
from ..seen.loops import planned

if TYPE_CHECKING:
    from ..watch import Watch
    from ..watched import Watched


def write(watch: Watch, watched: Watched) -> None:
    """Record what the step that has just ended did to each parameter."""
    parameters = watched.parameters()
    assert watched.before is not None
    if not watched.named:
        watch.journal.write("planned", **planned(sites.user_frames(12, 4)))
    if watched.named != len(parameters):
        watched.named = len(parameters)
        write_names(watch, watched)
    each, whole = watched.before.changes()
    rounded = watched.before.rounded
    if len(watched.moved) != len(each):
        watched.moved = [False] * len(each)
    watched.still, watched.unsure = watched.before.still, watched.before.unsure
    watched.moved = [m or (u != 0 and i not in watched.unsure) for i, (m, u) in enumerate(zip(watched.moved, each))]
    # Each gradient as backward left it: clipping and a gradient scaler are taken out again.
    parts = None if watched.parts is None else iter([p.item() * watched.scale for p in watched.parts])
    norms = [None if p.grad is None or parts is None else next(parts, None) for p in parameters]
    before = watched.given if len(watched.given) == len(norms) else [False] * len(norms)
    watched.given = [b or n is not None for b, n in zip(before, norms)]
    watch.journal.write(
        "sample",
        o=watched.index,
        i=watched.steps,
        g=norms,
        u=each,
        ur=whole,
        **gradients.weights(parameters),
        wa=gradients.alike(parameters),
        **gradients.moments(watched.optimizer, parameters),
        **({"us": rounded} if any(r is not None for r in rounded) else {}),
        # What it began with: by this, two runs are told to have begun alike.
        **({"w0": watched.before.sizes} if watched.steps == 0 else {}),
    )
    # Ranks that share one model out among them hold different parts of it.
    shared_out = any(hasattr(p, "placements") or getattr(p, "_is_flat_param", False) for p in parameters)
    if watch.ranks and not shared_out:
        buffers = [b for m in watch.modules.live_roots() for b in m.buffers()]
        p, b = gradients.checksum(parameters), gradients.checksum(buffers)
        watch.journal.write("check", o=watched.index, i=watched.steps, p=p, b=b)


def write_names(watch: Watch, watched: Watched) -> None:
    """Record what the parameters are called, once, and again when there are more."""
    parameters = watched.parameters()
    watch.journal.write(
        "parameters",
        o=watched.index,
        names=names(watch.modules, parameters),
        sizes=[p.numel() for p in parameters],
        shapes=[list(p.shape) for p in parameters],
        begun=watch.beginnings.of(parameters),
        dtypes=[str(p.dtype).replace("torch.", "") for p in parameters],
        devices=[str(p.device) for p in parameters],
    )
