"""States of optimizers and schedulers that the program read from files, beside those its first step has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping

import torch

from .. import sites
from ..guard import guarded
from ..unseen import unrecorded

if TYPE_CHECKING:
    from ..watch import Watch
    from ..watched import Watched

# How deep containers are searched for states, and how many of those found last are remembered.
DEPTH, KEPT = 4, 12
# Of the names in two states of schedulers, the share that both have where they are of one kind, whatever the release.
ALIKE = 0.8
# Settings by which it is told that an optimizer or a scheduler is meant to be the one that was saved. A rate that a
# schedule has moved keeps its first value in `initial_lr`.
RATES = ("lr", "initial_lr")
SETTINGS = ("betas", "momentum", "nesterov", "alpha", "rho", "weight_decay", "amsgrad", "eps", "dampening")
SCHEDULE = (
    "base_lrs", "T_max", "eta_min", "step_size", "gamma", "milestones", "total_steps", "total_iters", "start_factor",
    "end_factor", "factor", "power", "T_0", "T_mult", "patience", "threshold", "min_lrs", "max_lrs", "_milestones",
)  # fmt: skip


class SavedOptimizer:
    """What is remembered of an optimizer's state in a file: shapes, settings and steps, and none of its tensors."""

    def __init__(self, found: dict[str, Any]) -> None:
        groups, state = found["param_groups"], found["state"]
        self.numbers = [number for group in groups for number in group["params"]]
        self.sizes = [len(group["params"]) for group in groups]
        self.groups = [{k: group[k] for k in (*RATES, *SETTINGS) if k in group} for group in groups]
        self.shapes = [shape_in(state.get(number)) for number in self.numbers]
        self.steps = max((steps_in(state.get(number)) for number in self.numbers), default=0)

    def fits(self, optimizer: Any) -> bool:
        """Whether it has as many parameters, of the same shapes as far as the state tells them."""
        groups = optimizer.param_groups
        held = [tuple(p.shape) for group in groups for p in group["params"]]
        told = [one == other for one, other in zip(self.shapes, held) if one is not None]
        return [len(g["params"]) for g in groups] == self.sizes and 2 * len(told) > len(held) and all(told)

    def same_settings(self, optimizer: Any) -> bool:
        """Whether it was saved with the rate and the settings that the optimizer has: to go on, not to start anew."""
        pairs = zip(self.groups, optimizer.param_groups)
        return all(rates(saved) & rates(group) and same_values(saved, group, SETTINGS) for saved, group in pairs)


class Saved:
    """Remembers the states that files gave before the first step of the process."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.known: list[tuple[Any, dict[str, Any] | SavedOptimizer]] = []

    @guarded
    def read(self, value: Any) -> None:
        """Remember what a file held of optimizers and schedulers."""
        if self.watch.step:
            return
        with unrecorded():
            found: list[Any] = [SavedOptimizer(one) for one in states_in(value, is_optimizer)]
            found += [plain(one) for one in states_in(value, is_schedule)]
        if found:
            place = self.watch.journal.site(sites.here(3, 4))
            self.known = [*self.known, *((place, one) for one in found)][-KEPT:]

    @guarded
    def before_first_step(self, watched: Watched) -> None:
        """Record which saved states fit this optimizer and its schedulers, and whether these go on from them."""
        with unrecorded():
            self.compare(watched, watched.optimizer)

    def compare(self, watched: Watched, optimizer: Any) -> None:
        """The last state that fits the optimizer, and the last that fits each of its schedulers."""
        for place, one in reversed(self.known):
            if isinstance(one, SavedOptimizer) and one.fits(optimizer):
                self.write(watched, place, "optimizer", type(optimizer).__name__, one.steps, begun(optimizer), one)
                break
        schedulers = [s for s in self.watch.procedure.live_schedulers() if getattr(s, "optimizer", None) is optimizer]
        inner = {id(s) for one in schedulers for s in getattr(one, "_schedulers", ())}
        for scheduler in schedulers:
            for place, one in reversed(self.known):
                if id(scheduler) not in inner and isinstance(one, dict) and same_schedule(one, scheduler):
                    last = int(getattr(scheduler, "last_epoch", 0) or 0)
                    self.write(watched, place, "scheduler", type(scheduler).__name__, one["last_epoch"], last, None)
                    break

    def write(
        self, watched: Watched, place: Any, what: str, name: str, saved: int, now: int, one: SavedOptimizer | None
    ) -> None:
        same = one is None or one.same_settings(watched.optimizer)
        journal = self.watch.journal
        journal.write("saved", o=watched.index, what=what, name=name, site=place, saved=saved, begun=now, same=same)

    def let_go(self) -> None:
        """Forget it all."""
        self.known = []


def states_in(value: Any, wanted: Any, depth: int = DEPTH) -> Iterator[dict[str, Any]]:
    """The states of a kind inside plain containers, not those inside of another one."""
    if isinstance(value, dict) and wanted(value):
        yield value
    elif depth and isinstance(value, (dict, list, tuple)) and not is_optimizer(value) and not is_schedule(value):
        for part in list(value.values()) if isinstance(value, dict) else value[:100]:
            yield from states_in(part, wanted, depth - 1)


def is_optimizer(value: Any) -> bool:
    """Whether this is what an optimizer's `state_dict` gives after some steps."""
    if not isinstance(value, dict) or not isinstance(value.get("state"), dict) or not value["state"]:
        return False
    groups = value.get("param_groups")
    return isinstance(groups, list) and all(isinstance(g, dict) and isinstance(g.get("params"), list) for g in groups)


def is_schedule(value: Any) -> bool:
    """Whether this is what a scheduler's `state_dict` gives."""
    if not isinstance(value, dict) or not isinstance(value.get("last_epoch"), int):
        return False
    return any(key in value for key in ("_step_count", "base_lrs", "_last_lr", "num_bad_epochs"))


def continues(one: Any, state: dict[str, Any]) -> bool:
    """Whether a saved state is that of this optimizer or scheduler, which stands at its beginning."""
    if isinstance(one, torch.optim.Optimizer):
        kept = SavedOptimizer(state) if is_optimizer(state) else None
        return kept is not None and not begun(one) and kept.fits(one) and kept.same_settings(one)
    at_start = not int(getattr(one, "last_epoch", 0) or 0)
    return at_start and is_schedule(state) and state["last_epoch"] > 0 and same_schedule(plain(state), one)


def plain(value: dict[str, Any]) -> dict[str, Any]:
    """The settings of a scheduler and how far it had come."""
    return {"keys": set(value), "last_epoch": value["last_epoch"], **{k: value[k] for k in SCHEDULE if k in value}}


def same_schedule(saved: dict[str, Any], scheduler: Any) -> bool:
    """Whether a scheduler is of the kind that was saved, with the same settings."""
    now = {key: value for key, value in vars(scheduler).items() if key != "optimizer"}
    alike = len(saved["keys"] & set(now)) >= ALIKE * len(saved["keys"] | set(now))
    return alike and same_values(saved, now, SCHEDULE)


def shape_in(state: Any) -> tuple[int, ...] | None:
    """The shape of a parameter as its state shows it; None where it has none."""
    tensors = state.values() if isinstance(state, dict) else ()
    return next((tuple(t.shape) for t in tensors if isinstance(t, torch.Tensor) and t.dim()), None)


def steps_in(state: Any) -> int:
    """How many steps a parameter's state has behind it; one at least where it has any."""
    if not isinstance(state, dict) or not state:
        return 0
    counted = number(state.get("step"))
    return 1 if counted is None else int(counted)


def begun(optimizer: Any) -> int:
    """How many steps an optimizer has behind it by its own account, before the first that is seen."""
    return max((steps_in(state) for state in list(optimizer.state.values())), default=0)


def rates(group: dict[str, Any]) -> set[float | None]:
    """The rate of a group, and the one that it had before any schedule."""
    return {number(group.get(key)) for key in RATES} - {None}


def same_values(one: Mapping[str, Any], other: Mapping[str, Any], keys: Iterable[str]) -> bool:
    """Whether two tables agree in what both have of these; a tuple may have been saved as a list."""
    pairs = [(flat(one[key]), flat(other[key])) for key in keys if key in one and key in other]
    return all(a == b for a, b in pairs if sites.is_plain(a) and sites.is_plain(b))


def flat(value: Any) -> Any:
    """A setting as a list where it is several, those of a table with their keys."""
    if isinstance(value, dict):
        return [part for item in sorted(value.items(), key=str) for part in item]
    return list(value) if isinstance(value, tuple) else value


def number(value: Any) -> float | None:
    """A plain number, also out of a tensor; None for anything else."""
    if isinstance(value, torch.Tensor):
        return float(value) if value.numel() == 1 and not value.is_meta else None
    return float(value) if isinstance(value, (int, float)) else None
