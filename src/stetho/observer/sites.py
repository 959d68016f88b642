"""The user's own frames: file, line and function of the code that led to a call."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Iterable

if TYPE_CHECKING:
    from types import FrameType

    # File, line and function; the file is None where a frame is not the user's.
    Place = tuple[str | None, int, str]

_here = os.path.dirname(os.path.abspath(__file__))
_interventions = os.path.join(os.path.dirname(_here), "interventions")
# Not from sysconfig, which takes as long to load as all of this.
_standard = os.path.join(sys.base_exec_prefix, sys.platlibdir, "python{}.{}".format(*sys.version_info))
_folders = {os.path.dirname(os.__file__), _standard, _here, _interventions}
_library = tuple(os.path.abspath(folder) + os.sep for folder in _folders)
# Names by which a function gets at the dictionary of its local names.
LOOKING = frozenset(("locals", "vars", "dir", "eval", "exec"))
# References to that dictionary when only the frame and `scope` have one: its name there, and the call that counts.
HELD = 3
# The constants of code that is the observer's own under the name of a file of the user's; known by identity.
DISGUISE: tuple[object, ...] = (None, "the observer's")
try:
    _start = os.getcwd()
except OSError:
    # It has been removed; names that were relative to it can no longer be told from each other anyway.
    _start = os.sep
_known: dict[str, str | None] = {}
# The names among them that are not the user's.
_others: set[str] = set()


def user_file(name: str) -> str | None:
    """The absolute path of a file of the user's, or None for the library's and the observer's."""
    try:
        return _known[name]
    except KeyError:
        pass
    result = None
    if not name.startswith("<"):
        path = name if os.path.isabs(name) else os.path.join(_start, name)
        path = os.path.normpath(path)
        installed = f"{os.sep}site-packages{os.sep}" in path or f"{os.sep}dist-packages{os.sep}" in path
        if not installed and not path.startswith(_library):
            result = path
    elif name.startswith("<ipython") or name == "<stdin>":
        result = name
    _known[name] = result
    if result is None:
        _others.add(name)
    return result


def user_frames(limit: int = 5, depth: int = 2) -> list[FrameType]:
    """The innermost frames of the user's code, as frame objects."""
    found: list[FrameType] = []
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and len(found) < limit:
        if user_file(frame.f_code.co_filename) is not None and frame.f_code.co_consts is not DISGUISE:
            found.append(frame)
        frame = frame.f_back
    return found


def first_user_frame(depth: int) -> FrameType | None:
    """The innermost frame of the user's code."""
    frame: FrameType | None = sys._getframe(depth)
    known, others = _known, _others
    while frame is not None:
        code = frame.f_code
        name = code.co_filename
        if name not in others and (name in known or user_file(name) is not None) and code.co_consts is not DISGUISE:
            return frame
        frame = frame.f_back
    return None


def places(frames: Iterable[FrameType]) -> list[Place]:
    """Frames as (file, line, function)."""
    return [(user_file(f.f_code.co_filename), f.f_lineno, f.f_code.co_name) for f in frames]


def here(limit: int = 1, depth: int = 3) -> list[Place]:
    """Where the user's code is right now."""
    return places(user_frames(limit, depth))


def is_plain(value: object) -> bool:
    """Whether a setting can be written down as it is: a number, a short text, or a short list of such."""
    if value is None or isinstance(value, (bool, int, float)):
        return True
    if isinstance(value, str):
        return len(value) <= 200
    return isinstance(value, (list, tuple)) and len(value) <= 16 and all(is_plain(v) for v in value)


def scope(frame: FrameType) -> dict[str, object]:
    """A frame's local names, read so that the program cannot tell.

    Before 3.13 they come in a dictionary that the interpreter keeps, and with it the user's tensors, so it is emptied
    again; but it is also what `locals()` gives to the program and a debugger works on. There nothing is asked for.
    """
    code = frame.f_code
    if not code.co_flags & 0x1 or sys.version_info >= (3, 13):
        return dict(frame.f_locals)
    if LOOKING.intersection(code.co_names) or frame.f_trace is not None or sys.gettrace() is not None:
        return {}
    found = frame.f_locals
    names = dict(found)
    if sys.getrefcount(found) <= HELD:
        found.clear()
    return names
