"""The axis of a softmax beside the axis along which labels name a class."""

import torch
import torch.nn.functional as F

from stetho.observer.look.shares import astray, note_form


def scores(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0)).requires_grad_()


def softly(given: torch.Tensor, axis: int) -> torch.Tensor:
    made = F.softmax(given, dim=axis)
    note_form(made.grad_fn, made)
    return made


LABELS = torch.randint(0, 3, (2, 3, 4), generator=torch.Generator().manual_seed(1))
ONES = F.one_hot(LABELS, 3).permute(0, 3, 1, 2).float()


def test_over_columns() -> None:
    shares = softly(scores(2, 3, 3, 4), -1)
    found = astray("mul", (shares, ONES), shares, ONES)
    assert found is not None and found[:2] == (3, 1)


def test_over_samples() -> None:
    shares = softly(scores(2, 3, 3, 4), 0)
    found = astray("mul", (shares, ONES), shares, ONES)
    assert found is not None and found[:2] == (0, 1)


def test_over_the_classes_is_right() -> None:
    shares = softly(scores(2, 3, 3, 4), 1)
    assert astray("mul", (shares, ONES), shares, ONES) is None


def test_pairs_are_left_alone() -> None:
    shares, pairs = softly(scores(5, 5), 0), torch.eye(5)
    assert astray("mul", (shares, pairs), shares, pairs) is None


def test_weights_of_attention_meet_no_labels() -> None:
    shares, values = softly(scores(2, 3, 3, 4), -1), torch.rand(2, 3, 3, 4)
    assert astray("mul", (shares, values), shares, values) is None


def test_a_sum_with_something_else_is_not_judged() -> None:
    mixed = softly(scores(2, 3, 3, 4), -1) + scores(2, 3, 3, 4).tanh()
    assert astray("mul", (mixed, ONES), mixed, ONES) is None
