from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.evidence import Place
from stetho.facts import (
    Config,
    Crash,
    LoggedNonfinite,
    LoggedWarnings,
    Progress,
    RankCalls,
    RareLines,
    Restarts,
    RunEnd,
    Statement,
    Statements,
    ThreadFailure,
    TimeGap,
    Tracebacks,
    Whereabouts,
)
from stetho.packed import cut_off
from stetho.reader import Example, Flaw, Piece, reader

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
FATAL = """Fatal Python error: Segmentation fault

Current thread 0x00007f922aa4ab80 (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "/home/me/train.py", line 7 in <module>

Extension modules: numpy._core._multiarray_umath, torch._C (total: 2)
"""
IN_A_THREAD = "Exception in thread Thread-4 (feed):\n" + PLAIN.split("\n", 1)[1]
CAUGHT = PLAIN + "recovered, going on\nepoch 2 loss 0.6\nepoch 3 loss 0.5\ndone\n"
BARS = (
    "  0%|          | 0/100 [00:00<?, ?it/s]\r"
    " 50%|█████     | 50/100 [00:05<00:05, 10.00it/s, loss=0.512]\r"
    "100%|██████████| 100/100 [00:10<00:00, 10.10it/s, loss=0.431]\n"
)
NAMES_ABOVE = """epoch     train_loss  valid_loss  error_rate  time
0         0.742311    0.651123    0.213400    00:12
1         0.642311    nan         0.203400    00:12
"""
TABLE = """---------------------------------
| rollout/           |          |
|    ep_rew_mean     | 21.3     |
| time/              |          |
|    total_timesteps | 2048     |
---------------------------------
"""


@reader(
    gives=(
        Crash, RunEnd, Statements, Tracebacks, Progress, LoggedWarnings, LoggedNonfinite, TimeGap, Restarts, RareLines,
        RankCalls, Whereabouts, Config, ThreadFailure,
    ),
    # Any text will do, so whoever knows the format better comes first.
    recognises=lambda artifact: 0.1 if artifact.is_text else 0.0,
    examples={
        "an exception": Example(
            PLAIN,
            series={"loss": [0.7]},
            facts=(
                Progress(epoch=1.0),
                Statements(),
                Crash("KeyError", "'lr'", Place("/home/me/train.py", 5), log_line=7),
            ),
        ),
        "a syntax error": Example(
            SYNTAX,
            facts=(Statements(), Crash("SyntaxError", "invalid syntax", Place("/home/me/train.py", 3), log_line=4)),
        ),
        "a fault in native code": Example(
            FATAL,
            facts=(
                Statements((Statement("segfault", FATAL.split("\n")[0], 1),)),
                Crash("Fatal Python error", "Segmentation fault", Place("/home/me/train.py", 7), log_line=1),
            ),
        ),
        "an exception that ended a thread": Example(
            IN_A_THREAD,
            facts=(
                ThreadFailure("Thread-4 (feed)", "KeyError", "'lr'", Place("/home/me/train.py", 5), True, 7),
                Statements(),
                RareLines(),
            ),
        ),
        "one that was caught": Example(
            CAUGHT,
            series={"loss": [0.7, 0.6, 0.5]},
            facts=(
                Progress(epoch=3.0),
                Statements(),
                RunEnd(code=0),
                Crash("KeyError", "'lr'", Place("/home/me/train.py", 5), log_line=7, lines_after=4),
            ),
        ),
        "nothing but a line that mentions an error": Example(
            "epoch 1 loss 0.7\nKeyError: is mentioned\n",
            series={"loss": [0.7]},
            facts=(Progress(epoch=1.0), Statements(), RareLines()),
        ),
        "a progress bar": Example(
            BARS,
            series={"it/s": [10.0, 10.1], "loss": [0.512, 0.431]},
            facts=(Progress(step=100, total=100, line=1), Statements()),
        ),
        "a table with its names above": Example(
            NAMES_ABOVE,
            series={
                "train_loss": [0.742311, 0.642311],
                "valid_loss": [0.651123, float("nan")],
                "error_rate": [0.2134, 0.2034],
            },
            facts=(
                Progress(epoch=1.0),
                LoggedNonfinite("valid_loss", 3, epoch=1.0, count=1, last_finite=0.651123),
                Statements(),
            ),
        ),
        "a table": Example(
            TABLE, series={"rollout/ep_rew_mean": [21.3]}, facts=(Progress(step=2048, line=5), Statements())
        ),
    },
)  # fmt: skip
def text_log(artifact: Artifact) -> Iterator[Piece]:
    """A text log of any shape: its numbers as series, its exceptions, and what it says in words that are known.

    ## What it reads
    Lines of any framework, with progress bars, colours and several ranks at once. A number with a name is a point of
    a series, at its line, with the step, the epoch and the time that the line has or that a line above it has. Phrases
    that matter (see the phrases), exceptions with the user's own line, warnings, silences, new starts, and how far it
    came. Settings that are printed at its beginning. Lines of numbers below a line of names are a table; of a line that
    speaks of training and of validation, the numbers of the latter are `val/…`. The user's frame is the innermost one
    outside the standard library and installed packages.

    ## What it leaves
    Numbers without a name, settings further down, numbers with a decimal comma, and counts, sizes, versions and
    addresses. Of a series of more than 65,536 points an even share is kept, with the first, the last, and the extremes
    of losses and gradients in each stretch, as far as their values are written alike or are among the first 131,072.
    Whether an exception was the end: the lines after it are counted, and whoever knows how the program ended decides.
    """
    from stetho import catalogue
    from stetho.text import assembly, log, printed, telling, whereabouts

    if artifact.folder or not artifact.size:
        return
    try:
        with artifact.opened() as handle:
            read = log.read(handle, tuple(catalogue.load().phrases.values()))
            cut = cut_off(handle)
    except OSError as error:
        yield Flaw(f"it cannot be read: {error.strerror or error}")
        return
    found = list(assembly.series(read, artifact.name))
    yield from found
    yield from whereabouts.readings(artifact.head, [line for _, _, line in read.tail])
    yield from printed.readings(artifact.head)
    yield from telling.readings(read, found)
    if cut:
        yield Flaw(cut)
    if read.shapes.forgotten:
        yield Flaw(f"{read.shapes.forgotten} lines differ too much to be told apart; their numbers were not read")
