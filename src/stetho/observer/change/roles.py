"""What a tensor is that meets the model's output in a plain operation: told by where it is from and what is done."""

from __future__ import annotations

from typing import Any, Iterable

import torch

from ..seen.inputs import has_samples
from ..tensors import tensors_in
from .batch import Batch

# A label is subtracted, compared, indexed with or gathered by; what is multiplied is a weight or a scale.
FACTORS = (
    *("mul", "rmul", "imul", "multiply", "div", "rdiv", "idiv", "truediv", "rtruediv", "itruediv", "divide"),
    *("true_divide", "matmul", "rmatmul", "mm", "bmm", "mv", "dot", "inner", "einsum"),
)
MASKED = ("getitem", "setitem", "where", "masked_select", "masked_fill", "masked_scatter", "index_put")
DIAGONALS = ("diag", "diagonal", "trace")


class Met:
    """What has met the output of one call of the model so far."""

    def __init__(self, sizes: Iterable[int] = ()) -> None:
        self.sizes = set(sizes)
        """Elements of each tensor that the model gave back."""
        self.labels: list[Any] = []


def role(batch: Batch, so_far: Met, tensor: Any, met: Any, name: str) -> str:
    """One of "label", "input", "factor" and "mask"; empty for what has no row for each sample."""
    name = name.strip("_")
    if not by_sample(tensor, batch.size):
        return ""
    if any(is_part(tensor, label) for label in so_far.labels):
        return "label"
    if tensor.is_floating_point() and any(is_part(tensor, given, by_value=True) for given in batch.inputs()):
        return "input"
    if tensor.dtype == torch.bool and name in MASKED:
        return "mask"
    if name not in FACTORS or is_distribution(tensor, met):
        return "label"
    if not is_binary(tensor):
        return "factor"
    # Targets of zeros and ones are multiplied where cross-entropy is written out; masks are after the label has met.
    first = all(is_binary(label) for label in so_far.labels)
    return "label" if first and tensor.numel() in so_far.sizes else "mask"


def by_sample(tensor: Any, size: int) -> bool:
    """A row for each sample, and more than their numbers in order."""
    if not has_samples(tensor) or size < 1 or tensor.shape[0] != size:
        return False
    if isinstance(tensor, torch.nn.Parameter) or tensor.is_complex():
        return False
    return not (tensor.dim() == 1 and is_order(tensor))


def is_order(tensor: Any) -> bool:
    """Whether whole numbers count the rows."""
    if tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool or tensor.dim() != 1:
        return False
    return bool((tensor == torch.arange(len(tensor), device=tensor.device)).all())


def names_places(target: Any, met: Any) -> bool:
    """Whether whole numbers are all the rows of a square in some order."""
    if target.dim() != 1 or target.is_floating_point() or tuple(met.shape) != (len(target), len(target)):
        return False
    return len(target) > 1 and is_order(target.sort().values)


def is_part(tensor: Any, whole: Any, by_value: bool = False) -> bool:
    """Whether a tensor is another one or a view into its rows; columns beside them in one table are not."""
    if tensor is whole:
        return True
    if not has_samples(whole) or tensor.shape[0] != whole.shape[0] or tensor.device != whole.device:
        return False
    shared = tensor.untyped_storage().data_ptr() == whole.untyped_storage().data_ptr() != 0
    parallel = shared and tensor.dtype == whole.dtype and tensor.stride(0) == whole.stride(0)
    if parallel and bool(torch.isin(places(tensor), places(whole)).all()):
        return True
    if not by_value or tensor.numel() != whole.numel() or not tensor.numel():
        return False
    return bool((tensor.detach().reshape(-1) == whole.detach().reshape(-1)).all())


def places(tensor: Any) -> Any:
    """Where the first row's elements lie in memory."""
    at = torch.tensor([tensor.storage_offset()])
    for size, stride in zip(tensor.shape[1:], tensor.stride()[1:]):
        at = (at[:, None] + torch.arange(size) * stride).reshape(-1)
    return at


def is_distribution(tensor: Any, met: Any) -> bool:
    """Whether a tensor of the same shape as what it meets has shares along its last axis: one-hot, or a mixture."""
    if tensor.shape != met.shape or tensor.dim() < 2 or tensor.shape[-1] < 2 or bool((tensor < 0).any()):
        return False
    return bool(((tensor.detach().double().sum(-1) - 1).abs() < 1e-3).all())


def is_binary(tensor: Any) -> bool:
    return bool(((tensor == 0) | (tensor == 1)).all())


def compared(size: int, name: str, given: list[Any], out: Any) -> bool:
    """Whether an operation has set rows of the model's output against each other."""
    trained = [tensor for tensor in given if tensor.requires_grad]
    if name.strip("_") in DIAGONALS:
        return any(is_square(tensor, size) for tensor in trained)
    # A product of square tensors is one whatever it means; of two that the model made, it is a comparison.
    product = name.strip("_") in FACTORS[FACTORS.index("matmul") :]
    if len(trained) < 2 or not (product or not any(is_square(tensor, size) for tensor in given)):
        return False
    return any(is_square(tensor, size) for tensor in tensors_in(out))


def is_square(tensor: Any, size: int) -> bool:
    """Whether two axes beside each other both count the samples, or several views of them."""
    if size < 2:
        return False
    shape = tuple(tensor.shape)
    return any(shape[i - 1] == shape[i] >= size and shape[i] % size == 0 for i in range(1, len(shape)))
