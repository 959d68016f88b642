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
        self.opened: dict[str, int] = {}
        self.made: dict[str, int] = {}
        self.handed = (0, 0)
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
        """Python is about to do something; only which files are opened, and before which step, is of interest."""
        if event == "open" and type(args[0]) is str:
            # What the system is asked for itself comes without a mode; it reads, most of the time.
            known = self.opened if args[1] in ("r", "rb", None) else self.made
            if len(known) < OPENED:
                path = args[0]
                path = path if os.path.isabs(path) else os.path.join(directory() or "/", path)
                apart = ("/proc/", "/sys/", "/dev/", str(self.watch.plan.get("recording") or "/proc/"))
                if not path.startswith(apart) and not path.endswith(".pyc"):
                    known.setdefault(path, getattr(self.watch, "step", 0))

    def sources(self) -> None:
        """Which files of the user's were imported or opened so far: a run is the same again only while these are."""
        names = {getattr(module, "__file__", None) for module in list(sys.modules.values())} | set(self.opened)
        known = {file for name in names if isinstance(name, str) and (file := sites.user_file(name))}
        # What is installed changes with its folder.
        files = sorted(known | {path for path in sys.path if path.endswith(("site-packages", "dist-packages"))})
        if len(files) > self.imported:
            self.imported = len(files)
            self.watch.journal.write("sources", files=files)
        self.data()

    def data(self) -> None:
        """Which files of the user's, code aside, were opened since it was last told, to be read and to be written."""
        sizes = (len(self.opened), len(self.made))
        if sizes != self.handed:
            before, self.handed = self.handed, sizes
            read, written = of_user(self.opened, before[0]), of_user(self.made, before[1])
            if read or written:
                self.watch.journal.write("opened", read=read, written=written)

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


def of_user(opened: dict[str, int], first: int) -> list[list[Any]]:
    """The user's own files among those that were opened, code aside, each with its step; those before were told."""
    named = [(sites.user_file(name), step) for name, step in list(opened.items())[first:]]
    return [[file, step] for file, step in named if file is not None and is_data(file)]


def is_data(path: str) -> bool:
    """Whether a file may hold data: neither code nor what the interpreter keeps for itself."""
    return not path.endswith((".py", ".pyc", ".so")) and not os.path.isdir(path)


def directory() -> str | None:
    """The working directory, unless it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return None
