"""Which of the files that a run read are such as it makes itself: what it made earlier and kept."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Mapping

from stetho.facts import DataFile, DataFiles
from stetho.source.code import last_name, read

# Questions whether a file is there, and calls that write one.
ASKS = ("exists", "is_file", "isfile")
WRITES = (
    "save", "savez", "savez_compressed", "dump", "to_csv", "to_parquet", "to_pickle", "to_feather", "to_json",
    "save_file", "write_bytes", "write_text",
)  # fmt: skip
# What draws by lot: made anew, it is another draw, and no newer result.
LOTS = (
    "rand", "randn", "randint", "randperm", "shuffle", "permutation", "choice", "choices", "sample", "default_rng",
    "RandomState", "random_split", "train_test_split", "normal", "uniform", "rand_like", "randn_like",
)  # fmt: skip
# What names a state of training, which is kept to go on from and not to save time.
STATES = ("state_dict", "load_state_dict", "backward", "zero_grad")


def kept_results(files: DataFiles) -> list[DataFile]:
    """Files that were read from a folder into which the run, before its first step, wrote others of the same kind.

    What is written once training is under way are checkpoints and reports, and the newest of them may be read at a
    resume; they are not meant.
    """
    made = {_kind(one.file) for one in files.files if one.written and one.read is None and one.step == 0}
    return [one for one in files.files if one.read is not None and not one.written and _kind(one.file) in made]


def in_use(files: DataFiles) -> list[DataFile]:
    """Files that were read, and that the program would have made had they not been there."""
    return [one for one in files.files if one.read is not None and not one.written and one.remade]


def endings(sources: Iterable[str]) -> set[str]:
    """How the names of files end that the code makes only where they are not there yet."""
    found: set[str] = set()
    for code in filter(None, map(read, sources)):
        functions = [n for n in ast.walk(code.tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
        shared = {**_assigned(_inside(code.tree)), **_attributes(code.tree)}
        writers = {one.name: _written_parameters(one) for one in functions}
        by_lot = {one.name for one in functions if _draws(_inside(one), set())}
        for scope in (*functions, code.tree):
            if _draws(_inside(scope), by_lot):
                continue
            found.update(_made_if_missing(scope, shared, writers))
    return found


def _draws(nodes: Iterable[ast.AST], by_lot: set[str]) -> bool:
    """Whether a function draws random numbers, or calls one of the file that does."""
    called = {last_name(n.func) for n in nodes if isinstance(n, ast.Call)}
    return bool(called & {*LOTS, *by_lot})


def _attributes(tree: ast.AST) -> dict[str, ast.expr]:
    """What is assigned to attributes such as `self.path` anywhere in a file."""
    return {
        ast.unparse(target): node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute)
    }


def _written_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[int]:
    """The places of a function's parameters that name what it writes."""
    written = {text for n in _inside(function) if isinstance(n, ast.Call) and _writes(n) for text in _named(n)}
    return {at for at, one in enumerate(function.args.args) if one.arg in written}


def _made_if_missing(scope: ast.AST, shared: Mapping[str, ast.expr], writers: Mapping[str, set[int]]) -> Iterator[str]:
    """Of one function: the ends of the names that it asks for and also writes."""
    nodes = list(_inside(scope))
    if any(last_name(n) in STATES for n in nodes if isinstance(n, (ast.Attribute, ast.Name))):
        return
    asked = {text for n in nodes if isinstance(n, ast.Call) and last_name(n.func) in ASKS for text in _named(n)}
    written = {text for n in nodes if isinstance(n, ast.Call) and _writes(n) for text in _named(n)}
    for call in (n for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)):
        # Another function of the file may do the writing.
        places = writers.get(last_name(call.func) or "", set())
        written |= {ast.unparse(one) for at, one in enumerate(call.args) if at in places}
    names = {**shared, **_assigned(nodes)}
    for text in asked & written:
        ending = _ending(names.get(text) or ast.parse(text, mode="eval").body)
        if ending:
            yield ending


def _assigned(nodes: Iterable[ast.AST]) -> dict[str, ast.expr]:
    """What plain names are set to."""
    return {
        target.id: node.value
        for node in nodes
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _inside(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, those of functions within it left out."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))


def _named(call: ast.Call) -> Iterator[str]:
    """The expressions that a call is about: its arguments, and what it is a method of."""
    about = [*call.args, *(k.value for k in call.keywords)]
    if isinstance(call.func, ast.Attribute):
        about.append(call.func.value)
    for node in about:
        # A path may be handed on as text.
        if isinstance(node, ast.Call) and last_name(node.func) in ("str", "fspath", "Path") and node.args:
            node = node.args[0]
        if isinstance(node, (ast.Name, ast.Attribute, ast.Constant, ast.JoinedStr, ast.BinOp, ast.Call)):
            yield ast.unparse(node)


def _writes(call: ast.Call) -> bool:
    if last_name(call.func) == "open":
        modes = [a.value for a in (*call.args, *(k.value for k in call.keywords)) if isinstance(a, ast.Constant)]
        return any(isinstance(m, str) and m[:1] in ("w", "x") and len(m) <= 3 for m in modes)
    return last_name(call.func) in WRITES


def _ending(path: ast.AST) -> str:
    """The last plain text in the expression of a path, where it tells a kind of file."""
    texts = [n for n in ast.walk(path) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    last = max(texts, key=lambda n: (n.lineno, n.col_offset), default=None)
    text = str(last.value) if last is not None else ""
    return os.path.basename(text) if "." in os.path.basename(text) else ""


def _kind(file: str) -> tuple[str, str]:
    return os.path.dirname(file), os.path.splitext(file)[1]
