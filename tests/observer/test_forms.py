"""What a loss was given, beyond its size: log-probabilities, shares, targets that follow tokens, padding."""

from __future__ import annotations

import math

import pytest

torch = pytest.importorskip("torch")

from stetho.observer.look.pairs import described, met  # noqa: E402
from stetho.observer.seen.fit import explained, told_apart  # noqa: E402
from stetho.observer.seen.forms import form, sequence  # noqa: E402


def tokens(rows: int = 8, length: int = 12) -> torch.Tensor:
    return torch.randint(2, 50, (rows, length), generator=torch.Generator().manual_seed(0))


def test_log_probabilities_are_told_from_scores() -> None:
    scores, labels = torch.randn(16, 5), torch.randint(0, 5, (16,))
    assert form("nll_loss", scores.log_softmax(1), labels, 1, {})["logs"]
    assert not form("nll_loss", scores, labels, 1, {})["logs"]
    assert form("nll_loss", scores.log_softmax(0), labels, 1, {})["over"]


def test_shares_of_classes_sum_to_one() -> None:
    scores = torch.randn(16, 5)
    assert form("cross_entropy", scores, scores.softmax(1), 1, {})["shares"]
    assert not form("cross_entropy", scores, (scores > 0).float(), 1, {})["shares"]
    assert not form("cross_entropy", scores[:, :1], torch.randn(16, 1), 1, {})["shares"]


def test_a_class_that_is_left_out_is_named() -> None:
    labels = torch.arange(16) % 5
    assert form("cross_entropy", torch.randn(16, 5), labels, 1, {"ignore_index": 0})["left_out"] == 0
    assert "left_out" not in form("cross_entropy", torch.randn(16, 5), labels, 1, {})


def test_targets_are_laid_over_the_tokens() -> None:
    x = tokens()
    assert sequence([x[:, :-1]], x[:, 1:].flatten(), {})["shift"][1] == 1
    assert sequence([x[:, :-2]], x[:, 2:], {})["shift"][2] == 1
    assert sequence([x], x.flatten(), {})["shift"][0] == 1
    # Labels that are handed to the model as well are no input.
    following = torch.cat([x[:, 1:], x[:, :1]], 1)
    assert sequence([x, following], following[:, 1:].flatten(), {})["shift"][1] < 0.5
    # What a decoder is given is one.
    begun = torch.cat([torch.ones_like(x[:, :1]), x[:, :-1]], 1)
    assert sequence([tokens(8, 9), begun], x.flatten(), {})["shift"][1] == 1


def test_ends_that_are_alike_are_measured() -> None:
    x = tokens()
    lengths = torch.arange(8) + 3
    x = torch.where(torch.arange(12)[None] < lengths[:, None], x, torch.zeros_like(x))
    found = sequence([x[:, :-1]], x[:, 1:].flatten(), {})
    assert found["tail"] == 0 and found["tail_counted"] > 0.3 and found["tail_lengths"] >= 3
    assert sequence([x[:, :-1]], x[:, 1:].flatten(), {"ignore_index": 0}).get("tail_counted", 0.0) == 0


def test_ends_of_the_input_that_are_filled_up_are_measured() -> None:
    x = tokens()
    places = torch.arange(12)[None] >= (torch.arange(8) + 3)[:, None]
    x = torch.where(places, torch.full_like(x, 99), x.clamp(max=50))
    labels = torch.where(places, torch.full_like(x, 2), torch.arange(96).reshape(8, 12) % 4)
    found = sequence([x], labels.flatten(), {})
    assert found["filled"] == pytest.approx(float(places.float().mean()))
    assert (found["filled_with"], found["filled_lengths"]) == (2, 8) and found["tail_inside"] > 0.1
    # What the loss leaves out is not counted, and labels of several kinds are no filling.
    assert "filled" not in sequence([x], torch.where(places, -100, labels).flatten(), {})
    assert "filled" not in sequence([x], torch.where(places, x % 3 + torch.arange(12) % 2, labels).flatten(), {})
    # A token that occurs elsewhere, too, fills nothing up.
    common = x.clone()
    common[:, 0] = 99
    assert "filled" not in sequence([common], labels.flatten(), {})


def test_a_stretched_pair_is_explained_like_one_that_fits() -> None:
    target = torch.arange(16.0)
    assert explained(target[:, None] + 0.1, target) == pytest.approx(explained(target + 0.1, target))
    assert explained(torch.randn(4, 4), target) is None


def parted(scores: list[float], yes: list[float]) -> float:
    """The slow way: every threshold between two scores, and beyond them."""
    cuts = [-math.inf, *scores]
    return max(sum((s > cut) == (y > 0.5) for s, y in zip(scores, yes, strict=True)) for cut in cuts) / len(scores)


def test_labels_are_told_apart_by_the_score_that_does_it_best() -> None:
    draw = torch.Generator().manual_seed(3)
    scores = torch.randn(24, 5, generator=draw)
    scores[:, 4] = torch.randint(0, 3, (24,), generator=draw).float()
    target = (torch.rand(24, 5, generator=draw) < torch.tensor([0.5, 0.1, 0.9, 0.0, 0.4])).float()
    slow = [parted(scores[:, k].tolist(), target[:, k].tolist()) for k in range(5)]
    assert told_apart(scores, target) == pytest.approx(sum(slow) / 5)
    assert told_apart(scores[:, 0], target[:, 0]) == pytest.approx(slow[0])
    # Neither the scale nor the place of the scores plays a part.
    assert told_apart(100 * scores - 7, target) == pytest.approx(sum(slow) / 5)


def test_what_is_no_yes_and_no_is_not_told_apart() -> None:
    yes = torch.tensor([0.0, 1.0] * 6)
    assert told_apart(yes, yes) == 1.0
    assert told_apart(yes, yes * 0.9) is None
    assert told_apart(torch.randn(12, 2), yes) is None
    assert told_apart(yes[:6], yes[:6]) is None


def test_a_class_is_named_by_an_index() -> None:
    scores = torch.eye(4, requires_grad=True) + 0.0
    labels = torch.tensor([0, 1, 2, 0])
    found = met("gather", (scores, (torch.arange(4), labels)), {})
    assert found is not None and found[1] is labels
    assert described("gather", *found)["acc"] == 0.75
    assert met("sub", (scores, scores), {}) is None
