"""The state of training at the end of a step: taken as plain values and tensors, and put back at the same place.

Both happen at the end of an optimizer step, so that whatever the program does next - its scheduler, its sampling,
its loader - finds the generators and the counters of schedulers where they were.
"""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING, Any, Iterator

import torch

from .. import sites
from ..seen.reach import named_values
from .streams import Unfit

if TYPE_CHECKING:
    from types import FrameType

    from ..watch import Watch
    from ..watched import Watched

# Frames of the program in whose names generators of its own are looked for.
FRAMES = 8


def take(watch: Watch, watched: Watched, frames: list[FrameType]) -> dict[str, Any]:
    """Everything that training has changed so far: references to tensors, and copies of all else."""
    return {
        "o": watched.index,
        "steps": [w.steps for w in watch.optimizers.values()],
        "models": [model(m) for m in watch.modules.live_roots()],
        "optimizers": [optimizer(w) for w in watch.optimizers.values()],
        "schedulers": [[type(s).__name__, plain(vars(s))] for s in watch.procedure.live_schedulers()],
        "generators": {"torch": torch.default_generator.get_state(), **elsewhere()},
        "named": {name: state_of(g) for name, g in named(frames)},
    }


def model(module: Any) -> dict[str, Any]:
    """A model's parameters and buffers, without any code of the user's being called for it."""
    held = [*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)]
    return {"class": type(module).__name__, "tensors": {name: usable(t) for name, t in held}}


def usable(tensor: Any) -> Any:
    """The tensor alone, if it is one that can be written and copied into."""
    kind = type(tensor)
    if kind not in (torch.Tensor, torch.nn.Parameter) or tensor.is_sparse or tensor.is_meta:
        raise Unfit(f"the model holds a {kind.__name__}, which is kept in more than one place")
    return tensor.detach()


def optimizer(watched: Watched) -> dict[str, Any]:
    """What an optimizer works on and has gathered; its gradients only where the program does not clear them."""
    of = watched.optimizer
    parameters = watched.parameters()
    return {
        "class": type(of).__name__,
        "parameters": [usable(p) for p in parameters],
        "state": [plain(of.state.get(p, {})) for p in parameters],
        "groups": [plain({k: v for k, v in group.items() if k != "params"}) for group in of.param_groups],
        "gradients": [None if p.grad is None else usable(p.grad) for p in parameters] if watched.kept else None,
    }


def plain(value: dict[Any, Any]) -> dict[str, Any]:
    """The entries that can be read back without running code."""
    return {k: v.detach() if isinstance(v, torch.Tensor) else v for k, v in value.items() if is_plain(k, v)}


def is_plain(key: Any, value: Any) -> bool:
    """Whether an entry is made of tensors, numbers, texts and lists of them."""
    if not isinstance(key, (str, int)):
        return False
    if type(value) in (dict, list, tuple):
        entries = value.items() if type(value) is dict else enumerate(value)
        return all(is_plain(k, v) for k, v in entries)
    return value is None or type(value) in (bool, int, float, str, torch.Tensor, torch.nn.Parameter)


def elsewhere() -> dict[str, Any]:
    """The generators that a program uses without holding one: those of `random` and, if it is there, of numpy."""
    found: dict[str, Any] = {"random": state_of(random)}
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        found["numpy"] = state_of(numpy)
    return found


def named(frames: list[FrameType]) -> Iterator[tuple[str, Any]]:
    """Generators that the program has given a name of its own, in the frames that led here."""
    seen: set[int] = set()
    for frame in frames:
        for name, value in named_values(frame):
            if id(value) not in seen and is_generator(value):
                seen.add(id(value))
                yield f"{frame.f_code.co_name}.{name}", value


def is_generator(value: Any) -> bool:
    """Whether a value is a source of random numbers whose state can be read and set."""
    kind = type(value)
    if kind is torch.Generator:
        return bool(value.device.type == "cpu")
    if kind is random.Random:
        return True
    return kind.__module__.startswith("numpy.random") and kind.__name__ in ("Generator", "RandomState")


def state_of(generator: Any) -> Any:
    """A generator's state in lists and numbers."""
    if isinstance(generator, torch.Generator):
        return generator.get_state()
    if type(generator).__name__ == "Generator":
        return listed(generator.bit_generator.state)
    return listed(generator.get_state() if hasattr(generator, "get_state") else generator.getstate())


def listed(value: Any) -> Any:
    """Arrays as lists and their numbers as Python's."""
    if isinstance(value, dict):
        return {k: listed(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(listed(v) for v in value)
    return value.tolist() if hasattr(value, "tolist") else value


def set_state(generator: Any, state: Any) -> None:
    """Put a generator where it was."""
    if isinstance(generator, torch.Generator):
        generator.set_state(state)
    elif type(generator).__name__ == "Generator":
        generator.bit_generator.state = with_array(state)
    elif hasattr(generator, "set_state"):
        generator.set_state(state)
    else:
        generator.setstate(state)


def with_array(state: dict[str, Any]) -> dict[str, Any]:
    """A bit generator's state with its words as the array that it asks for."""
    inner = state.get("state")
    if isinstance(inner, dict) and isinstance(inner.get("key"), tuple):
        array = sys.modules["numpy"].array(inner["key"], dtype="uint32")
        return {**state, "state": {**inner, "key": array}}
    return state


def bytes_of(value: Any) -> int:
    """Bytes of all tensors in a state; what several of them share counts once."""
    seen: dict[int, int] = {}
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, torch.Tensor):
            storage = one.untyped_storage()
            seen[storage.data_ptr()] = storage.nbytes()
        elif isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, (list, tuple)) and one and not isinstance(one[0], int):
            waiting.extend(one)
    return sum(seen.values())


def put_back(watch: Watch, state: dict[str, Any], frames: list[FrameType]) -> None:
    """Make this process's training that of the state; nothing is changed unless all of it fits."""
    copies: list[tuple[Any, Any]] = []
    optimizers = [w.optimizer for w in watch.optimizers.values()]
    if len(optimizers) < len(state["optimizers"]):
        raise Unfit(f"there are {len(optimizers)} optimizers, and {len(state['optimizers'])} were kept")
    for watched, kept in zip(watch.optimizers.values(), state["optimizers"]):
        if type(watched.optimizer).__name__ != kept["class"]:
            raise Unfit(f"{kept['class']} was kept, and the program has {type(watched.optimizer).__name__}")
        copies += paired(watched.parameters(), kept["parameters"])
    copies += models(watch, state)
    with torch.no_grad():
        for tensor, value in copies:
            tensor.copy_(value)
        for watched, kept in zip(watch.optimizers.values(), state["optimizers"]):
            put_optimizer(watched, kept)
    for scheduler, (name, values) in zip(watch.procedure.live_schedulers(), state["schedulers"]):
        if type(scheduler).__name__ == name:
            vars(scheduler).update(values)
    put_generators(state, frames)


def paired(held: list[Any], kept: list[Any]) -> list[tuple[Any, Any]]:
    """Tensors with what is to go into them."""
    if [tuple(t.shape) for t in held] != [tuple(t.shape) for t in kept]:
        raise Unfit("the optimizer holds parameters of other shapes than those that were kept")
    return list(zip(held, kept))


def models(watch: Watch, state: dict[str, Any]) -> list[tuple[Any, Any]]:
    """The rest of each model, found by the names and shapes of its tensors; one not called so far is left out."""
    waiting = list(state["models"])
    found: list[tuple[Any, Any]] = []
    for module in watch.modules.live_roots():
        own = model(module)["tensors"]
        like = next((k for k in waiting if shapes(k["tensors"]) == shapes(own)), None)
        if like is None:
            raise Unfit(f"no model like {type(module).__name__} was kept")
        waiting.remove(like)
        found += [(own[name], like["tensors"][name]) for name in own]
    return found


def shapes(tensors: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """What two models have in common that can stand for each other."""
    return {name: tuple(t.shape) for name, t in tensors.items()}


def put_optimizer(watched: Watched, kept: dict[str, Any]) -> None:
    """What an optimizer has gathered, its settings, and gradients where these are used again."""
    for parameter, values in zip(watched.parameters(), kept["state"]):
        if values:
            watched.optimizer.state[parameter].update(values)
    for group, values in zip(watched.optimizer.param_groups, kept["groups"]):
        group.update(values)
    for parameter, gradient in zip(watched.parameters(), kept["gradients"] or ()):
        parameter.grad = gradient


def put_generators(state: dict[str, Any], frames: list[FrameType]) -> None:
    """Every generator that is known by a name, where it was."""
    kept = state["generators"]
    torch.default_generator.set_state(kept["torch"])
    set_state(random, kept["random"])
    numpy = sys.modules.get("numpy.random")
    if numpy is not None and "numpy" in kept:
        set_state(numpy, kept["numpy"])
    for name, generator in named(frames):
        if name in state["named"]:
            set_state(generator, state["named"][name])


def frames_here(depth: int) -> list[FrameType]:
    """The program's frames at the end of its step."""
    return sites.user_frames(FRAMES, depth)
