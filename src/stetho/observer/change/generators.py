"""The random streams of a run, as fingerprints at a few steps: an experiment that moved them is told apart."""

from __future__ import annotations

import hashlib
import sys
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from ..watch import Watch
    from ..watched import Watched


class Generators:
    """Notes where the generators of torch, numpy and Python stand after steps 1, 2, 4, 8 and so on."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def look(self, watched: Watched) -> None:
        """After a step of the first optimizer; only powers of two, as a state is thousands of bytes long."""
        step = watched.steps + 1
        if watched.index == 0 and step & (step - 1) == 0:
            self.watch.journal.write("streams", step=step, **states())


def states() -> dict[str, str]:
    """A fingerprint of each generator that the program can have drawn from."""
    import random

    found = {"torch": _print(bytes(torch.random.get_rng_state().tolist()))}
    found["random"] = _print(repr(random.getstate()).encode())
    # Nothing is imported that the program did not.
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None:
        # A program may put a generator of any kind in the place of numpy's own.
        found["numpy"] = _print(_bytes(numpy.get_state(legacy=False)))
    return found


def _bytes(state: Any) -> bytes:
    """A state of whatever form; the words of an array are too many to be written out."""
    if isinstance(state, dict):
        return b"".join(str(key).encode() + _bytes(value) for key, value in sorted(state.items()))
    return state.tobytes() if hasattr(state, "tobytes") else repr(state).encode()


def _print(state: bytes) -> str:
    return hashlib.blake2b(state, digest_size=8).hexdigest()
