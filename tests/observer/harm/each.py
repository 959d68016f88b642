"""Runs programs one after the other, each in a process forked after the imports, with a fault put into the observer."""

import atexit
import gc
import json
import os
import random
import runpy
import sys
from importlib import import_module
from pathlib import Path

import numpy
import torch
import torch._dynamo  # noqa: F401 - the first step of an optimizer would load it

HERE = Path(__file__).parent


def begin(job: dict, folder: Path) -> None:
    """In the child: a directory of its own, files for what it prints, and a recording of its own."""
    work = folder / "work"
    work.mkdir(parents=True)
    recording = Path(job.get("recording") or folder / "recording")
    recording.mkdir(exist_ok=True)
    os.chdir(work)
    for number, stream in ((1, "out"), (2, "err")):
        descriptor = os.open(folder / stream, os.O_WRONLY | os.O_CREAT)
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.argv = [job["program"], *job.get("args", ())]
    if "_stetho_observer" in sys.modules:
        import_module("_stetho_observer.guard").journal.directory = str(recording)
    # A forked process gets another state.
    random.seed(1)
    numpy.random.seed(1)
    if "_stetho_observer" in sys.modules and job.get("sabotage"):
        kind, *given = job["sabotage"]
        getattr(import_module("sabotage"), kind)(*given)


def main() -> None:
    target, jobs = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
    sys.path.insert(0, str(HERE))
    gc.collect()
    gc.freeze()
    for job in jobs:
        folder = target / job["name"]
        child = os.fork()
        if child == 0:
            begin(job, folder)
            given = {"recording": os.path.join(folder, "recording")}
            runpy.run_path(str(HERE / f"{job['program']}.py"), given, run_name="__main__")
            if job.get("short"):
                # All of an end that a program can notice; to take torch apart costs more than the program did.
                atexit._run_exitfuncs()
                sys.stdout.flush()
                os._exit(0)
            return
        _, status = os.waitpid(child, 0)
        (folder / "code").write_text(str(os.waitstatus_to_exitcode(status)))
        (folder / "pid").write_text(str(child))


main()
