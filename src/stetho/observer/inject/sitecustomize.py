"""Found first on PYTHONPATH: starts the observer, then hands over to the user's own sitecustomize."""

import importlib
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))


def _start_observer() -> None:
    """Run the observer's entry, which lies outside this folder: all that is in here hides modules of the user's."""
    entry = os.path.join(os.path.dirname(_here), "entry.py")
    try:
        with open(entry, encoding="utf-8") as file:
            code = compile(file.read(), entry, "exec")
    except (OSError, SyntaxError, ValueError):
        return
    exec(code, {"__file__": entry, "__name__": "_stetho_entry", "by": "path"})


def _hand_over() -> None:
    """Import the sitecustomize that this one hides; where there is none, fail just as Python would have."""
    places = [(i, p) for i, p in enumerate(sys.path) if os.path.isabs(p) and os.path.abspath(p) == _here]
    for _, path in places:
        sys.path.remove(path)
    sys.modules.pop("sitecustomize", None)
    try:
        importlib.import_module("sitecustomize")
    finally:
        # Programs hand their sys.path on to their children, who are to be observed, too.
        for i, path in places:
            sys.path.insert(i, path)


_start_observer()
_hand_over()
