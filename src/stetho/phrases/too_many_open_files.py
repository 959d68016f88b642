"""The program has more files open than it may.

## What it tells
That a limit (ulimit -n) is too low, or that files are not closed.

## What it does not tell
Which of the two.
"""

from stetho.phrase import Phrase

too_many_open_files = Phrase(
    id="too-many-open-files",
    says="too many files are open",
    words=("too many open files",),
    patterns=(r"[Tt]oo many open files",),
    fires=("OSError: [Errno 24] Too many open files: 'data/1234.png'",),
    quiet=("many open files were closed",),
    ended="error",
)
