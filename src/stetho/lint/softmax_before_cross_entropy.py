import ast
from collections.abc import Iterator

from stetho.rule import Hit, rule
from stetho.source.code import last_name

BAD = "loss = F.cross_entropy(F.softmax(model(x), dim=-1), y)\n"
BAD_NAME = """
def step(x, y):
    p = torch.softmax(model(x), dim=-1)
    return F.cross_entropy(p, y)
"""
GOOD = """
def step(x, y):
    scores = model(x)
    accuracy = (torch.softmax(scores, dim=-1).argmax(-1) == y).float().mean()
    return F.cross_entropy(scores, y)
"""
OTHER_USE = "weights = F.softmax(scores, dim=-1)\nloss = F.cross_entropy(weights @ values, y)\n"
NORMALISERS = ("softmax", "sigmoid")


@rule(
    cause="loss/double-softmax",
    bad={"nested": BAD, "through a name": BAD_NAME},
    good={"softmax for the metric only": GOOD, "attention": OTHER_USE},
)
def softmax_before_cross_entropy(tree: ast.Module) -> Iterator[Hit]:
    """cross_entropy is given the result of a softmax.

    ## Why it matters
    It normalises its input itself; a second softmax squeezes every answer towards uniform.

    ## False alarms
    Only a softmax that is the whole first argument counts, directly or through a name bound once in the same function.
    """
    scopes = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module))]
    reported = set()
    for scope in scopes:
        assigned: dict[str, list[ast.expr]] = {}
        for node in ast.walk(scope):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                assigned.setdefault(node.targets[0].id, []).append(node.value)
        for call in (n for n in ast.walk(scope) if isinstance(n, ast.Call) and n.args):
            if last_name(call.func) != "cross_entropy" or (call.lineno, call.col_offset) in reported:
                continue
            given = call.args[0]
            values = assigned.get(given.id, []) if isinstance(given, ast.Name) else [given]
            if len(values) == 1 and isinstance(values[0], ast.Call) and last_name(values[0].func) in NORMALISERS:
                reported.add((call.lineno, call.col_offset))
                yield Hit(values[0].lineno, values[0].col_offset, "cross_entropy is given the result of a softmax")
