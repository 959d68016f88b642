"""Runs other programs one after the other, each in a process that is forked after torch was imported."""

import multiprocessing
import runpy
import sys
from pathlib import Path

import torch

if __name__ == "__main__":
    torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1).step()  # loads what every first step loads
    for name in sys.argv[1:]:
        program = str(Path(__file__).with_name(f"{name}.py"))
        process = multiprocessing.get_context("fork").Process(target=runpy.run_path, args=(program,))
        process.start()
        print("program", name, process.pid, flush=True)
        process.join()
        if process.exitcode:
            sys.exit(f"{name} failed")
