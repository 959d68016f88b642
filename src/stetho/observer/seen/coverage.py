"""Which parameters the loss reaches and no optimizer holds, and by which names a person can find them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator

import torch

from .. import sites
from . import origin

if TYPE_CHECKING:
    import weakref

    from ..sites import Place
    from ..watch import Watch
    from ..watched import Watched
    from .modules import Modules


def describe(modules: Modules) -> dict[str, Any]:
    """The coverage record: sizes, names, and expressions that would have included what was left out."""
    watch, reach = modules.watch, modules.watch.reach
    held = {id(p) for w in watch.optimizers.values() for p in w.parameters()}
    missing = reach.left_out()
    idle = [p for w in stepped(watch) for p in w.parameters() if id(p) not in reach.reached and p.grad is None]
    ids = {id(p) for p in missing}
    still = untouched(watch)
    covering, extra, late = scopes_of(modules, ids, held, reach.scopes)
    return {
        "reached": sum(p.numel() for p in reach.reached.values()),
        "left_out": sum(p.numel() for p in missing),
        "names": names(modules, missing)[:20],
        "idle": sum(p.numel() for p in idle),
        "loaded": bool(ids) and len(ids & reach.loaded) * 2 > len(ids),
        "covering": covering,
        "extra": extra,
        "late": late,
        "unregistered": unregistered(modules, ids),
        "made": made_at(modules, ids),
        "nograd": names(modules, [p for p in ungiven(watch) if p.requires_grad])[:20],
        "unchanged": names(modules, [p for p in held_by(watch) if p.requires_grad and id(p) in still])[:20],
        "frozen": names(modules, [p for p in held_by(watch) if not p.requires_grad])[:20],
        "cut": cut(modules, [p for p in idle if p.requires_grad]),
        "thaw": origin.described(modules.live_roots(), held, reach.loaded),
    }


def cut(modules: Modules, idle: list[Any]) -> dict[str, Any]:
    """What keeps parameters from the loss, where values that depend on them are taken out of the graph."""
    loaded = modules.watch.reach.loaded
    layers = origin.owners(modules.live_roots())
    kept = [p for p in idle if id(p) in loaded or origin.worn(p)]
    random = [p for p in idle if id(p) not in loaded and origin.fresh(p, layers.get(id(p)))]
    sizes = {"of": idle, "random": random, "kept": kept}
    lines = modules.watch.tracer.cuts.behind(idle)
    called = names(modules, idle)
    for line in lines:
        line["names"] = [called[i] for i in line["names"]][:20]
    return {"lines": lines, **{key: sum(p.numel() for p in some) for key, some in sizes.items()}}


def stepped(watch: Watch) -> list[Watched]:
    """The optimizers that have taken a step; of the others nothing can be said yet."""
    return [w for w in watch.optimizers.values() if w.steps]


def ungiven(watch: Watch) -> list[Any]:
    """Parameters that had no gradient at any step so far."""
    return [p for w in stepped(watch) for p, given in zip(w.parameters(), w.given) if not given]


def untouched(watch: Watch) -> set[int]:
    """Parameters that none of the steps so far has changed."""
    unsure = {id(w.held[i]) for w in watch.optimizers.values() for i in w.unsure}
    stood = {id(p) for w in watch.optimizers.values() for p, moved in zip(w.parameters(), w.moved) if not moved}
    return stood - unsure


def held_by(watch: Watch) -> list[Any]:
    """All parameters that optimizers hold."""
    return [p for w in watch.optimizers.values() for p in w.parameters()]


def models(modules: Modules) -> Iterator[dict[str, Any]]:
    """One record for each whole model: its size, its types, what it was built with."""
    for module in modules.live_roots():
        parameters = dict(module.named_parameters(remove_duplicate=False))
        distinct = {id(p): p for p in parameters.values()}
        groups: dict[int, list[str]] = {}
        for name, parameter in parameters.items():
            groups.setdefault(id(parameter), []).append(name)
        made = modules.made.get(id(module))
        yield {
            "class": type(module).__name__,
            "site": None if made is None else modules.watch.journal.site([made]),
            "args": modules.arguments.get(id(module), {}),
            "parameters": sum(p.numel() for p in distinct.values()),
            "trainable": sum(p.numel() for p in distinct.values() if p.requires_grad),
            "frozen": [n for n, p in parameters.items() if not p.requires_grad][:20],
            "shared": [g for g in groups.values() if len(g) > 1][:20],
            "dtypes": sizes_by(distinct.values(), lambda p: str(p.dtype).replace("torch.", "")),
            "devices": sizes_by(distinct.values(), lambda p: str(p.device)),
        }


def sizes_by(parameters: Iterable[Any], key: Callable[[Any], str]) -> dict[str, int]:
    """Elements in all, by what the key says of each parameter."""
    found: dict[str, int] = {}
    for parameter in parameters:
        found[key(parameter)] = found.get(key(parameter), 0) + parameter.numel()
    return found


def names(modules: Modules, missing: list[Any]) -> list[str]:
    """`Class.path` for parameters of called models, else the variable that holds them, else their shape."""
    known: dict[int, str] = {}
    live = modules.live_roots() + [m() for m, _ in modules.parents.values()]
    for module in live:
        if module is not None:
            for name, parameter in module.named_parameters():
                known.setdefault(id(parameter), f"{type(module).__name__}.{name}")
    return [known.get(id(p)) or "parameter " + "x".join(map(str, p.shape)) for p in missing]


def scopes_of(
    modules: Modules,
    missing: set[int],
    held: set[int],
    scopes: list[tuple[int, Place, str, weakref.ref[Any], frozenset[int]]],
) -> tuple[list[list[Any]], list[list[Any]], bool]:
    """Module expressions at the optimizers' lines that hold all of it, or the missing part; whether it came late."""
    covering: list[list[Any]] = []
    extra: list[list[Any]] = []
    late = bool(missing)
    if not missing:
        return covering, extra, False
    best: dict[tuple[int, Place], tuple[int, list[Any]]] = {}
    for index, place, name, reference, before in scopes:
        module = reference()
        if module is None:
            continue
        now = {id(p) for p in module.parameters()}
        if missing & before:
            late = False
        if missing <= now and held & now:
            key = (index, place)
            if key not in best or len(now) < best[key][0]:
                best[key] = (len(now), [*place[:2], name])
        elif missing & now and not held & now:
            extra.append([*place[:2], name])
    covering = [entry for _, entry in best.values()]
    return covering, extra, late


def unregistered(modules: Modules, missing: set[int]) -> list[list[Any]]:
    """Attributes that hide modules in a plain list, tuple or dict, where `parameters()` does not look."""
    found: list[list[Any]] = []
    for reference, parent in modules.parents.values():
        module, owner = reference(), parent()
        if module is None or owner is None or any(module is m for m in owner.modules()):
            continue
        if not any(id(p) in missing for p in module.parameters()):
            continue
        for attribute, value in vars(owner).items():
            inside = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
            if attribute.startswith("_") and attribute in torch.nn.Module().__dict__:
                continue
            if any(holds(v, module) for v in inside):
                made = modules.made.get(id(owner))
                code = getattr(type(owner).__init__, "__code__", None)
                file = sites.user_file(code.co_filename) if code else None
                line = code.co_firstlineno if code else (made[1] if made else 0)
                entry = [file or (made[0] if made else ""), line, attribute]
                if entry not in found:
                    found.append(entry)
    return found


def made_at(modules: Modules, missing: set[int]) -> list[list[Any]]:
    """Lines that built the layers which own the parameters directly."""
    found: list[list[Any]] = []
    live = modules.live_roots() + [m() for m, _ in modules.parents.values()]
    for module in live:
        for part in module.modules() if module is not None else ():
            own = any(id(p) in missing for p in part.parameters(recurse=False))
            place = modules.made.get(id(part))
            if own and place is not None and list(place) not in found:
                found.append(list(place))
    return found[:6]


def holds(value: Any, module: Any) -> bool:
    """Whether a list item is the module, or a tuple or list that contains it."""
    if value is module:
        return True
    if isinstance(value, torch.nn.Module):
        return any(m is module for m in value.modules())
    return isinstance(value, (list, tuple)) and any(v is module for v in value)
