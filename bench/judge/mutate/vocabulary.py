"""The words operators are written in: calls, losses, optimizers, steps, schedules and models of a program."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bench.judge.mutate.program import Edit, Program

FUNCTIONS = {
    "cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
}  # fmt: skip
CRITERIA = {
    "CrossEntropyLoss": "cross_entropy", "NLLLoss": "nll_loss", "MSELoss": "mse_loss", "L1Loss": "l1_loss",
    "SmoothL1Loss": "smooth_l1_loss", "HuberLoss": "huber_loss", "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
}  # fmt: skip
REGRESSION = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
OPTIMIZERS = (
    "Adam",
    "AdamW",
    "SGD",
    "RMSprop",
    "Adagrad",
    "LBFGS",
    "NAdam",
    "RAdam",
    "Adamax",
    "Adadelta",
    "SparseAdam",
)
# Functions by whose names nothing is trained in them.
JUDGING = re.compile(r"(?i)^_?(eval|valid|test|predict|score|accuracy|agreement|report|calibrat|sharpness)")


def last(node: ast.AST) -> str:
    """The last name of a dotted one: `self.opt` is `opt`; empty for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def receiver(call: ast.Call) -> ast.expr | None:
    return call.func.value if isinstance(call.func, ast.Attribute) else None


def calls(program: Program, *names: str) -> Iterator[ast.Call]:
    """Calls by the last name of what is called."""
    for node in program.nodes:
        if isinstance(node, ast.Call) and last(node.func) in names:
            yield node


def keyword(call: ast.Call, name: str) -> ast.keyword | None:
    return next((one for one in call.keywords if one.arg == name), None)


def argument(call: ast.Call, index: int, name: str = "") -> ast.expr | None:
    """An argument by its position or name; none when a starred one makes positions unknown."""
    named = keyword(call, name) if name else None
    if named is not None:
        return named.value
    if index >= len(call.args) or any(isinstance(one, ast.Starred) for one in call.args[: index + 1]):
        return None
    return call.args[index]


def bound(program: Program, call: ast.Call) -> ast.expr | None:
    """What the result of a call is assigned to, when it alone is."""
    parent = program.parents[call]
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1 and not isinstance(parent.targets[0], ast.Tuple):
        return parent.targets[0]
    return None


def training(program: Program, node: ast.AST) -> bool:
    """Whether gradients are taken of what is computed here, as far as it can be seen."""
    for one in program.ancestors(node):
        if isinstance(one, ast.With):
            named = {last(item.context_expr.func) for item in one.items if isinstance(item.context_expr, ast.Call)}
            if named & {"no_grad", "inference_mode"}:
                return False
        if isinstance(one, ast.FunctionDef) and (
            JUDGING.match(one.name) or any("no_grad" in program.text(decorator) for decorator in one.decorator_list)
        ):
            return False
    return True


@dataclass(frozen=True)
class Loss:
    """A call of a known loss function or criterion object."""

    call: ast.Call
    kind: str
    prediction: ast.expr
    target: ast.expr
    criterion: ast.Call | None
    """Where the criterion object is made."""


def criteria(program: Program) -> dict[str, ast.Call]:
    """Criterion objects by the last name they are bound to."""
    made = ((bound(program, call), call) for call in calls(program, *CRITERIA))
    return {last(target): call for target, call in made if target is not None}


def losses(program: Program, *kinds: str) -> Iterator[Loss]:
    """Loss calls in training, those beside a backward first."""
    made, found = criteria(program), []
    for node in program.nodes:
        if not isinstance(node, ast.Call) or not training(program, node):
            continue
        criterion = node.func if isinstance(node.func, ast.Call) else made.get(last(node.func))
        name = last(node.func)
        if criterion is not None and last(criterion.func) in CRITERIA and last(criterion.func) != name:
            kind = CRITERIA[last(criterion.func)]
        elif name in FUNCTIONS:
            kind, criterion = name, None
        else:
            continue
        prediction, target = argument(node, 0, "input"), argument(node, 1, "target")
        if prediction is not None and target is not None and (not kinds or kind in kinds):
            found.append(Loss(node, kind, prediction, target, criterion))
    near = {program.scope(call) for call in calls(program, "backward")}
    yield from sorted(found, key=lambda one: program.scope(one.call) not in near)


@dataclass(frozen=True)
class Optimizer:
    """The construction of an optimizer."""

    call: ast.Call
    name: str
    target: str
    """What it is bound to, as written; empty when it is returned or passed on."""
    params: ast.expr
    owner: str
    """The model whose `parameters()` it gets, as written; empty when it gets something else."""


def optimizers(program: Program) -> Iterator[Optimizer]:
    for call in calls(program, *OPTIMIZERS):
        params, target = argument(call, 0, "params"), bound(program, call)
        if params is not None:
            own = isinstance(params, ast.Call) and last(params.func) == "parameters" and receiver(params)
            said = program.text(target) if target is not None else ""
            yield Optimizer(call, last(call.func), said, params, program.text(own) if own else "")


def settings(program: Program, name: str, framed: str) -> Iterator[tuple[ast.Call, ast.expr]]:
    """What optimizers, or the arguments of a framework under its own name, are given for something."""
    for call in (*(one.call for one in optimizers(program)), *calls(program, "TrainingArguments")):
        given = keyword(call, framed if last(call.func) == "TrainingArguments" else name)
        if given is not None:
            yield call, given.value


def schedulers(program: Program) -> Iterator[ast.Call]:
    for node in program.nodes:
        if isinstance(node, ast.Call) and re.fullmatch(r"\w+LR|ReduceLROnPlateau|CosineAnnealing\w+", last(node.func)):
            yield node


def _stepped(program: Program, names: set[str], like: str) -> Iterator[ast.Expr]:
    for call in calls(program, "step"):
        who, parent = receiver(call), program.parents[call]
        known = who is not None and (last(who) in names or re.search(like, last(who)))
        if known and isinstance(parent, (ast.Expr, ast.Assign)):
            yield parent


def steps(program: Program) -> list[ast.Expr]:
    """Statements by which an optimizer steps."""
    names = {last(ast.parse(one.target, mode="eval").body) for one in optimizers(program) if one.target}
    return list(_stepped(program, names - {""}, r"(?i)^_?(opt|optim|optimizer)(_\w+)?$"))


def schedule_steps(program: Program) -> list[ast.Expr]:
    """Statements by which a schedule steps."""
    targets = (bound(program, call) for call in schedulers(program))
    return list(_stepped(program, {last(one) for one in targets if one is not None}, r"(?i)sched"))


def clearings(program: Program) -> Iterator[ast.stmt]:
    """Statements that clear gradients, within a loop or a function."""
    for node in program.nodes:
        inside = any(isinstance(one, (ast.For, ast.While, ast.FunctionDef)) for one in program.ancestors(node))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and last(node.value.func) == "zero_grad":
            if inside:
                yield node
        elif isinstance(node, ast.For) and re.fullmatch(r"\w+\.grad = None", program.text(node.body[0])):
            yield node


def backwards(program: Program) -> Iterator[ast.Call]:
    """Calls that compute gradients."""
    for call in calls(program, "backward", "manual_backward"):
        if isinstance(program.parents[call], ast.Expr) and receiver(call) is not None:
            yield call


def objectives(program: Program) -> Iterator[ast.expr]:
    """The expressions that gradients are taken of: before `.backward()`, or returned to a framework."""
    for call in backwards(program):
        passed = call.args and last(receiver(call)) in ("self", "accelerator", "fabric")
        yield call.args[0] if passed else receiver(call)
    for node in program.nodes:
        where = program.function(node) if isinstance(node, ast.Return) else None
        framed = where is not None and where.name in ("training_step", "compute_loss")
        if framed and isinstance(node.value, (ast.Name, ast.Call, ast.BinOp)):
            yield node.value


def loops(program: Program, node: ast.AST) -> list[ast.For | ast.While]:
    """The loops around a node within its function, innermost first."""
    found = []
    for one in program.ancestors(node):
        if isinstance(one, (ast.FunctionDef, ast.Lambda)):
            break
        if isinstance(one, (ast.For, ast.While)):
            found.append(one)
    return found


def imports(program: Program, node: ast.AST, name: str) -> bool:
    """Whether the file of a node has imported something under a name."""
    for one in program.home[node].tree.body:
        if isinstance(one, (ast.Import, ast.ImportFrom)) and any((a.asname or a.name) == name for a in one.names):
            return True
    return False


def unit(program: Program, node: ast.AST) -> str:
    """How the file of a node says `torch.nn`."""
    return "nn" if imports(program, node, "nn") else "torch.nn"


def has(program: Program, *names: str) -> bool:
    return next(calls(program, *names), None) is not None


def added(program: Program, call: ast.Call, said: str) -> Edit:
    """One more keyword argument of a call."""
    begin, end = program.span(call)
    inside = program.text(call)[:-1].rstrip()
    comma = "" if inside.endswith("(") else " " if inside.endswith(",") else ", "
    return Edit(program.home[call].file, begin + len(inside), end - 1, comma + said)
