"""The command line: finds the verb, loads it and nothing else, prints errors once."""

import os
import sys

# The verbs, in the order the help shows them; each is `command` in the module of its name under `commands/`.
VERBS = ("why", "run", "probe", "try", "fix", "repro", "explain", "cases", "lint", "demo")


def main() -> None:
    """Entry point of `stetho`. Plain help is printed from a file: loading click would cost more than Python itself."""
    arguments = sys.argv[1:]
    if arguments in ([], ["--help"], ["-h"]) and "_STETHO_COMPLETE" not in os.environ:
        folder = os.path.dirname(__file__)
        with open(os.path.join(folder, "help.txt"), encoding="utf-8") as file:
            sys.stdout.write(file.read())
        return
    try:
        from stetho.shell import run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("stetho: interrupted\n")
        sys.exit(130)
