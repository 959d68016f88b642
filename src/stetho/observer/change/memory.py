"""Tensors that are known again by the memory they lie in, without being held."""

from __future__ import annotations

from collections import deque
from typing import Any, Deque, Iterable

import torch
from torch.multiprocessing.reductions import StorageWeakRef


class Memory:
    """The last few tensors of a kind: a detached one, a view and a slice lie in the same memory as the first.

    What is remembered is not kept alive; torch keeps the name of its memory from being given to another meanwhile.
    """

    def __init__(self, most: int) -> None:
        self.known: Deque[StorageWeakRef] = deque(maxlen=most)

    def add(self, tensors: Iterable[Any]) -> None:
        """Remember where these lie."""
        self.known.extend(StorageWeakRef(tensor.untyped_storage()) for tensor in tensors if has_memory(tensor))

    def __contains__(self, tensor: Any) -> bool:
        return has_memory(tensor) and any(ref.cdata == tensor.untyped_storage()._cdata for ref in self.known)


def has_memory(tensor: Any) -> bool:
    """Whether a tensor lies in memory of its own kind: sparse ones and those that transforms wrap do not."""
    try:
        return bool(tensor.layout == torch.strided and tensor.untyped_storage().data_ptr())
    except (RuntimeError, NotImplementedError):
        return False


def shares_memory(one: Any, other: Any) -> bool:
    """Whether two tensors lie in the same memory."""
    if not (has_memory(one) and has_memory(other)):
        return False
    return bool(one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr())
