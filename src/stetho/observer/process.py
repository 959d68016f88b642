"""Which process this is: its command, its rank among those that train together, and its end at a bound."""

from __future__ import annotations

import functools
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import torch

from . import sites
from .guard import anywhere

if TYPE_CHECKING:
    from .patches import Patches
    from .watch import Watch


# Files that are remembered as opened.
OPENED = 2000


class Process:
    """Writes the record of the run: when the observer attaches, in a forked process that trains, and per rank."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.rank = int(os.environ.get("RANK", "0") or 0)
        self.world = int(os.environ.get("WORLD_SIZE", "1") or 1)
        self.told: int | None = None
        self.imported = 0
        self.opened: dict[str, None] = {}
        if watch.seeded:
            sys.addaudithook(self.heard)

    def install(self, patches: Patches) -> None:
        """Learn the rank where it is given to torch: processes that a program starts itself have no variables."""
        self.write()
        if not torch.distributed.is_available():
            return
        original = torch.distributed.init_process_group
        mine = self

        @functools.wraps(original)
        def init_process_group(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            mine.joined()
            return result

        patches.replace(torch.distributed, "init_process_group", init_process_group)

    @anywhere
    def joined(self) -> None:
        """The process has met the others."""
        self.rank, self.world = torch.distributed.get_rank(), torch.distributed.get_world_size()
        self.watch.ranks = self.world > 1
        self.write()

    def training(self) -> None:
        """An optimizer was made here: a process that was forked from the one on record needs a record of its own."""
        if self.told != os.getpid():
            self.write()

    def write(self) -> None:
        self.told = os.getpid()
        self.watch.journal.write(
            "run",
            argv=list(sys.argv),
            cwd=directory(),
            python=sys.version.split()[0],
            torch=str(torch.__version__),
            threads=torch.get_num_threads(),
            rank=self.rank,
            world=self.world,
        )

    def heard(self, event: str, args: Any) -> None:
        """Python is about to do something; only what is opened for reading is of interest."""
        if event == "open" and len(self.opened) < OPENED and type(args[0]) is str and args[1] in ("r", "rb", None):
            path = args[0]
            path = path if os.path.isabs(path) else os.path.join(directory() or "/", path)
            if not path.startswith(("/proc/", "/sys/", "/dev/")) and not path.endswith(".pyc"):
                self.opened[path] = None

    def sources(self) -> None:
        """Which files of the user's were imported or opened so far: a run is the same again only while these are."""
        names = {getattr(module, "__file__", None) for module in list(sys.modules.values())} | set(self.opened)
        known = {file for name in names if isinstance(name, str) and (file := sites.user_file(name))}
        # What is installed changes with its folder.
        files = sorted(known | {path for path in sys.path if path.endswith(("site-packages", "dist-packages"))})
        if len(files) > self.imported:
            self.imported = len(files)
            self.watch.journal.write("sources", files=files)

    def finish(self, reason: str) -> NoReturn:
        """End the process here: the bound of an experiment is exact, and no `except` of the program's can undo it."""
        self.watch.run.report()
        if self.watch.seeded:
            self.sources()
        self.watch.journal.flush()
        self.watch.journal.write("end", reason=reason)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:  # noqa: BLE001 - a closed or broken stream must not keep the run alive
                continue
        os._exit(0)


def directory() -> str | None:
    """The working directory, unless it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return None
