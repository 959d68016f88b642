"""Make a room for a command and run it there: `python -I -S isolate.py SPEC.json`.

A program of its own, standard library only, so that it starts fast and in any environment. It waits for the command,
ends all that the command has started, and ends as the command ended.
"""

from __future__ import annotations

import importlib
import os
import sys

if __name__ == "__main__":
    # Not as a part of stetho, whose import would take longer than the work itself.
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    importlib.import_module("room.enter").main(sys.argv[1])
