"""Which line gave a weight its first values: the last one that wrote to it before there was an optimizer."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import torch

from .. import guard, sites
from ..guard import guarded
from ..unseen import is_compiling

if TYPE_CHECKING:
    from ..patches import Patches
    from ..sites import Place
    from ..watch import Watch

# What torch's initialisations and programs fill weights with.
WRITING = ("fill_", "zero_", "mul_", "normal_", "uniform_", "copy_")
MOST = 20_000


class Beginnings:
    """Follows writing in place until the first optimizer is made; from then on it is training that writes."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.places: dict[int, Place] = {}
        self.on = True

    def install(self, patches: Patches) -> None:
        """Patch the methods that fill a tensor."""
        for name in WRITING:
            patches.replace(torch.Tensor, name, self._writing(getattr(torch.Tensor, name)))

    def _writing(self, original: Any) -> Any:
        mine = self

        @functools.wraps(original)
        def write(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            result = original(tensor, *args, **kwargs)
            if mine.on and not guard.off and not is_compiling():
                mine.written(tensor)
            return result

        return write

    @guarded
    def written(self, tensor: Any) -> None:
        """Remember the line for the memory that was written to, which `.data` and views share."""
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.dim() < 1 or len(self.places) > MOST:
            return
        frame = sites.first_user_frame(4)
        if frame is not None:
            self.places[tensor.data_ptr()] = sites.places([frame])[0]

    def over(self) -> None:
        """The first optimizer is made: leave torch's methods as they were, unless an experiment has changed them."""
        self.on = False
        for name in WRITING:
            self.watch.patches.drop(torch.Tensor, name, "torch._dynamo.", alone=True)

    def of(self, parameters: list[Any]) -> list[int | None]:
        """The number of the call site for each parameter, where it was seen."""
        found = [self.places.get(p.data_ptr()) if type(p) is torch.nn.Parameter else None for p in parameters]
        return [None if place is None else self.watch.journal.site([place]) for place in found]

    def let_go(self) -> None:
        """Forget all places."""
        self.places = {}
