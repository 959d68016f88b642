"""Runs other programs one after the other, each in a process that is forked after torch was imported."""

import multiprocessing
import os
import runpy
import sys
from pathlib import Path

import torch._dynamo  # every first step of an optimizer loads it

FOLDER = Path(os.environ["TRUTH"])


def each(first, *others):
    """Not a loop, which would be one around the steps of every program."""
    os.environ["TRUTH"] = str(FOLDER / f"{Path(first).stem}.json")
    process = multiprocessing.get_context("fork").Process(
        target=runpy.run_path, args=(first,), kwargs={"run_name": "__main__"}
    )
    process.start()
    print("program", Path(first).stem, process.pid, flush=True)
    process.join()
    if process.exitcode:
        sys.exit(f"{first} failed")
    if others:
        each(*others)


if __name__ == "__main__":
    torch.zeros(1)
    each(*sys.argv[1:])
