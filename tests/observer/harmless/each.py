"""Runs programs one after the other, each in a process that is forked after the imports and ends as any other does."""

import os
import random
import runpy
import sys
import traceback
from importlib import import_module
from pathlib import Path

import numpy
import torch

HERE = Path(__file__).parent


def begin(name: str, folder: Path) -> None:
    """In the child: a directory of its own, and files for what it prints."""
    folder.mkdir(parents=True)
    (folder.parent / f"{folder.name}.pid").write_text(str(os.getpid()))
    work = folder / "work"
    work.mkdir()
    os.chdir(work)
    for number, stream in ((1, "out"), (2, "err")):
        descriptor = os.open(folder / stream, os.O_WRONLY | os.O_CREAT)
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.argv = [f"{name}.py"]
    # A forked process gets another state.
    random.seed(1)
    numpy.random.seed(1)


def main() -> None:
    target, times, *names = sys.argv[1:]
    sys.path.insert(0, str(HERE))
    torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1).step()  # loads what every first step loads
    for name in names:
        if name.startswith("import:"):
            import_module(name[7:])
            continue
        for time in range(int(times)):
            child = os.fork()
            if child == 0:
                begin(name, Path(target) / f"{name}-{time}")
                try:
                    runpy.run_path(str(HERE / f"{name}.py"), run_name="__main__")
                except Exception:  # noqa: BLE001 - it is told below
                    # The observer adds frames of torch's to a trace, so it is not compared.
                    traceback.print_exc()
                    sys.exit(1)
                return
            _, status = os.waitpid(child, 0)
            (Path(target) / f"{name}-{time}" / "code").write_text(str(os.waitstatus_to_exitcode(status)))


main()
