"""Which of the files that a run read are such as it makes itself: what it made earlier and kept."""

from __future__ import annotations

import os

from stetho.facts import DataFile, DataFiles


def kept_results(files: DataFiles) -> list[DataFile]:
    """Files that were read from a folder into which the run, before its first step, wrote others of the same kind.

    What is written once training is under way are checkpoints and reports, and the newest of them may be read at a
    resume; they are not meant.
    """
    made = {_kind(one.file) for one in files.files if one.written and one.read is None and one.step == 0}
    return [one for one in files.files if one.read is not None and not one.written and _kind(one.file) in made]


def _kind(file: str) -> tuple[str, str]:
    return os.path.dirname(file), os.path.splitext(file)[1]
