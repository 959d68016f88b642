"""Where a program has its inputs and labels at hand: a data set, the function that draws them, or sliced tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from bench.judge.mutate.program import Edit, Program
from bench.judge.mutate.vocabulary import argument, calls, has, keyword, last, loops, losses, training


@dataclass(frozen=True)
class Data:
    """Inputs and labels: elements of a return, arguments of a data set, or tensors that batches are taken from."""

    program: Program
    statement: ast.stmt
    inputs: ast.expr
    labels: ast.expr
    part: bool
    """Whether `inputs` and `labels` are the training part only, and may be replaced as expressions."""

    def changed(self, *lines: str) -> tuple[Edit, ...]:
        """Lines about all inputs `{x}` and labels `{y}`, put where both have a name and nothing has used them yet."""
        names, given, replaced = {}, [], []
        for slot, node, name in (("x", self.inputs, "features"), ("y", self.labels, "labels")):
            base = _base(node, self.part)
            if isinstance(base, ast.Name):
                names[slot] = base.id
            elif any("{" + slot + "}" in line for line in lines):
                names[slot] = name
                given.append(f"{name} = ({self.program.text(node)})")
                replaced.append(self.program.replace(node, name))
        # Windows of one series share their memory, and cannot be written to one by one.
        if has(self.program, "unfold") and any("{x}[" in line for line in lines):
            lines = ("{x} = {x}.clone()", *lines)
        written = [line.format(**{"x": "", "y": "", **names}) for line in lines]
        return (self.program.before(self.statement, *given, *written), *replaced)

    def relabelled(self, template: str) -> tuple[Edit, ...]:
        """The labels, `{y}`, of the training part where that can be told, made into something else."""
        return self._expressed(self.labels, "y", template)

    def named(self, *lines: str) -> tuple[Edit, ...]:
        """Lines about the labels, `{y}`, of the training part where that can be told, which get a name for it."""
        if not self.part:
            return self.changed(*lines)
        given = [f"labels = {self.program.atom(self.labels)}.clone()", *(line.format(y="labels") for line in lines)]
        return self.program.before(self.statement, *given), self.program.replace(self.labels, "labels")

    def refed(self, template: str) -> tuple[Edit, ...]:
        """The inputs, `{x}`, of the training part where that can be told, made into something else."""
        return self._expressed(self.inputs, "x", template)

    def _expressed(self, node: ast.expr, slot: str, template: str) -> tuple[Edit, ...]:
        if self.part:
            return (self.program.replace(node, template.format(**{slot: self.program.atom(node)})),)
        return self.changed(f"{{{slot}}} = " + template)


def _base(node: ast.expr, part: bool) -> ast.expr:
    """What a slice, or a tensor made of one, is taken from."""
    while True:
        if isinstance(node, ast.Subscript) and (isinstance(node.slice, ast.Slice) or not part):
            node = node.value
        elif isinstance(node, ast.Call) and last(node.func) in ("tensor", "from_numpy", "as_tensor") and node.args:
            node = node.args[0]
        else:
            return node


def datasets(program: Program) -> Iterator[Data]:
    """All places of the training data, the surest first; each once."""
    seen: set[ast.AST] = set()
    for data in (*_sets(program), *_drawn(program)):
        if data.labels not in seen and data.statement not in seen:
            seen |= {data.labels, data.statement}
            yield data


def _sets(program: Program) -> Iterator[Data]:
    """The data sets that training loaders shuffle, or else the first one."""
    made = [call for call in calls(program, "TensorDataset") if training(program, call)]
    mixed = [call for call in made if _shuffled(program, call)]
    for call in mixed or made[:1]:
        if len(call.args) == 1 and isinstance(call.args[0], ast.Starred) and isinstance(call.args[0].value, ast.Call):
            yield from _returned(program, last(call.args[0].value.func))
        elif len(call.args) == 2:
            yield Data(program, program.statement(call), call.args[0], call.args[1], True)
    for call in calls(program, "DataLoader", "Trainer"):
        collate = keyword(call, "collate_fn") or keyword(call, "data_collator")
        if collate is not None:
            yield from _returned(program, last(collate.value))


def _shuffled(program: Program, call: ast.Call) -> bool:
    parent = program.parents[call]
    return isinstance(parent, ast.Call) and keyword(parent, "shuffle") is not None


def _returned(program: Program, name: str) -> Iterator[Data]:
    """The pair that a function of the program returns."""
    for node in program.nodes:
        where = program.function(node)
        if not isinstance(node, ast.Return) or where is None or where.name != name:
            continue
        pair = node.value.elts if isinstance(node.value, ast.Tuple) else []
        if isinstance(node.value, ast.Dict):
            keys = [getattr(key, "value", None) for key in node.value.keys]
            pair = [node.value.values[keys.index(key)] for key in ("input_ids", "labels") if key in keys]
        if len(pair) == 2:
            inputs, labels = pair
            if not isinstance(labels, ast.Dict):
                yield Data(program, node, inputs, labels, False)


def _drawn(program: Program) -> Iterator[Data]:
    """What the losses of training compare, followed to where it comes from."""
    for loss in losses(program):
        inputs = fed(program, loss.prediction)
        if inputs is not None:
            yield from _followed(program, inputs, loss.target)


def fed(program: Program, prediction: ast.expr) -> ast.expr | None:
    """What goes into the model whose output is a prediction."""
    if isinstance(prediction, ast.Name):
        for node in program.nodes:
            here = isinstance(node, ast.Assign) and program.scope(node) is program.scope(prediction)
            if here and prediction.id in [last(one) for target in node.targets for one in _parts(target)]:
                return fed(program, node.value)
        return None
    found = [node for node in ast.walk(prediction) if isinstance(node, ast.Call) and node.args]
    taken = [argument(node, 0) for node in found]
    return next((one for one in taken if isinstance(one, ast.Name) or _indexed(one)), None)


def _indexed(node: ast.AST | None) -> bool:
    """Whether a node is rows taken from a named tensor."""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and not isinstance(node.slice, (ast.Slice, ast.Tuple, ast.Constant))
    )


def _stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _taken(function: ast.FunctionDef) -> set[str]:
    return {one.arg for one in function.args.args}


def _parts(target: ast.AST) -> list[ast.AST]:
    return list(target.elts) if isinstance(target, ast.Tuple) else [target]


def _followed(program: Program, inputs: ast.expr, labels: ast.expr, depth: int = 0) -> Iterator[Data]:
    if _indexed(inputs) and _indexed(labels):
        around = loops(program, labels)
        if around:
            yield Data(program, around[-1], inputs, labels, False)
        return
    if not (isinstance(inputs, ast.Name) and isinstance(labels, ast.Name)) or depth > 3:
        return
    scope = program.scope(labels)
    for node in program.nodes:
        here = isinstance(node, ast.Assign) and program.scope(node) is scope and isinstance(node.value, ast.Call)
        if here and [last(one) for one in _parts(node.targets[0])] == [inputs.id, labels.id]:
            yield from _returned(program, last(node.value.func))
            return
    if isinstance(scope, ast.FunctionDef):
        if {inputs.id, labels.id}.isdisjoint(_taken(scope) | {one.id for one in ast.walk(scope) if _stored(one)}):
            yield Data(program, scope, inputs, labels, False)
        names = [one.arg for one in scope.args.args if one.arg != "self"]
        if inputs.id in names and labels.id in names:
            for call in calls(program, scope.name):
                pair = argument(call, names.index(inputs.id)), argument(call, names.index(labels.id))
                if training(program, call) and pair[0] is not None and pair[1] is not None:
                    yield from _followed(program, *pair, depth=depth + 1)


def tokens(program: Program) -> bool:
    """Whether the inputs are indices, of which nothing can be scaled."""
    return next(calls(program, "Embedding"), None) is not None
