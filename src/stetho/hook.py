"""A one-line `.pth` file that lets the observer into a Python which PYTHONPATH does not reach.

Without it the observer is found through PYTHONPATH, which `python -E` and `-I` ignore and some scripts replace. The
hook lies in the interpreter's site-packages, does nothing unless STETHO_PLAN is set, and then runs the observer that
the plan names. So one hook serves every installation of stetho, also one that comes later, and goes stale with none.
Whoever can set that variable for a Python with the hook can run code in it, as PYTHONPATH lets them without; that is
why it is never installed unasked.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from stetho.errors import BadRequest, StethoError

NAME = "stetho-observer.pth"
OLDEST = (3, 9)
ENTRY = """
import json
try:
    with open(os.environ['STETHO_PLAN'], encoding='utf-8') as file:
        entry = os.path.join(json.load(file)['observer'], 'entry.py')
    with open(entry, encoding='utf-8') as file:
        code = compile(file.read(), entry, 'exec')
    exec(code, {'__file__': entry, '__name__': '_stetho_entry', 'by': 'hook'})
except Exception:
    pass
"""
# Python executes lines of a .pth file that begin with "import"; this one is a look into a dictionary for most.
LINE = f"import os; exec({ENTRY!r}, {{'os': os}}) if os.environ.get('STETHO_PLAN') else None\n"
# Asked of the interpreter itself. The working directory comes off the path first: it may hold a json.py.
LAYOUT = """
import sys
sys.path[:1] = []
import json, os, site, sysconfig
own = os.path.join(sys.prefix, "")
every = [sysconfig.get_path("purelib"), *getattr(site, "getsitepackages", list)()]
folders = [f for f in every if sys.prefix == sys.base_prefix or f.startswith(own)]
user = site.getusersitepackages() if getattr(site, "ENABLE_USER_SITE", False) else None
print("\\n" + json.dumps({"folders": folders, "user": user, "version": sys.version_info[:2]}))
"""


@dataclass(frozen=True)
class Layout:
    """Where an interpreter looks for `.pth` files: for everybody, and for this user alone."""

    folders: tuple[Path, ...]
    user: Path | None

    @property
    def all(self) -> tuple[Path, ...]:
        return (*self.folders, self.user) if self.user else self.folders


def install(python: str) -> Path:
    """Write the hook for this interpreter: into its site-packages, or this user's where those cannot be written."""
    layout = layout_of(python)
    refused = []
    for folder in dict.fromkeys((*layout.folders[:1], *(f for f in layout.all if f.is_dir() or f == layout.user))):
        try:
            return _written(folder / NAME)
        except OSError as error:
            refused.append(f"{folder} ({error.strerror or error})")
    raise StethoError(f"the hook for '{python}' cannot be written to {' or '.join(refused)}; try a virtual environment")


def remove(python: str) -> Path | None:
    """Take the hook away again, from wherever this interpreter reads it; None when there was none."""
    found = _hooks(python)
    for file in found:
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise StethoError(f"the hook {file} cannot be removed: {error.strerror or error}") from error
    return found[0] if found else None


def installed(python: str) -> Path | None:
    """The hook that this interpreter reads, if there is one."""
    return next(iter(_hooks(python)), None)


def reach(python: str) -> str:
    """What an installed hook makes observable, in words: a user's own site-packages are closed to `python -I`."""
    file = installed(python)
    if file is None:
        return f"'{python}' has no hook"
    isolated = file.parent in layout_of(python).folders
    return "also under python -E and -I" if isolated else "also under python -E, but not under -I or -s"


def layout_of(python: str) -> Layout:
    """Ask the interpreter itself: virtual environments, distributions and builds all keep their own order."""
    program = shutil.which(python)
    if program is None:
        raise BadRequest(f"cannot run '{python}': it was not found, or is not executable; give a Python interpreter")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "STETHO"))}
    try:
        done = subprocess.run(
            [program, "-c", LAYOUT], capture_output=True, text=True, timeout=60, check=True, env=environment
        )
        told = json.loads(done.stdout.splitlines()[-1])
        version, folders, user = tuple(told["version"]), told["folders"], told["user"]
    except (OSError, subprocess.SubprocessError, ValueError, LookupError, TypeError) as error:
        raise BadRequest(f"'{python}' does not answer as a Python interpreter does") from error
    if version < OLDEST:
        raise BadRequest(f"'{python}' is Python {version[0]}.{version[1]}; the observer needs 3.9 or later")
    return Layout(tuple(dict.fromkeys(map(Path, folders))), Path(user) if user else None)


def _hooks(python: str) -> list[Path]:
    return [folder / NAME for folder in layout_of(python).all if (folder / NAME).is_file()]


def _written(file: Path) -> Path:
    """Put the file there in one piece: an interpreter that starts meanwhile must not read half a line."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f"{NAME}.{os.getpid()}")
    try:
        unfinished.write_text(LINE, encoding="ascii")
        unfinished.replace(file)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    return file
