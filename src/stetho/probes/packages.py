import glob
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from stetho.facts import Package, PythonPackages
from stetho.fitting import Installed, misfits, normal, parse_metadata
from stetho.probe import Example, Piece, Seen, Target, Unknown, probe
from stetho.procfs import text_of
from stetho.relatives import command_of, cwd_of, environment_of, stat_of

TRACKED = (
    "torch", "torchvision", "torchaudio", "numpy", "transformers", "accelerate", "lightning", "pytorch-lightning",
    "deepspeed", "datasets", "peft", "trl", "flash-attn", "xformers", "triton", "bitsandbytes", "keras", "tensorflow",
    "jax", "jaxlib", "timm", "safetensors", "torchmetrics", "nvidia-cudnn-cu12", "nvidia-nccl-cu12",
    "stable-baselines3",
)  # fmt: skip
SITE = re.compile(r"(/[^\0\n]{0,1000}?/(?:site|dist)-packages)/")
METADATA = """Metadata-Version: 2.1
Name: torchvision
Version: 0.19.1+cu121
Requires-Python: >=3.8
Requires-Dist: numpy
Requires-Dist: torch (==2.4.1)
Requires-Dist: pillow !=8.3.*,>=5.3.0
Requires-Dist: scipy ; extra == 'scipy'

# torchvision

Version: of no interest
"""


@probe(
    gives=PythonPackages,
    reads="METADATA and WHEEL in the dist-info folders where the run's Python looks, /proc/PID/maps, pyvenv.cfg",
    needs="a running process, an environment in the folder (.venv, venv), or --python",
    limit=1.8,
    instead="python -m pip list | grep -iE 'torch|numpy|transformers|lightning|nvidia'; python -m pip check",
    examples={
        "a wheel for CUDA": Example(
            METADATA,
            parse_metadata,
            Installed(
                "torchvision",
                "0.19.1+cu121",
                ("numpy", "torch (==2.4.1)", "pillow !=8.3.*,>=5.3.0", "scipy ; extra == 'scipy'"),
            ),
        )
    },
)
def packages(target: Target) -> Iterator[Piece]:
    """Versions of torch and what goes with it in the run's Python, and those that do not fit together.

    ## What it reads
    The metadata of installed packages; nothing is imported. The environment is that of --python, else of the trainer,
    as its mapped libraries show it, else one that lies in the folder.

    ## What it leaves
    Packages that were copied in without metadata, and conditions that only pip can judge.
    """
    python, sites = environment(target)
    if not sites:
        alive = target.trainer is not None and stat_of(target.trainer) is not None
        why = "its process belongs to another user" if alive else "no process runs, no .venv in the folder, no --python"
        yield Unknown("the run's Python", why, packages.instead, "/proc/PID/maps, .venv/pyvenv.cfg")
        return
    found, twice = installed(sites)
    fitting = tuple(misfits({name: one for name, (one, _) in found.items()}))
    known = tuple(Package(name, one.version, site) for name, (one, site) in found.items())
    version = next((match[1] for site in sites if (match := re.search(r"/python(\d\.\d+)/", site + "/"))), "")
    fact = PythonPackages(python, known, fitting, version)
    told = ", ".join(f"{one.name} {one.version}" for one in known[:6]) or "no framework is installed"
    lines = tuple(f"does not fit: {one.why}" for one in fitting)
    lines += tuple(f"{name} has two sets of metadata: {', '.join(versions)}" for name, versions in twice.items())
    read = f"METADATA of {len(known)} packages in {', '.join(sites[:3])}"
    yield Seen(fact, f"{python}: {told}", read, lines)


def environment(target: Target) -> tuple[str, list[str]]:
    """The interpreter, and the folders with its packages in the order in which it looks."""
    if target.python is not None:
        return _told(target.python)
    pid = target.trainer
    if pid is not None and stat_of(pid) is not None:
        python = _interpreter(pid)
        mapped = list(dict.fromkeys(SITE.findall(text_of(f"/proc/{pid}/maps", 16 * 1024 * 1024) or "")))
        extra = [path for path in environment_of(pid).get("PYTHONPATH", "").split(":") if path]
        if mapped or python:
            return python, list(dict.fromkeys([*extra, *mapped, *(sites_of(Path(python)) if python else ())]))
    for name in (".venv", "venv", "env"):
        if (target.folder / name / "pyvenv.cfg").is_file():
            return _told(target.folder / name)
    return "", []


def _told(path: Path) -> tuple[str, list[str]]:
    python = path / "bin" / "python" if path.is_dir() else path
    return str(python), sites_of(python)


def _interpreter(pid: int) -> str:
    """The interpreter as it was called, which tells the environment; what it links to does not."""
    command, surroundings = command_of(pid), environment_of(pid)
    first = command[0] if command else ""
    if "/" in first:
        return os.path.normpath(os.path.join(cwd_of(pid), first))
    for folder in surroundings.get("PATH", "").split(":") if first else ():
        if os.access(f"{folder}/{first}", os.X_OK):
            return f"{folder}/{first}"
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def sites_of(python: Path) -> list[str]:
    """Where an interpreter looks for packages."""
    prefix = python.parent.parent
    pattern = "lib*/python3*/*-packages"
    found = sorted(glob.glob(str(prefix / pattern)))
    settings = text_of(str(prefix / "pyvenv.cfg"), 4096) or ""
    if re.search(r"include-system-site-packages\s*=\s*true", settings):
        home = re.search(r"^home\s*=\s*(.+)$", settings, re.MULTILINE)
        found += sorted(glob.glob(str(Path(home[1].strip()).parent / pattern))) if home else []
    return [path for path in found if os.path.isdir(path)]


def installed(sites: Sequence[str]) -> tuple[dict[str, tuple[Installed, str]], dict[str, list[str]]]:
    """The tracked packages, the first of each name, and those with several sets of metadata in one folder."""
    found: dict[str, tuple[Installed, str]] = {}
    twice: dict[str, list[str]] = {}
    for site in sites:
        here: dict[str, list[Installed]] = {}
        for name in _listed(site):
            base = normal(name.removesuffix(".dist-info").rpartition("-")[0]) if name.endswith(".dist-info") else ""
            if base in TRACKED and (one := parse_metadata(text_of(f"{site}/{name}/METADATA", 64 * 1024) or "")):
                tags = re.findall(r"^Tag:\s*(\S{1,120})", text_of(f"{site}/{name}/WHEEL", 4096) or "", re.MULTILINE)
                here.setdefault(base, []).append(replace(one, tags=tuple(tags)))
        for base, ones in here.items():
            found.setdefault(base, (ones[0], site))
            if len(ones) > 1:
                twice[base] = [one.version for one in ones]
    order = {name: place for place, name in enumerate(TRACKED)}
    return dict(sorted(found.items(), key=lambda item: order[item[0]])), twice


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
