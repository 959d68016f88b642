"""Numbers that are only called after their data."""

from __future__ import annotations

import numpy as np
import pytest

from stetho.logged.bare import course


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.linspace(2.0, 0.5, 30), "loss"),
        (np.linspace(0.1, 0.9, 30), "score"),
        (np.linspace(10.0, 95.0, 30), "score"),
        (np.linspace(1.0, 900.0, 30), None),
        (np.full(30, 0.69), None),
        (np.array([2.0, 1.0]), None),
    ],
    ids=["falls", "rises to a share", "rises to percent", "rises beyond", "stays", "too short"],
)
def test_what_training_makes_less_of_is_a_loss(values: np.ndarray, kind: str | None) -> None:
    assert course(values) == kind
