"""What enters a model, as numbers: fingerprints of samples, the scale of features, samples as text."""

from __future__ import annotations

import base64
import ctypes
from typing import Any

import torch

from ..tensors import tensors_in
from .gradients import WHOLE_NUMBERS

# Elements of a sample that go into its fingerprint, and samples of one batch that have one.
PRINTED, PRINTS = 64, 256
# Features whose mean and spread are recorded one by one.
FEATURES = 64


def has_samples(tensor: Any) -> bool:
    """Whether a tensor is a table of numbers, one row to a sample; sparse, nested and quantized ones are not read."""
    return tensor.layout is torch.strided and not tensor.is_nested and tensor.dim() > 0 and not tensor.is_quantized


def first_tensor(args: Any, kwargs: Any) -> Any:
    """The tensor that holds the samples: the first one by position; by keyword, the largest, as labels are smaller."""
    if args and isinstance(args[0], torch.Tensor) and has_samples(args[0]):
        return args[0]
    found = next((t for t in tensors_in(args) if has_samples(t)), None)
    if found is None and kwargs:
        named = [t for t in tensors_in(kwargs) if has_samples(t)]
        found = max(named, key=lambda t: t.numel(), default=None)
    return found


def is_sequence(value: Any) -> bool:
    """Whether a tensor is rows of whole numbers: tokens."""
    if (
        value is None
        or value.dim() != 2
        or value.is_floating_point()
        or value.is_complex()
        or value.dtype == torch.bool
    ):
        return False
    return has_samples(value) and value.shape[1] >= 4


def fingerprints(value: Any) -> list[str]:
    """One number per sample that only an identical sample shares. Whole-number sums do not depend on their order."""
    some = value[:PRINTS]
    flat = some.reshape(some.shape[0], -1)
    if flat.shape[1] > PRINTED:
        flat = flat[:, :: flat.shape[1] // PRINTED + 1]
    flat = flat.cpu().contiguous()
    if flat.is_complex():
        flat = torch.view_as_real(flat).reshape(flat.shape[0], -1)
    if flat.is_floating_point():
        # Zero has two signs, which are one number.
        flat = (flat + 0.0).view(WHOLE_NUMBERS[flat.element_size()])
    weight = torch.arange(1, flat.shape[1] + 1, dtype=torch.int64) * 0x9E3779B97F4A7C1
    mixed = flat.to(torch.int64) * weight.bitwise_or(1)
    # Not linear: of zeros and ones, a plain sum only tells how many there are in all.
    sums = ((mixed ^ (mixed >> 29)) * 0x2545F4914F6CDD1D).sum(dim=1)
    return [f"{v & 0xFFFFFFFFFFFFFFFF:016x}" for v in sums.tolist()]


def numbers(value: Any) -> Any:
    """The same in single precision; complex numbers as pairs, as torch would warn that it drops their second part."""
    if value.is_complex():
        pairs = torch.view_as_real(value.resolve_conj())
        value = pairs.reshape(*value.shape[:-1], -1) if value.dim() > 1 else pairs
    return value.float()


def scale(value: Any) -> dict[str, Any]:
    """How large an input is and how unevenly its features vary, to tell whether it was normalised."""
    number = numbers(value)
    fields: dict[str, Any] = {
        "n": number.shape[0],
        "mean": float(number.mean()),
        "std": float(number.std(unbiased=False)) if number.numel() > 1 else 0.0,
        "low": float(number.min()) if number.numel() else 0.0,
        "high": float(number.max()) if number.numel() else 0.0,
        "bad": int((~torch.isfinite(number)).sum()),
        **ends(number),
        "discrete": not value.is_floating_point() and not value.is_complex() and value.dtype != torch.uint8,
        "dtype": str(value.dtype).replace("torch.", ""),
        "shape": list(value.shape),
    }
    if number.dim() == 2 and number.shape[0] > 7 and number.shape[1] > 1:
        spread = number.std(dim=0, unbiased=False)
        moving = spread[spread > 1e-12]
        fields["constant"] = number.shape[1] - moving.numel()
        if moving.numel() > 1:
            fields["spread"] = float(moving.max() / moving.min())
    if number.dim() > 1 and number.shape[0] > 1 and number.shape[1] <= FEATURES and value.is_floating_point():
        columns = number.transpose(0, 1).reshape(number.shape[1], -1)
        fields["fmean"] = columns.mean(dim=1).tolist()
        fields["fstd"] = columns.std(dim=1, unbiased=False).tolist()
    return fields


def ends(number: Any) -> dict[str, Any]:
    """The shares of values that are exactly the smallest and exactly the largest one: clipping piles them up there."""
    if number.numel() < 2:
        return {}
    low, high = torch.aminmax(number)
    return {
        "at_low": float((number == low).float().mean()),
        "at_high": float((number == high).float().mean()) if bool(high > low) else 0.0,
    }


def packed(value: Any) -> dict[str, Any]:
    """A tensor as base64 of float32, with its shape."""
    number = numbers(value.detach()).cpu().contiguous()
    raw = ctypes.string_at(number.data_ptr(), number.numel() * 4) if number.numel() else b""
    return {"shape": list(number.shape), "b64": base64.b64encode(raw).decode("ascii")}
