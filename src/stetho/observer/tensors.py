"""Finding the tensors in what functions are given and give back."""

from __future__ import annotations

from typing import Any, Iterator

import torch


def tensors_in(value: Any, depth: int = 3) -> Iterator[Any]:
    """The tensors of an argument or a result, also inside lists, dictionaries and simple objects of them."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth and isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item, depth - 1)
    elif depth and isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item, depth - 1)
