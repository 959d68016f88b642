"""Runs a small program for real and keeps what it printed, as if it had run in somebody's home."""

import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HOME = "/home/mira/proj"


@contextmanager
def workshop() -> Iterator[Path]:
    """A folder that exists only while the program runs."""
    folder = Path(tempfile.mkdtemp(prefix="workshop-")).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def neutral(text: str, folder: Path) -> str:
    """The same text without this machine: folder, interpreter and host are replaced."""
    library = sysconfig.get_paths()["stdlib"]
    for here, there in (
        (str(folder), HOME),
        (sys.prefix, "/home/mira/venv"),
        (library, "/usr/lib/python3.11"),
        (sys.base_prefix, "/usr"),
        (os.path.expanduser("~") + "/", "/home/mira/"),
    ):
        if here:
            text = text.replace(here, there)
    text = re.sub(rf"(?<![\w/-]){re.escape(socket.gethostname())}(?![\w/-])", "node-07", text)
    return re.sub(r"/tmp/(torchelastic|workshop|tmp)[-_\w./]*", lambda m: "/tmp/" + m[1], text)


def environment(**more: str) -> dict[str, str]:
    kept = {key: os.environ[key] for key in ("LANG", "LC_ALL", "LD_LIBRARY_PATH") if key in os.environ}
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "USER": "mira",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "PYTHONUNBUFFERED": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
        "PYTHONUTF8": "1",
        "CUDA_VISIBLE_DEVICES": "",
        "COLUMNS": "120",
        "TERM": "xterm-256color",
        **kept,
        **more,
    }


def program(folder: Path, source: str, name: str = "train.py", **files: str) -> str:
    """Writes the program and the files beside it; returns its source, for finding line numbers."""
    source = textwrap.dedent(source).lstrip("\n")
    (folder / name).write_text(source)
    for other, text in files.items():
        (folder / other.replace("__", ".")).write_text(textwrap.dedent(text).lstrip("\n"))
    return source


def execute(folder: Path, *command: str, timeout: float = 300, env: dict | None = None) -> tuple[str, int]:
    """Both streams in one text, and the exit code."""
    done = subprocess.run(
        command or (sys.executable, "train.py"),
        cwd=folder,
        env=environment(**{"HOME": str(folder), **(env or {})}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=timeout,
    )
    return neutral(done.stdout.decode("utf-8", "replace"), folder), done.returncode


def line_of(source: str, part: str, nth: int = 1) -> int:
    """The number of the nth line that holds this text."""
    hits = [number for number, line in enumerate(source.splitlines(), 1) if part in line]
    return hits[nth - 1]
