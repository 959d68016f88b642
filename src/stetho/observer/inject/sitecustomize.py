"""Found first on PYTHONPATH: starts the observer, then hands over to the user's own sitecustomize."""

import importlib.machinery
import importlib.util
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))


def _start_observer() -> None:
    """Load the observer from its folder, under a name of its own: stetho need not be installed here."""
    folder = os.path.dirname(_here)
    spec = importlib.util.spec_from_file_location(
        "_stetho_observer", os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["_stetho_observer"] = module
    spec.loader.exec_module(module)
    module.start(os.environ["STETHO_PLAN"])


def _hand_over() -> None:
    """Run the sitecustomize that this one hides, as if it had been found."""
    rest = [p for p in sys.path if os.path.abspath(p or ".") != _here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


if os.environ.get("STETHO_PLAN"):
    try:
        _start_observer()
    except Exception as error:  # noqa: BLE001 - the user's program must start whatever happens here
        try:
            with open(os.environ["STETHO_PLAN"] + ".error", "a", encoding="utf-8") as out:
                out.write(f"{type(error).__name__}: {error}\n")
        except OSError:
            pass
_hand_over()
