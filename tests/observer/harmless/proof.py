"""What a program leaves behind, in a form that shows a single changed bit."""

import copy
import hashlib
import io
import os
import pickle
import random

import numpy
import torch


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def weights(tensors) -> str:
    return digest(b"".join(t.detach().cpu().contiguous().numpy().tobytes() for t in tensors))


class ByValue(pickle.Pickler):
    """Tensors by what they hold: torch writes their address in memory into a pickle."""

    def persistent_id(self, value):
        return weights([value]) if isinstance(value, torch.Tensor) else None


def pickled(value) -> str:
    stored = io.BytesIO()
    ByValue(stored).dump(value)
    return digest(stored.getvalue())


def report(model, losses, whole: bool = True) -> None:
    """Print losses, weights and gradients, states of generators, and what the model is once pickled or copied."""
    print("losses", losses)
    parameters = list(model.parameters())
    print("weights", weights(parameters), "gradients", weights(p.grad for p in parameters if p.grad is not None))
    print("torch", digest(torch.get_rng_state().numpy().tobytes()), "random", digest(repr(random.getstate()).encode()))
    state = numpy.random.get_state()
    print("numpy", digest(state[1].tobytes()), state[2:])
    print("hooks made", torch.utils.hooks.RemovableHandle.next_id)
    if whole:
        stored = io.BytesIO()
        torch.save(model, stored)
        print("saved", digest(stored.getvalue()), "pickled", pickled(model), type(pickle.loads(pickle.dumps(model))))
        print("copied", pickled(copy.deepcopy(model)), pickled(copy.copy(model)))
    for folder, _, files in sorted(os.walk(".")):
        for file in sorted(files):
            with open(os.path.join(folder, file), "rb") as handle:
                print("file", os.path.join(folder, file), digest(handle.read()))
