"""Steps of Keras 3 on torch, whose optimizers are its own: each is shown to the watch as torch's would look."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any, Callable

from .. import arrival, sites
from ..guard import anywhere, guarded
from .gradients import given, norms

if TYPE_CHECKING:
    from ..watch import Watch

# What Keras calls the limits of its own clipping, and whether all gradients together are meant.
CLIPS = {"clipnorm": False, "global_clipnorm": True}
# Where Keras keeps the one method through which every optimizer updates.
MODULE = "keras.src.optimizers.base_optimizer"


class Standin:
    """What the watch and the interventions read of an optimizer; the class is named like the Keras one."""

    def __init__(self, optimizer: Any, settings: dict[str, Any]) -> None:
        self.optimizer = optimizer
        self.defaults = {
            "momentum": settings.get("momentum"),
            "weight_decay": settings.get("weight_decay"),
            **{k: v for k, v in settings.items() if k != "name" and sites.is_plain(v)},
        }
        self.state: dict[Any, Any] = {}
        self.param_groups: list[dict[str, Any]] = [{"params": [], "lr": None}]
        self.rate: float | None = None
        # Limits of clipping that an intervention has taken away for the length of a step.
        self.limits: dict[str, Any] = {}

    def read(self, variables: Any) -> None:
        """Take over the parameters and the learning rate of the step that comes."""
        self.rate = float(self.optimizer.learning_rate)
        self.param_groups[0].update(params=[v.value for v in variables], lr=self.rate)

    def set_rate(self, rate: float) -> None:
        """Give Keras a rate that an intervention has changed; with a schedule of its own it takes none."""
        self.optimizer.learning_rate = rate


class KerasSteps:
    """Patches the updating of Keras's optimizers once Keras is imported."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        # The optimizers themselves keep no attribute of ours: Keras tracks and saves what they hold.
        self.standins: dict[int, Standin] = {}

    def install(self) -> Callable[[], None]:
        """Wait for Keras; what is returned calls that off."""
        return arrival.when_imported(MODULE, anywhere(self.patch))

    def patch(self, module: Any) -> None:
        original = module.BaseOptimizer.apply
        mine = self

        @functools.wraps(original)
        def apply(optimizer: Any, grads: Any, trainable_variables: Any = None) -> Any:
            standin = mine.before(optimizer, trainable_variables)
            result = original(optimizer, grads, trainable_variables)
            if standin is not None:
                mine.after(standin)
            return result

        self.watch.patches.replace(module.BaseOptimizer, "apply", apply)

    @guarded
    def before(self, optimizer: Any, variables: Any) -> Standin | None:
        """Begin a step, unless this call only adds to the gradients of a later one."""
        every = getattr(optimizer, "gradient_accumulation_steps", None)
        if every and (int(optimizer._iterations) + 1) % every:
            return None
        standin = self.standins.get(id(optimizer))
        if standin is None:
            named = type(type(optimizer).__name__, (Standin,), {})
            standin = self.standins[id(optimizer)] = named(optimizer, optimizer.get_config())
        standin.read(optimizer.trainable_variables if variables is None else variables)
        self.clip(standin)
        self.watch.before_step(standin, (), {})
        wanted = standin.param_groups[0]["lr"]
        if wanted != standin.rate:
            standin.set_rate(wanted)
        return standin

    def clip(self, standin: Standin) -> None:
        """What the optimizer is about to clip, each variable by its norm or all together; an experiment may lift it."""
        lengths = norms(given(standin.param_groups[0]["params"]))
        for name, whole in CLIPS.items():
            limit = getattr(standin.optimizer, name, None)
            if limit is None or not lengths:
                continue
            found = [float(n) for n in lengths]
            wanted = self.watch.procedure.limit(limit) if self.watch.run.calls else limit
            self.watch.procedure.clipping(math.hypot(*found) if whole else max(found), wanted, False)
            if wanted != limit:
                standin.limits[name] = limit
                setattr(standin.optimizer, name, None if math.isinf(wanted) else wanted)

    @guarded
    def after(self, standin: Standin) -> None:
        """End the step, and put back the rate and the limits that were Keras's own."""
        self.watch.after_step(standin, (), {})
        for name, limit in standin.limits.items():
            setattr(standin.optimizer, name, limit)
        standin.limits = {}
        kept = standin.rate
        if kept is not None and kept != float(standin.optimizer.learning_rate):
            standin.set_rate(kept)
