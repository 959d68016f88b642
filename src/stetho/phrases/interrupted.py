"""Somebody stopped the program from the keyboard.

## What it tells
That the end was meant.

## What it does not tell
What the person had seen.
"""

from stetho.phrase import Phrase

interrupted = Phrase(
    id="interrupted",
    says="it was interrupted from the keyboard",
    words=(
        "interrupted by the user",
        "keyboardinterrupt",
        "keyboard interrupt",
        "^c",
        "interrupted by user",
        "sigint",
    ),
    patterns=(
        r"KeyboardInterrupt",
        r"[Kk]eyboard interrupt",
        r"^\^C",
        r"[Ii]nterrupted by (?:the )?user",
        r"(?:Received|received|caught) SIGINT",
    ),
    fires=(
        "Keyboard interrupt: saving the model and leaving",
        "training interrupted by user",
        "received SIGINT, shutting down",
        "KeyboardInterrupt",
        "Detected KeyboardInterrupt, attempting graceful shutdown ...",
        "^C",
    ),
    quiet=("interrupts are handled by the kernel",),
    ended="SIGINT",
)
