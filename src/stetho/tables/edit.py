"""An edit of a file of data, with the columns and rows that it changes."""

from __future__ import annotations

import os
from collections.abc import Sequence

from stetho import edited
from stetho.evidence import Place
from stetho.experiment import Edit

# An edit is kept with the case, before and after.
LARGEST = 24 * 1024**2


def data_edit(path: str, changed: bytes, why: str, where: Sequence[Place]) -> Edit | None:
    """The edit that makes a file hold these bytes; None for one too large to keep, or that changes nothing."""
    before = edited.content(path)
    if before == changed or max(len(before), len(changed)) > LARGEST:
        return None
    old, new = (content.decode("utf-8", "surrogateescape") for content in (before, changed))
    return Edit(os.path.realpath(path), old, new, 1, why, tuple(where))


def removal(path: str, why: str, where: Sequence[Place]) -> Edit | None:
    """The edit that takes a file away, so that the program makes it anew."""
    content = edited.content(path)
    if len(content) > LARGEST:
        return None
    return Edit(
        os.path.realpath(path), content.decode("utf-8", "surrogateescape"), "", 1, why, tuple(where), removed=True
    )
