"""The way without overlays: the command runs in a copy of the project, and writes elsewhere are refused or led away.

Small files are copied. Large ones, crowded folders, caches and the user's home are links to the originals, where the
kernel refuses writes outside the scratch; where it cannot, nothing is linked, and what is too large to copy is said.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from stetho.experiment import Job
from stetho.isolation.edits import edited
from stetho.isolation.likeness import Likeness, farm, mirror
from stetho.observer.confinement import version
from stetho.scratch import Scratch, Spec, Way, new_base, outside, project_directories

# Caches in which libraries write, such as locks, beside what they read: each has real folders of links.
CACHES = {"HF_HOME": "huggingface", "TORCH_HOME": "torch"}
# Caches that can as well begin empty.
EMPTY = ("TRITON_CACHE_DIR", "NUMBA_CACHE_DIR", "CUDA_CACHE_PATH", "MPLCONFIGDIR")
# They name programs and libraries, which stay where they are.
KEPT = frozenset(("PATH", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"))


def can_refuse() -> bool:
    """Whether the kernel can refuse writes outside the scratch, so that links to originals are safe."""
    return version() > 0


def copied(job: Job, way: Way, environment: Mapping[str, str], writes: tuple[str, ...]) -> tuple[Scratch, Spec]:
    """A scratch with a copy of the project, the edits made in it, and the command that runs there."""
    projects = project_directories(job.command, job.cwd)
    linking = can_refuse()
    base = new_base(outside(job.cwd, way, projects))
    likeness = Likeness(linking, base)
    pairs = [(str(base / f"copy{number}"), project) for number, project in enumerate(projects)]
    try:
        for copy, project in pairs:
            likeness.make(project, copy, pairs)
        for edit in job.edits:
            likeness.note(edited(edit, base, pairs))
        redirected = led_away(environment, base, linking)
    except BaseException:
        Scratch(base, way).discard()
        raise
    likeness.write()
    known = [*pairs, (moved(os.path.realpath(job.cwd), pairs), job.cwd)]
    spec = Spec(
        (job.command[0], *(moved(word, known) for word in job.command[1:])),
        moved(os.path.realpath(job.cwd), pairs),
        {**_moved_variables(environment, known), **redirected},
        str(base), False, way.processes, job.isolation.network, writes,
    )  # fmt: skip
    return Scratch(base, way, tuple(pairs), tuple(likeness.notes)), spec


def moved(text: str, pairs: Sequence[tuple[str, str]]) -> str:
    """A text in which paths of the originals have become those of the copies."""
    for copy, original in pairs:
        text = re.sub(re.escape(original) + r"(?![^/:;,=\"'\s])", lambda found, copy=copy: copy, text)  # type: ignore[misc]
    return text


def _moved_variables(environment: Mapping[str, str], pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Variables that name something of the project name it in the copy, if it is there."""

    def of_copy(part: str) -> str:
        new = moved(part, pairs)
        return new if os.path.lexists(new) else part

    return {
        name: value if name in KEPT else os.pathsep.join(map(of_copy, value.split(os.pathsep)))
        for name, value in environment.items()
    }


def led_away(environment: Mapping[str, str], base: Path, linking: bool) -> dict[str, str]:
    """Home, temporary files and caches in the scratch; what is there already is in sight, where it can be linked."""
    home, cache = base / "home", base / "home" / ".cache"
    (base / "temporary").mkdir()
    cache.mkdir(parents=True)
    own = Path(environment.get("HOME") or os.path.expanduser("~"))
    own_cache = Path(environment.get("XDG_CACHE_HOME") or own / ".cache")
    result = {"HOME": str(home), "TMPDIR": str(base / "temporary"), "XDG_CACHE_HOME": str(cache)}
    sources = {name: Path(environment.get(name) or own_cache / folder) for name, folder in CACHES.items()}
    if linking:
        for name, source in sources.items():
            mirror(source, cache / CACHES[name])
        farm(own, home, besides=(".cache", ".config"))
        farm(own / ".config", home / ".config")
        farm(own_cache, cache, besides=tuple(CACHES.values()))
    result.update({name: str(cache / folder) for name, folder in CACHES.items()})
    return {**result, **{name: str(cache / name.lower()) for name in EMPTY}}
