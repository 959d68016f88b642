"""What a place of the samples has held so far: mean and spread of each feature, or the whole numbers seen."""

from __future__ import annotations

from typing import Any

import torch

# Samples of whole numbers that are kept to draw from.
ROWS, BYTES = 1024, 2**24
# Different sizes of samples that are remembered, and elements of one batch that are measured.
SIZES, ELEMENTS = 64, 2**20


class Features:
    """Of floats the moments of each feature, the last axis or an image's channels; of whole numbers some samples."""

    def __init__(self) -> None:
        self.sums: dict[int, Any] = {}
        self.rows: dict[tuple[int, ...], Any] = {}

    def add(self, tensor: Any) -> None:
        """See another batch."""
        row = max(1, tensor[:1].numel())
        if not is_number(tensor):
            self._keep(tensor[: max(2, min(ROWS, BYTES // (row * tensor.element_size())))].cpu().clone())
            return
        columns = by_feature(tensor[: max(1, ELEMENTS // row)])
        finite = columns.isfinite()
        columns = torch.where(finite, columns, torch.zeros_like(columns))
        new = torch.stack([finite.double().sum(1), columns.sum(1), columns.square().sum(1)])
        held = self.sums.get(columns.shape[0])
        self.sums[columns.shape[0]] = new if held is None else held + new

    def _keep(self, rows: Any) -> None:
        form = tuple(rows.shape[1:])
        if form not in self.rows and len(self.rows) >= SIZES:
            self.rows.pop(next(iter(self.rows)))
        held = self.rows.get(form)
        if held is None:
            self.rows[form] = rows
        elif held.shape[0] < ROWS and held.numel() * held.element_size() < BYTES:
            self.rows[form] = torch.cat([rows, held])

    def knows(self, tensor: Any) -> bool:
        """Whether as many features as the tensor has were seen."""
        return by_feature(tensor[:1]).shape[0] in self.sums

    def moments(self, tensor: Any) -> tuple[Any, Any]:
        """Mean and spread of each feature so far, on the processor and in a shape that fits the tensor."""
        count, total, squares = self.sums[by_feature(tensor[:1]).shape[0]]
        mean = total / count.clamp_min(1)
        spread = (squares / count.clamp_min(1) - mean.square()).clamp_min(0).sqrt()
        # What rounding leaves of a constant is no spread.
        spread = torch.where(spread > 1e-6 * mean.abs(), spread, torch.zeros_like(spread))
        shape = [1] * real(tensor).dim()
        shape[axis_of(real(tensor))] = -1
        return mean.reshape(shape), spread.reshape(shape)

    def drawn(self, tensor: Any, generator: Any) -> Any:
        """Noise in the form of a tensor: normal with the moments of each feature, or values seen in its place."""
        if not is_number(tensor):
            return self._values(tensor, generator)
        mean, spread = self.moments(tensor)
        noise = torch.randn(real(tensor).shape, generator=generator) * spread.float() + mean.float()
        return torch.view_as_complex(noise.contiguous()) if tensor.is_complex() else noise

    def _values(self, tensor: Any, generator: Any) -> Any:
        held = self.rows[tuple(tensor.shape[1:])]
        flat = held.reshape(held.shape[0], -1)
        wanted = (tensor.shape[0], flat.shape[1])
        if held.shape[0] < 2:
            # One sample of its length so far: other positions of it are all there is to draw from.
            flat = flat.reshape(-1)
            return flat[torch.randint(max(1, flat.numel()), wanted, generator=generator)].reshape(tensor.shape)
        # Within its column, as each may count into a table of its own.
        picked = torch.randint(held.shape[0], wanted, generator=generator)
        return flat.gather(0, picked).reshape(tensor.shape)


def is_number(tensor: Any) -> bool:
    """Whether the values are measured, not counted."""
    return bool(tensor.is_floating_point() or tensor.is_complex())


def real(tensor: Any) -> Any:
    """Complex numbers as pairs."""
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor


def axis_of(tensor: Any) -> int:
    """Where the features lie: images and volumes have channels, all else has them last; of one axis there is one."""
    return 1 if tensor.dim() >= 4 else tensor.dim() - 1


def by_feature(tensor: Any) -> Any:
    """The values as a table with a line for each feature, in double precision on the processor."""
    values = real(tensor).detach().cpu().double()
    if values.dim() < 2:
        return values.reshape(1, -1)
    axis = axis_of(values)
    return values.transpose(0, axis).reshape(values.shape[axis], -1)
