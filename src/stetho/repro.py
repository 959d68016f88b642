"""A failing step as a program of its own: torch calls one after the other, on the tensors the step began with."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from stetho.errors import BadRequest

FOLDER = "failing-step"
# What a recording may name. A case can come from anywhere, and what it holds becomes a program.
SPACE = r"torch(\.(Tensor|nn\.functional|linalg|special|fft|_VF|_C\._nn|_C\._linalg))?"
FUNCTION = re.compile(SPACE + r"\.[A-Za-z_]\w*(\.__get__)?")
NAME = re.compile(r"(t|p|x|random)\d+")
CONSTANT = re.compile(r"torch\.[a-z]\w*|torch\.device\('[a-z]+(:\d+)?'\)")
# Functions of torch that read, write or run things; none of them is part of a step.
REFUSED = frozenset(("load", "save", "compile", "hub", "jit", "ops", "classes", "package", "from_file"))

Json: TypeAlias = "Mapping[str, Json] | list[Json] | str | int | float | bool | None"


@dataclass(frozen=True)
class Reproduction:
    """A folder with the program, and what running it said."""

    folder: Path
    operations: int
    verified: bool | None
    """Whether the program failed as the run did; None when it was not tried."""
    output: str


def write(recording: Path, folder: Path, title: str) -> Reproduction:
    """Write the program and its tensors into a new folder."""
    step = read(recording)
    text = program(step, title)
    if folder.exists() and any(folder.iterdir()):
        raise BadRequest(f"{folder} is not empty; name another folder with -o")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "step.py").write_text(text, encoding="utf-8")
    shutil.copyfile(recording / FOLDER / "tensors.pt", folder / "tensors.pt")
    operations = step.get("operations")
    return Reproduction(folder, len(operations) if isinstance(operations, list) else 0, None, "")


def read(recording: Path) -> dict[str, Json]:
    """The step that a recording holds."""
    file = recording / FOLDER / "step.json"
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadRequest("this case holds no failing step: " + absence(recording)) from None
    except (OSError, ValueError) as error:
        raise BadRequest(f"the failing step in {file} cannot be read: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("operations"), list):
        raise BadRequest(f"{file} is not a step written by the observer")
    return found


def absence(recording: Path) -> str:
    """Why there is none."""
    reasons = {"origin": "unwritten", "unlocalised": "why"}
    for file in sorted(recording.glob("*.jsonl")):
        with file.open("rb") as lines:
            for line in lines:
                kind = next((k for k in reasons if line.startswith(f'{{"e":"{k}"'.encode())), None)
                try:
                    body = json.loads(line) if kind is not None else {}
                except ValueError:
                    continue
                if kind is not None and body.get(reasons[kind]):
                    return str(body[reasons[kind]])
    return "no value that is not finite was seen while it ran"


def verify(made: Reproduction, python: str = sys.executable) -> Reproduction:
    """Run the program; it ends with code 0 when the step fails as it did."""
    done = subprocess.run(
        [python, "step.py"], cwd=made.folder, capture_output=True, text=True, timeout=600, check=False,
        env={k: v for k, v in os.environ.items() if not k.startswith(("STETHO_", "PYTHONPATH"))},
    )  # fmt: skip
    if "No module named 'torch'" in done.stderr:
        return Reproduction(made.folder, made.operations, None, f"{python} has no torch to try it with")
    told = (done.stdout + done.stderr).strip()
    return Reproduction(made.folder, made.operations, done.returncode == 0, told)


def program(step: Mapping[str, Json], title: str) -> str:
    """The text of the program."""
    origin, where = step.get("origin"), step.get("where")
    found = origin if isinstance(origin, dict) else {}
    phase, operation = str(found.get("phase", "")), str(found.get("op", ""))
    lines = [
        f'"""{plain(title)}: {plain(operation)} ({plain(phase)}) gives the first NaN or Inf.',
        "",
        "Every operation of the step, on the tensors it began with; the comments name the line and the module",
        "that ran it. Ends with code 0 when the step fails as it did, with 1 when it does not.",
        '"""',
        "",
        "import math",
        "import os",
        "",
        "import torch",
        "",
        'T = torch.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tensors.pt"), weights_only=True)',
        "torch.set_num_threads(1)",
        "",
        "",
        "def flat(value):",
        "    if isinstance(value, torch.Tensor):",
        "        return [value]",
        "    return [t for v in value for t in flat(v)] if isinstance(value, (list, tuple)) else []",
        "",
        "",
    ]
    operations = step["operations"]
    assert isinstance(operations, list)
    names: set[str] = set()
    body = [line for one in operations for line in statement(one, names)]
    leaves = sorted(n for n in names if not n.startswith("t"))
    lines += [f'{n} = T["{n}"]' for n in leaves]
    lines += ["", *body, ""]
    spoiled = not math.isfinite(float(str(step.get("value", "nan"))))
    lines += ending(name(step["loss"]), [n for n in leaves if n.startswith("p")], spoiled, where)
    return "\n".join(lines) + "\n"


def ending(loss: str, parameters: list[str], spoiled: bool, where: Json) -> list[str]:
    """What the program says at its end, and the code it ends with: the loss was spoiled, or only its gradients."""
    place = where[0] if isinstance(where, list) and where else None
    line = f"{os.path.basename(str(place[0]))}:{place[1]}" if isinstance(place, list) and len(place) > 1 else ""
    return [
        f"loss = {loss}",
        'print("loss", loss.item())',
        f"leaves = [{', '.join(parameters)}]",
        "gradients = torch.autograd.grad(loss, leaves, allow_unused=True) if loss.requires_grad and leaves else []",
        "bad = sum(g is not None and not bool(torch.isfinite(g).all()) for g in gradients)",
        'print(bad, "of", len(gradients), "gradients are not finite")',
        f'print("in the run it began at {plain(line)}")' if line else "",
        f"raise SystemExit(0 if {'not math.isfinite(loss.item())' if spoiled else 'bad'} else 1)",
    ]


def statement(one: Json, names: set[str]) -> Iterator[str]:
    """One operation as a line of the program."""
    if not isinstance(one, dict):
        raise BadRequest("the recorded step is damaged: an operation is missing")
    if "random" in one:
        state = name(one["random"])
        names.add(state)
        yield f"torch.set_rng_state({state})"
        return
    function = str(one["op"])
    if not FUNCTION.fullmatch(function) or function.rpartition(".")[2] in REFUSED:
        raise BadRequest(f"the recorded step calls {function!r}, which is no operation of torch")
    args, kwargs, made = one["args"], one["kwargs"], one["out"]
    assert isinstance(args, list) and isinstance(kwargs, dict) and isinstance(made, list)
    given = [value(a, names) for a in args]
    given += [f"{key}={value(v, names)}" for key, v in kwargs.items() if key.isidentifier()]
    call = f"{function}({', '.join(given)})"
    outs = [name(n) for n in made]
    if len(outs) > 1:
        call = f"[{', '.join(outs)}] = flat({call})"
    elif outs:
        call = f"{outs[0]} = {call}"
    if one.get("amp"):
        yield f'with torch.autocast("cpu", dtype={constant(str(one["amp"]))}):'
        call = "    " + call
    if one.get("grad") is False:
        yield "with torch.no_grad():"
        call = "    " + call
    yield call + comment(one)


def comment(one: Mapping[str, Json]) -> str:
    """Where the operation came from."""
    at = one.get("at")
    place = f"{os.path.basename(str(at[0]))}:{at[1]}" if isinstance(at, list) and len(at) == 2 else ""
    told = " ".join(plain(str(part)) for part in (place, one.get("module")) if part)
    return f"  # {told}" if told else ""


def value(found: Json, names: set[str]) -> str:
    """An argument as it is written in the program."""
    if isinstance(found, list):
        raise BadRequest("the recorded step is damaged: a list without its kind")
    if not isinstance(found, Mapping):
        if isinstance(found, float) and not math.isfinite(found):
            return f'float("{found}")'
        return repr(found)
    kind, inner = next(iter(found.items()))
    if kind == "tensor":
        names.add(name(inner))
        return name(inner)
    if kind == "float":
        return f'float("{float(str(inner))}")'
    if kind == "ellipsis":
        return "..."
    if kind == "torch":
        return constant(str(inner))
    if kind in ("slice", "tuple", "list") and isinstance(inner, list):
        parts = [value(v, names) for v in inner]
        if kind == "slice":
            return f"slice({', '.join(parts)})"
        return f"[{', '.join(parts)}]" if kind == "list" else f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    raise BadRequest(f"the recorded step is damaged: an argument of kind {kind!r}")


def name(found: Json) -> str:
    """A variable of the program."""
    if not isinstance(found, str) or not NAME.fullmatch(found):
        raise BadRequest(f"the recorded step is damaged: {found!r} is no name of a tensor")
    return found


def constant(found: str) -> str:
    """A type or device of torch."""
    if not CONSTANT.fullmatch(found):
        raise BadRequest(f"the recorded step is damaged: {found!r} is no constant of torch")
    return found


def plain(text: str) -> str:
    """Text that stays inside its comment or string."""
    return "".join(c if c.isprintable() and c not in "\"\\'" else "?" for c in text)[:200]
