"""Lays a case or a mutant out as whoever is judged gets it: without the answer, with its data.

python -m bench.judge.lay NAME DEST [--fixed] [--seed N]
"""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from bench.judge import case
from bench.judge.mutate import plan


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    if chosen.folder.exists():
        parser.error(f"{chosen.folder} is there already")
    try:
        one = case.load(chosen.name.partition("~")[0])
        if "~" in chosen.name and not chosen.fixed:
            plan.lay(plan.find(chosen.name), chosen.folder, chosen.seed)
        else:
            # A mutant without its fault is its base.
            case.lay(one, chosen.folder, fixed=chosen.fixed and not one.healthy, seed=chosen.seed)
    except case.Wrong as error:
        parser.error(str(error))
    print(f"cd {shlex.quote(str(chosen.folder))} && {shlex.join(case.command_of(one, fixed=chosen.fixed))}")


if __name__ == "__main__":
    main()
