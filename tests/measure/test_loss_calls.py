"""What goes into the loss functions, and which classes come out."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from stetho.facts import LossInput, LossInputs, Predictions

from .lines import MAKE, NAN, TRAIN, call, fact, read, steps, told


def only(record_path: Path, *calls: str) -> LossInput:
    (found,) = fact(LossInputs, read(record_path, steps(0, [1.0]), *calls)).sites
    return found


def test_shapes_types_and_ranges(tmp_path: Path) -> None:
    common = {"dtype": "float32", "tdtype": "float64", "tshape": [4]}
    found = only(
        tmp_path,
        call("mse_loss", **common, shape=[4, 1], low=-1.0, high=2.0, tlow=0.0, thigh=5.0, broadcast=True),
        call("mse_loss", **common, shape=[2, 1], low=-3.0, high=1.0, tlow=1.0, thigh=9.0, broadcast=False),
    )
    assert (found.shape, found.target_shape, found.batch) == ((4, 1), (4,), 4)
    assert (found.dtype, found.target_dtype) == ("float32", "float64")
    assert (found.low, found.high, found.target_low, found.target_high) == (-3.0, 2.0, 0.0, 9.0)
    assert (found.broadcast, found.looked_at) == (1, 2)


def test_what_was_not_recorded_is_unknown(tmp_path: Path) -> None:
    found = only(tmp_path, call())
    unknown = (found.dtype, found.target_shape, found.target_dtype, found.broadcast, found.low, found.ignored)
    assert unknown == (None,) * 6


def test_a_scalar_has_a_shape_without_a_batch(tmp_path: Path) -> None:
    found = only(tmp_path, call("mse_loss", shape=[], tshape=[]))
    assert (found.shape, found.target_shape, found.batch) == ((), (), None)


def test_a_nan_in_the_range_is_told(tmp_path: Path) -> None:
    found = only(tmp_path, call(low=NAN, high=1.0), call(low=-1.0, high=2.0))
    assert found.low is not None and math.isnan(found.low) and found.high == 2.0


def test_the_share_of_targets_left_out(tmp_path: Path) -> None:
    found = only(tmp_path, call(ignored=3, tshape=[2, 5]), call(ignored=0, tshape=[2, 5]), call(ignored=1, hist=[4, 5]))
    assert found.ignored == pytest.approx(4 / 30)


def test_an_evaluation_does_not_change_what_training_showed(tmp_path: Path) -> None:
    found = only(tmp_path, call(grad=False, low=-99.0, high=99.0, ignored=10, tshape=[10]), call(low=0.0, high=1.0))
    assert (found.low, found.high, found.ignored, found.trained, found.looked_at) == (0.0, 1.0, None, True, 1)


def test_a_site_that_only_evaluates_is_told_as_such(tmp_path: Path) -> None:
    found = only(tmp_path, call(grad=False, low=-9.0, high=9.0))
    assert (found.trained, found.low) == (False, -9.0)


# --- predictions ---------------------------------------------------------------------------------------------


def test_shares_of_predictions_early_and_late(tmp_path: Path) -> None:
    early = [call(pred=[8, 1, 1], hist=[4, 3, 3])] * 5
    late = [call(pred=[0, 10, 0], hist=[4, 6, 0])] * 5
    (site,) = fact(Predictions, read(tmp_path, steps(0, [1.0]), *early, *late)).sites
    assert (site.function, site.where, site.trained, site.calls) == ("cross_entropy", TRAIN, True, 10)
    assert (site.distinct_first, site.distinct_last) == (3, 1)
    assert (site.most_first, site.most_last) == (0.8, 1.0)
    (share,) = site.shares
    assert (share.label, share.predicted, share.given) == (1, 1.0, 0.6)


def test_sites_that_are_trained_come_first(tmp_path: Path) -> None:
    record = read(
        tmp_path,
        steps(0, [1.0]),
        *[call(site=1, grad=False, pred=[1, 1], hist=[1, 1])] * 3,
        call(site=0, pred=[2, 0]),
    )
    trained, tested = fact(Predictions, record).sites
    assert (trained.where, trained.trained, trained.shares[0].given) == (TRAIN, True, None)
    assert (tested.where, tested.trained) == (MAKE, False)


def test_at_most_twenty_classes_are_listed(tmp_path: Path) -> None:
    (site,) = fact(Predictions, read(tmp_path, steps(0, [1.0]), call(pred=list(range(1, 101))))).sites
    assert len(site.shares) == 20 and site.shares[0].label == 99 and site.distinct_last == 100


@pytest.mark.parametrize("empty", [{}, {"pred": []}, {"pred": [0, 0]}])
def test_nothing_is_predicted(tmp_path: Path, empty: dict[str, list[int]]) -> None:
    assert Predictions not in told(read(tmp_path, steps(0, [1.0]), call(**empty)))
