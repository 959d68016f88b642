"""The training runs in a spawned process, which begins with an interpreter of its own."""

import multiprocessing
import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    loop = str(Path(__file__).with_name("loop.py"))
    process = multiprocessing.get_context("spawn").Process(target=runpy.run_path, args=(loop,))
    process.start()
    process.join()
    sys.exit(process.exitcode)
