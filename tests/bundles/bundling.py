"""What tests of bundles share: making one, judging one, and packing one by hand."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from stetho import catalogue, post_mortem
from stetho.bundles import archive, writing
from stetho.case import Request
from stetho.several import SeveralRuns

REQUEST = Request((), "/", 0, 60.0, None, False, 0.0)
LOG = "".join(f"step {at} loss {2.0 - at / 100:.4f} lr 0.001\n" for at in range(100))
CRASH = """Traceback (most recent call last):
  File "/home/mira/project/train.py", line 8, in <module>
    main()
KeyError: 'lr'
"""


def judged(target: Path) -> SeveralRuns:
    with tempfile.TemporaryDirectory() as folder:
        return post_mortem.judge(Path(folder) / "cases", REQUEST, str(target))


def plainly(found: SeveralRuns) -> str:
    """Everything that is said of a target but where it lies and what it took: two that agree in this agree in all."""
    runs = [(one.run, replace(one.verdict, target={}, case="", cost=None), one.settings) for one in found.runs]
    return repr((runs, found.shared))


def bundle(folder: Path, output: Path, **options: Any) -> writing.Made:
    return writing.write(folder, output, catalogue.load(), **options)


def a_run(folder: Path, text: str = LOG + CRASH) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "train.log").write_text(text)
    return folder


def contents(path: Path) -> dict[str, bytes]:
    return dict(archive.members(path))


def manifest(path: Path) -> dict[str, Any]:
    return json.loads(contents(path)["manifest.json"])


def packed(path: Path, members: Mapping[str, bytes] | list[tuple[tarfile.TarInfo, bytes]], listed: bool = True) -> Path:
    """An archive by hand, with checksums that are right, unless nothing is to be put right."""
    if isinstance(members, Mapping):
        kept = dict(members)
        if listed:
            said = json.loads(kept["manifest.json"])
            for one in said["members"]:
                one["sha256"] = hashlib.sha256(kept.get(one["name"], b"")).hexdigest()
            kept["manifest.json"] = json.dumps(said).encode()
        members = [(tarfile.TarInfo(name), data) for name, data in kept.items()]
    with gzip.open(path, "wb") as handle, tarfile.open(fileobj=handle, mode="w", format=tarfile.GNU_FORMAT) as made:
        for info, data in members:
            info.size = len(data)
            made.addfile(info, io.BytesIO(data))
    return path
