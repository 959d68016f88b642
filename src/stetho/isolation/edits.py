"""Changing a file in a copy, never in the original: what leads to it by a link becomes real on the way down."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from stetho.errors import ScratchError
from stetho.experiment import Edit
from stetho.isolation.likeness import LEFT_OUT, farm
from stetho.isolation.room.table import inside


def edited(edit: Edit, base: Path, pairs: Sequence[tuple[str, str]]) -> str:
    """Make an edit in the copy and say where; the user's own file is never written, whatever links there are."""
    copy, original, names = _place(edit.file, pairs)
    try:
        folder = copy
        for name in names[:-1]:
            original = os.path.join(original, name)
            folder = _made_real(os.path.join(folder, name), original, str(base))
        file = os.path.join(folder, names[-1])
        if not inside(os.path.realpath(folder), str(base)):
            raise OSError("it lies outside the scratch")
        if edit.removed:
            os.unlink(file)
        else:
            _write(file, edit.after.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise ScratchError(f"{edit.file} cannot be changed for this run: {error.strerror or error}") from error
    return file


def _place(file: str, pairs: Sequence[tuple[str, str]]) -> tuple[str, str, list[str]]:
    """The copy that holds a file, its original, and the names on the way down; a link of the project's may lead out."""
    for path in (os.path.realpath(file), os.path.abspath(file)):
        for copy, original in pairs:
            if inside(path, original) and path != original:
                return copy, original, os.path.relpath(path, original).split(os.sep)
    raise ScratchError(
        f"{file} cannot be changed for this run: it lies outside what is copied ({', '.join(o for _, o in pairs)}); "
        "start the command in a folder that holds it"
    )


def _made_real(folder: str, original: str, base: str) -> str:
    """A folder on the way to an edit, as one of the scratch: a link to an original becomes a folder of links."""
    real = os.path.realpath(folder)
    if os.path.islink(folder) and not inside(real, base):
        os.unlink(folder)
        farm(Path(real), Path(folder), besides=tuple(LEFT_OUT))
        return folder
    if not os.path.lexists(folder) and os.path.isdir(original):
        raise OSError(f"{original} is not copied on this machine")
    os.makedirs(real, exist_ok=True)
    return real


def _write(file: str, changed: bytes) -> None:
    """A new file in the place of the old one, which may be a link or only be read; its mode is kept."""
    mode = stat.S_IMODE(os.stat(file).st_mode) if os.path.isfile(file) else None
    if os.path.lexists(file):
        os.unlink(file)
    with open(file, "xb") as handle:
        handle.write(changed)
    if mode is not None:
        os.chmod(file, mode)
