"""A process died of an invalid access to memory.

## What it tells
A fault in native code: a library, a driver, an extension.

## What it does not tell
Which call of the program led there, unless a Python stack follows.
"""

from stetho.phrase import Phrase

segfault = Phrase(
    id="segfault",
    says="a segmentation fault",
    words=(
        "segmentation fault",
        "sigsegv",
        "segfault at",
    ),
    patterns=(
        r"[Ss]egmentation fault",
        r"\bSIGSEGV\b",
        r"segfault at ",
    ),
    fires=(
        "Segmentation fault (core dumped)",
        "Fatal Python error: Segmentation fault",
        "python[4711]: segfault at 0 ip 00007f0000000000 sp 00007ffc error 4 in libtorch.so",
        "traceback : Signal 11 (SIGSEGV) received by PID 4711",
    ),
    quiet=("image segmentation, fault tolerant",),
    ended="SIGSEGV",
)
