"""Starts the observer once in an interpreter, by whichever way it was reached, and keeps every error to itself.

It is executed as text by `inject/sitecustomize.py` and by the hook that `stetho.hook` installs, which give it
`__file__` and `by`, the name of the way. Of the two, the hook comes first where both are there.
"""

import importlib.machinery
import os
import sys

# A name of its own: stetho need not be installed in the user's environment, and may be, in another version.
NAME = "_stetho_observer"


def enter(plan_file: str, by: str) -> None:
    """Load the observer from this folder and start it; what goes wrong is left beside the plan, to be told."""
    try:
        folder = os.path.dirname(os.path.abspath(__file__))
        file = os.path.join(folder, "__init__.py")
        loader = importlib.machinery.SourceFileLoader(NAME, file)
        module = sys.modules[NAME] = type(sys)(NAME)
        module.__spec__ = importlib.machinery.ModuleSpec(NAME, loader, origin=file, is_package=True)
        module.__file__, module.__loader__, module.__package__ = file, loader, NAME
        module.__path__ = module.__spec__.submodule_search_locations = [folder]
        loader.exec_module(module)
        module.start(plan_file, by)
    except Exception as error:  # noqa: BLE001 - the user's program must start whatever happens here
        try:
            with open(plan_file + ".error", "a", encoding="utf-8") as out:
                out.write(f"{type(error).__name__}: {error}\n")
        except OSError:
            pass


if os.environ.get("STETHO_PLAN") and NAME not in sys.modules:
    enter(os.environ["STETHO_PLAN"], globals().get("by", ""))
