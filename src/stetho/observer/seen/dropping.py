"""What a model still throws away at random when it is evaluated: dropout that does not follow the model's mode."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from .. import guard, sites, twin
from ..replay import room
from ..unseen import uncovered

if TYPE_CHECKING:
    from ..watch import Watch

DROPPING = ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
ATTENTION = "scaled_dot_product_attention"
# Models that are looked at, seconds that the program waits at most, and elements of a model.
MODELS, PATIENCE, LARGEST = 3, 6.0, 60_000_000


class Dropping:
    """Asks a twin, at the first evaluation of a model, what its evaluation drops; the program feels only the time."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.asked = 0

    def look(self, module: Any, args: Any, kwargs: Any) -> None:
        """A model in evaluation mode has been called without gradients for the first time: have it called again."""
        watch = self.watch
        if self.asked >= MODELS or watch.run.calls or watch.process.world > 1 or watch.tracer.compiled:
            return
        if torch.cuda.is_initialized() or sum(p.numel() for p in module.parameters()) > LARGEST:
            return
        self.asked += 1
        if twin.refusal() is not None:
            return
        began = time.perf_counter()
        for body in twin.ask(lambda: dropped(module, args, kwargs), PATIENCE):
            frames = [tuple(f) for f in body.pop("frames", [])]
            site = watch.journal.site(frames) if frames else None
            watch.journal.write("dropping", step=watch.step, site=site, **body)
        # What the observer did just now is not the program's time.
        watch.ended += time.perf_counter() - began


def dropped(module: Any, args: Any, kwargs: Any) -> list[dict[str, Any]]:
    """What the twin does: the same call once more, with its functions shown."""
    guard.off = True
    torch.set_num_threads(1)
    room.take_half(1)
    mode = Mode()
    with uncovered(), torch.no_grad(), mode:
        module(*args, **kwargs)
    return mode.found or [{"name": None}]


class Mode(TorchFunctionMode):  # type: ignore[misc]
    """Notes each line that drops a share of its input."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict[str, Any]] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        share = dropping(name, args, kwargs)
        if share > 0:
            frames = [list(place) for place in sites.here(3, 2)]
            if all(one["frames"] != frames for one in self.found):
                self.found.append({"name": name, "share": share, "frames": frames})
        return func(*args, **kwargs)


def dropping(name: str, args: Any, kwargs: dict[str, Any]) -> float:
    """The share that a call of torch's leaves out at random; 0 where it leaves out none."""
    if name in DROPPING:
        share = args[1] if len(args) > 1 else kwargs.get("p", 0.5)
        training = args[2] if len(args) > 2 else kwargs.get("training", True)
    elif name == ATTENTION:
        share, training = args[4] if len(args) > 4 else kwargs.get("dropout_p", 0.0), True
    else:
        return 0.0
    return float(share) if training and isinstance(share, (int, float)) else 0.0
