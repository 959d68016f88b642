"""Give the optimizer every parameter that the loss reaches."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import Coverage
from stetho.fixes import Cure, Grounds
from stetho.source.code import Code, imported_names, last_name, lines_of, mentions, read

CURES = ("train/params-not-optimized",)


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    coverage = grounds.get(Coverage)
    if coverage is None:
        return
    for place in coverage.unregistered:
        yield from registered(place)
    if coverage.made_after and coverage.optimizer_at is not None:
        yield from moved_down(coverage.optimizer_at)
        for place in coverage.made_at:
            yield from joined_later(coverage.optimizer_at, place)
    for place in coverage.covering:
        yield from given(place, coverage.optimizer, f"{place.key}.parameters()")
    if coverage.extra:
        yield from extended(coverage.extra, coverage.optimizer)


def cure(code: Code, after: str, line: int, told: str) -> Cure:
    return Cure(told, (Edit(code.file, code.text, after, line, told),), where=(Place(code.file, line),))


def registered(place: Place) -> Iterator[Cure]:
    """`self.layers = [...]` becomes `self.layers = nn.ModuleList([...])`."""
    code = read(place.file)
    if code is None or place.line is None or place.key is None:
        return
    names = imported_names(code.tree)
    module = "nn" if "nn" in names else "torch.nn" if "torch" in names else None
    owner = code.function_at(place.line)
    if module is None or owner is None:
        return
    for node in ast.walk(owner):
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(ast.unparse(t) == f"self.{place.key}" for t in targets):
            value = node.value  # type: ignore[attr-defined]
            if value is None:
                continue
            kind = "ModuleDict" if isinstance(value, (ast.Dict, ast.DictComp)) else "ModuleList"
            old = code.segment(value)
            new = f"{module}.{kind}({old})"
            yield cure(code, code.replaced((value, new)), value.lineno, f"{old}  ->  {new}")


def given(place: Place, optimizer: str, argument: str) -> Iterator[Cure]:
    """`X.parameters()` at the optimizer's line becomes the parameters of the module that has them all."""
    code = read(place.file)
    if code is None or place.line is None:
        return
    calls = code.calls_at(place.line)
    asked = [c for c in calls if last_name(c.func) in ("parameters", "named_parameters") and not c.args]
    if len(asked) == 1:
        old = code.segment(asked[0])
        if old != argument:
            yield cure(code, code.replaced((asked[0], argument)), asked[0].lineno, f"{old}  ->  {argument}")
    for call in calls:
        if last_name(call.func) == optimizer and call.args:
            old = code.segment(call.args[0])
            yield cure(code, code.replaced((call.args[0], argument)), call.lineno, f"{old}  ->  {argument}")


def extended(extra: tuple[Place, ...], optimizer: str) -> Iterator[Cure]:
    """The optimizer's argument, with the parameters of the modules it lacks."""
    for file, line in dict.fromkeys((p.file, p.line) for p in extra):
        code = read(file)
        if code is None or line is None:
            continue
        names = list(dict.fromkeys(p.key for p in extra if (p.file, p.line) == (file, line) and p.key))
        if not names:
            continue
        for call in code.calls_at(line):
            params = [c for c in ast.walk(call) if isinstance(c, ast.Call) and last_name(c.func) == "parameters"]
            target = call.args[0] if last_name(call.func) == optimizer and call.args else params[0] if params else None
            if target is None:
                continue
            old = code.segment(target)
            for chosen in ([names[0]], names) if len(names) > 1 else ([names[0]],):
                new = " + ".join([f"list({old})", *(f"list({n}.parameters())" for n in chosen)])
                yield cure(code, code.replaced((target, new)), target.lineno, f"{old}  ->  {new}")


def moved_down(place: Place) -> Iterator[Cure]:
    """The optimizer is made after the model is complete: just before it is first used."""
    code = read(place.file)
    statement = code.statement_at(place.line) if code is not None and place.line is not None else None
    if code is None or not isinstance(statement, ast.Assign):
        return
    name = ast.unparse(statement.targets[0])
    for body in code.bodies():
        if statement not in body:
            continue
        rest = body[body.index(statement) + 1 :]
        index = next((i for i, s in enumerate(rest) if mentions(s, name)), len(rest))
        if index == 0:
            return
        lines = lines_of(code.text)
        if not lines[-1].endswith(("\n", "\r")):
            lines[-1] += "\n"
        first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
        target = rest[index].lineno - 1 if index < len(rest) else (rest[-1].end_lineno or rest[-1].lineno)
        decorated = getattr(rest[index], "decorator_list", []) if index < len(rest) else []
        target = min([target, *(d.lineno - 1 for d in decorated)])
        block = lines[first:last]
        after = "".join(lines[:first] + lines[last:target] + block + lines[target:])
        yield cure(code, after, statement.lineno, f"make {name} after the model is complete (line {target + 1})")


def joined_later(optimizer_at: Place, made_at: Place) -> Iterator[Cure]:
    """A layer built later joins the optimizer at the end of the function that builds it."""
    code, home = read(made_at.file), read(optimizer_at.file)
    if code is None or home is None or made_at.line is None or optimizer_at.line is None:
        return
    maker, function = home.statement_at(optimizer_at.line), code.function_at(made_at.line)
    layer = code.statement_at(made_at.line)
    if not isinstance(maker, ast.Assign) or function is None or not isinstance(layer, ast.Assign):
        return
    name = ast.unparse(maker.targets[0])
    # The optimizer's name means the same thing there only on the object itself or in the same function.
    if code.file != home.file or not (name.startswith("self.") or function is code.function_at(maker.lineno)):
        return
    text = f"{name}.add_param_group({{'params': list({ast.unparse(layer.targets[0])}.parameters())}})"
    last = function.body[-1]
    target = last.lineno if isinstance(last, ast.Return) else (last.end_lineno or last.lineno) + 1
    after = code.with_line(target, function.body[0].col_offset, text)
    yield Cure(
        f"insert {text}",
        (Edit(code.file, code.text, after, last.lineno, f"insert {text}"),),
        where=(Place(code.file, layer.lineno), Place(home.file, maker.lineno)),
    )
