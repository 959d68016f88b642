"""Runs other programs one after the other, each in a process that is forked after torch was imported."""

import multiprocessing
import os
import runpy
import sys
from pathlib import Path

import torch
import torch._dynamo  # every first step of an optimizer loads it

if __name__ == "__main__":
    torch.zeros(1)
    folder = Path(os.environ["TRUTH"])
    for path in map(Path, sys.argv[1:]):
        os.environ["TRUTH"] = str(folder / f"{path.stem}.json")
        process = multiprocessing.get_context("fork").Process(
            target=runpy.run_path, args=(str(path),), kwargs={"run_name": "__main__"}
        )
        process.start()
        print("program", path.stem, process.pid, flush=True)
        process.join()
        if process.exitcode:
            sys.exit(f"{path.stem} failed")
