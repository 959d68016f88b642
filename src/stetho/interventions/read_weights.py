"""Put the weights that the program has read into the model that it trains.

## What changes
Before the first training call of a model, its parameters and buffers take the values that were last read from a file,
or handed to `load_state_dict`, under their own names or under these with a prefix; where those are too few, whole parts
of the model take what was read of a part with another name and the same names and shapes inside; where no name fits,
tensor by tensor in their order, if all shapes agree. A model that is not trained gets them before its first call, if
`load_state_dict` had found nothing for it in what it was given. Nothing else is touched.

## How it is known
Each tensor is compared with what was read after it was written.

## What it tells
If a run that begins at chance begins where it was meant to, the weights were read and never arrived.

## When it says nothing
Nothing was read that fits at least half of the model, or the model holds it already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stetho.observer.change import Run

kind = "control"
question = "Does it begin better with the weights that the program has read?"
applies = "programs that read weights before they train"
by_hand = False
values = {"": "those that were read last"}
backgrounds = {"": {"symptom-gone": 0.01, "better": 0.03, "same": 0.80, "worse": 0.13, "new-failure": 0.03}}
# Sources that are held, the last ones.
KEPT = 4
# Tensors of the model, each with what was read for it.
Pairs = list[tuple[Any, Any]]


def apply(run: Run, value: str) -> None:
    """Keep what is read, and write it into the first model that is trained."""
    torch = run.torch
    sources: list[dict[str, Any]] = []
    done: set[int] = set()
    passed_over: set[int] = set()

    def keep(found: Any) -> None:
        table = tensors_of(torch, found)
        if table:
            sources.append({name: tensor.detach().clone() for name, tensor in table.items()})
            del sources[:-KEPT]

    def load(original: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        keep(result)
        return result

    def given(original: Any, module: Any, *args: Any, **kwargs: Any) -> Any:
        state: Any = args[0] if args else kwargs.get("state_dict")
        keep(state)
        result = original(module, *args, **kwargs)
        empty = bool(state) and len(getattr(result, "unexpected_keys", ())) >= len(state)
        (passed_over.add if empty else passed_over.discard)(id(module))
        return result

    run.instead(torch, "load", load)
    run.instead(torch.nn.Module, "load_state_dict", given)

    @run.on_entering
    def write(module: Any, training: bool) -> None:
        held = {id(p) for o in run.optimizers for g in o.param_groups for p in g["params"]}
        trained = any(id(p) in held for p in module.parameters())
        if id(module) in done or not (training if trained else id(module) in passed_over):
            return
        done.add(id(module))
        own = {name: t for name, t in module.state_dict(keep_vars=True).items() if isinstance(t, torch.Tensor)}
        pairs = max((matched(own, source) for source in sources), key=size, default=[])
        if 2 * size(pairs) < elements(own):
            run.refused("nothing was read that fits half of the model")
        elif hold(torch, pairs):
            run.refused("the model holds the weights that were read")
        else:
            put(run, pairs)


def tensors_of(torch: Any, found: Any, depth: int = 4) -> dict[str, Any]:
    """The table of names that holds the most elements, wherever it lies in what was read."""
    if isinstance(found, torch.nn.Module):
        found = found.state_dict()
    if not isinstance(found, dict) or not depth:
        return {}
    own = {str(k): v for k, v in found.items() if isinstance(v, torch.Tensor)}
    tables = [own, *(tensors_of(torch, part, depth - 1) for part in found.values() if isinstance(part, dict))]
    return max(tables, key=elements)


def put(run: Run, pairs: Pairs) -> None:
    """Write what was read, and look whether it is there."""
    with run.torch.no_grad():
        for mine, read in pairs:
            mine.copy_(read)
    run.applied()
    if hold(run.torch, pairs):
        run.verified()


def hold(torch: Any, pairs: Pairs) -> bool:
    """Whether each tensor of the model has the values that were read."""
    return all(torch.equal(mine.detach(), read.to(mine)) for mine, read in pairs)


def matched(own: dict[str, Any], source: dict[str, Any]) -> Pairs:
    """Tensors of the model with what was read for them: by name, else by part, else by order."""
    pairs = named(own, source)
    if 2 * size(pairs) < elements(own):
        pairs = max(pairs, renamed(own, source), key=size)
    if not pairs and [t.shape for t in own.values()] == [t.shape for t in source.values()]:
        pairs = list(zip(own.values(), source.values()))  # noqa: B905 - Python 3.9
    return pairs


def named(own: dict[str, Any], source: dict[str, Any]) -> Pairs:
    """Tensors with what was read under their own names, or under these with a prefix."""
    pairs = []
    for name, mine in own.items():
        alike = [s for s in source if s == name or s.endswith(f".{name}") or name.endswith(f".{s}")]
        fits = [source[s] for s in sorted(alike, key=len) if source[s].shape == mine.shape]
        pairs += [(mine, fits[0])] if fits else []
    return pairs


def renamed(own: dict[str, Any], source: dict[str, Any]) -> Pairs:
    """Parts of the model with what was read of a part of another name, the largest first."""
    mine, read, pairs = inside(own), inside(source), []
    found = [
        [(f"{one}.{name}", f"{other}.{name}") for name in names if read[other].get(name) == names[name]]
        for one, names in mine.items()
        for other in read
    ]
    taken: set[str] = set()
    for part in sorted(found, key=lambda names: -sum(own[name].numel() for name, _ in names)):
        if len(part) > 1 and not any(name in taken or other in taken for name, other in part):
            taken.update(name for both in part for name in both)
            pairs += [(own[name], source[other]) for name, other in part]
    return pairs


def inside(table: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The shapes of each part of a model, by the names that they have in it."""
    parts: dict[str, dict[str, Any]] = {}
    for name, tensor in table.items():
        words = name.split(".")
        for depth in range(1, len(words)):
            parts.setdefault(".".join(words[:depth]), {})[".".join(words[depth:])] = tensor.shape
    return parts


def size(pairs: Pairs) -> int:
    return sum(mine.numel() for mine, _ in pairs)


def elements(table: dict[str, Any]) -> int:
    return sum(t.numel() for t in table.values())
