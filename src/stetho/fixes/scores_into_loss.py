"""Take away the normalisation in front of a loss that normalises by itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from stetho.evidence import Place
from stetho.experiment import Edit
from stetho.facts import LossInputs
from stetho.fixes import Cure, Grounds
from stetho.source.code import Code, imported_names, last_name, read, root_name

CURES = ("loss/double-softmax",)
FUNCTIONS = ("softmax", "sigmoid", "softmin", "expit")
LAYERS = ("Softmax", "Sigmoid", "Softmax2d", "Softmin")


def candidates(cause: str, grounds: Grounds) -> Iterator[Cure]:
    losses = grounds.get(LossInputs)
    for site in losses.sites if losses else ():
        if not site.trained or site.normalised < site.looked_at:
            continue
        yield from at_the_producer(site.produced_at)
        if site.where is not None:
            yield from at_the_loss(site.where, site.function)


def at_the_producer(frames: tuple[Place, ...]) -> Iterator[Cure]:
    """Where the probabilities are made, then where the user's code asks for them."""
    inner = ""
    for place in frames:
        code = read(place.file)
        if code is not None and place.line is not None:
            yield from normaliser_removed(code, place)
            yield from call_replaced_by_argument(code, place, inner)
        inner = place.key or ""


def normaliser_removed(code: Code, place: Place) -> Iterator[Cure]:
    assert place.line is not None
    for call in code.calls_at(place.line):
        new = without_normaliser(code, call)
        if new is not None:
            old = code.segment(call)
            change = Edit(code.file, code.text, code.replaced((call, new)), call.lineno, f"{old} -> {new}")
            yield Cure(f"{old}  ->  {new}", (change,), where=(Place(code.file, call.lineno),))


def without_normaliser(code: Code, call: ast.Call) -> str | None:
    name = last_name(call.func)
    if name in LAYERS and isinstance(call.func, ast.Attribute):
        return f"{code.segment(call.func.value)}.Identity()"
    if name in LAYERS:
        return "torch.nn.Identity()" if "torch" in imported_names(code.tree) else None
    if name not in FUNCTIONS:
        return None
    of_module = isinstance(call.func, ast.Name) or root_name(call.func) in imported_names(code.tree)
    # A method of a tensor takes an axis; anything else that is called softmax takes the scores.
    axis_only = all(isinstance(a, (ast.Constant, ast.UnaryOp)) for a in call.args)
    if call.args and (of_module or not axis_only):
        return code.operand(call.args[0])
    if isinstance(call.func, ast.Attribute) and not of_module:
        return code.operand(call.func.value)
    return None


def call_replaced_by_argument(code: Code, place: Place, inner: str) -> Iterator[Cure]:
    """`probabilities(h, 1)` becomes `h` where a function of the user's does the normalising."""
    if not inner or inner in ("forward", "<module>", "__call__", "<lambda>"):
        return
    assert place.line is not None
    for call in code.calls_at(place.line):
        if last_name(call.func) == inner and call.args and not isinstance(call.args[0], ast.Starred):
            old, new = code.segment(call), code.operand(call.args[0])
            change = Edit(code.file, code.text, code.replaced((call, new)), call.lineno, f"{old} -> {new}")
            yield Cure(f"{old}  ->  {new}", (change,), where=(Place(code.file, call.lineno),))


def at_the_loss(place: Place, function: str) -> Iterator[Cure]:
    """The logarithm (or logit) of probabilities is a valid score, for when the normaliser cannot be taken away."""
    code = read(place.file)
    if code is None or place.line is None:
        return
    for call in code.calls_at(place.line):
        if len(call.args) + len(call.keywords) >= 2 and call.args and not isinstance(call.args[0], ast.Starred):
            old = code.segment(call.args[0])
            binary = function == "binary_cross_entropy_with_logits"
            new = f"{code.operand(call.args[0])}.logit(1e-6)" if binary else f"({old} + 1e-7).log()"
            change = Edit(code.file, code.text, code.replaced((call.args[0], new)), call.lineno, f"{old} -> {new}")
            yield Cure(f"{old}  ->  {new}", (change,), where=(Place(code.file, call.lineno),))
