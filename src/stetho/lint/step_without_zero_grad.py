import ast
from collections.abc import Iterator

from stetho.rule import Hit, rule
from stetho.source.code import last_name

BAD = """
for x, y in loader:
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
"""
GOOD = BAD.replace("    loss.backward()", "    optimizer.zero_grad()\n    loss.backward()")
BY_HAND = BAD + "    for p in model.parameters():\n        p.grad = None\n"
SPLIT = """
def update(loss, optimizer):
    loss.backward()
    optimizer.step()
"""


@rule(
    cause="train/missing-zero-grad",
    bad={"a loop that never clears": BAD},
    good={"cleared": GOOD, "cleared by hand": BY_HAND, "a function that may be called after a reset": SPLIT},
)
def step_without_zero_grad(tree: ast.Module) -> Iterator[Hit]:
    """A loop calls backward and step, and nothing in the file clears gradients.

    ## Why it matters
    `backward` adds to the gradients that are there; without a reset each step follows the sum of all of them.

    ## False alarms
    Files that leave the reset to another file are not reported unless backward and step stand in one loop.
    """
    names = {last_name(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    by_hand = any(isinstance(n, ast.Attribute) and n.attr == "grad" for n in ast.walk(tree))
    if "zero_grad" in names or by_hand or "zero_" in names:
        return
    for loop in (n for n in ast.walk(tree) if isinstance(n, (ast.For, ast.While))):
        calls = [n for n in ast.walk(loop) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
        backward = [c for c in calls if last_name(c.func) == "backward"]
        if backward and any(last_name(c.func) == "step" for c in calls):
            where = backward[0]
            yield Hit(
                where.lineno,
                where.col_offset,
                "backward and step in a loop, and nothing clears the gradients",
            )
            return
