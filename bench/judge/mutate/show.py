"""Prints what a mutant changes, and where it would be pointed to.

python -m bench.judge.mutate.show ID
"""

from __future__ import annotations

import argparse
import difflib

from bench.judge.case import Wrong
from bench.judge.mutate import plan


def difference(mutant: plan.Mutant) -> str:
    """A unified diff of all that is text."""
    before = {file: source.text for file, source in mutant.program.sources.items()}
    pairs = [(file, before[file], text) for file, text in mutant.program.apply(mutant.mutation).items()]
    for one in mutant.mutation.rewrites:
        old, new = (mutant.program.folder / one.file).read_bytes(), one.make()
        try:
            pairs.append((one.file, old.decode(), new.decode()))
        except UnicodeDecodeError:
            pairs.append((one.file, f"{len(old)} bytes\n", f"{len(new)} bytes, not text\n"))
    said = []
    for file, old, new in pairs:
        lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), f"a/{file}", f"b/{file}", n=2)
        said += [line if line.endswith("\n") else line + "\n" for line in lines]
    return "".join(said)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("id")
    try:
        mutant = plan.find(parser.parse_args().id)
    except Wrong as error:
        parser.error(str(error))
    operator = mutant.operator
    print(f"{mutant.id}: {operator.story}")
    print(f"{operator.family}; as right: {', '.join(sorted(operator.accepted))}; effect: {operator.effect}")
    for place in mutant.places:
        told = (place.line, place.column, place.sample)
        print("at " + ":".join([place.file, *(str(one) for one in told if one is not None)]))
    print(difference(mutant), end="")


if __name__ == "__main__":
    main()
