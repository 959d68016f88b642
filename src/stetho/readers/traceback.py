import re
from collections.abc import Iterator
from dataclasses import replace

from stetho.artifact import Artifact
from stetho.evidence import Place
from stetho.facts import Crash
from stetho.reader import Example, Reading, reader

BEGIN = "Traceback (most recent call last):"
FRAME = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>.+))?$')
ENDING = re.compile(r"^(?P<name>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$")
LIBRARY = re.compile(r"[/\\](site-packages|dist-packages)[/\\]|[/\\]lib[/\\]python3|^<|stetho[/\\]observer[/\\]")
LONGEST = 4000

PLAIN = """epoch 1 loss 0.7
Traceback (most recent call last):
  File "/home/me/train.py", line 8, in <module>
    main()
  File "/home/me/train.py", line 5, in main
    return config["lr"]
KeyError: 'lr'
"""
SYNTAX = """  File "/home/me/train.py", line 3
    def f(:
          ^
SyntaxError: invalid syntax
"""
CAUGHT = PLAIN + "recovered, going on\nepoch 2 loss 0.6\nepoch 3 loss 0.5\ndone\n"


@reader(
    gives=(Crash,),
    recognises=lambda artifact: 0.1 if artifact.is_text else 0.0,
    examples={
        "an exception": Example(PLAIN, facts=(Crash("KeyError", "'lr'", Place("/home/me/train.py", 5), log_line=7),)),
        "a syntax error": Example(
            SYNTAX,
            facts=(Crash("SyntaxError", "invalid syntax", Place("/home/me/train.py", 3), log_line=4),),
        ),
        "one that was caught": Example(
            CAUGHT,
            facts=(Crash("KeyError", "'lr'", Place("/home/me/train.py", 5), log_line=7, lines_after=4),),
        ),
        "no traceback": Example("epoch 1 loss 0.7\nKeyError: is mentioned\n"),
    },
)
def traceback(artifact: Artifact) -> Iterator[Reading]:
    """The exception that ended a Python program, with the user's own line.

    ## What it reads
    Text output of any shape; the last traceback counts, chained ones included. The user's frame is the
    innermost one outside the standard library and installed packages.

    ## What it leaves
    Whether it was the end: the lines after it are counted, and whoever knows how the program ended decides.
    """
    frames: list[Place] = []
    found: Reading | None = None
    inside, after = False, 0
    for number, raw in enumerate(artifact.lines(), 1):
        line = raw[:LONGEST].rstrip("\r\n")
        if line.startswith(BEGIN):
            frames, inside = [], True
            continue
        frame = FRAME.match(line)
        if frame:
            frames.append(Place(frame["file"], int(frame["line"])))
            inside = True
        elif inside and line and not line[0].isspace():
            ending = ENDING.match(line)
            if ending:
                found, after = _reading(ending, frames, number), 0
            inside = False
        elif not inside and line.strip() and not line[0].isspace():
            after += 1
    if found is not None and isinstance(found.fact, Crash):
        yield replace(found, fact=replace(found.fact, lines_after=after))


def _reading(ending: re.Match[str], frames: list[Place], number: int) -> Reading:
    own = [f for f in frames if not LIBRARY.search(f.file)]
    where = own[-1] if own else frames[-1] if frames else None
    name, message = ending["name"].rsplit(".", 1)[-1], ending["message"] or ""
    crash = Crash(name, message, where, tuple(own[-5:]), number)
    return Reading(crash, f"{name}: {message} ({where})", number)
