"""Changes of the data on programs of other kinds than the six styles: what reaches model and loss is looked at."""

from __future__ import annotations

import copy
import itertools
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy
import pytest
import torch

# It keeps some of torch's functions as it finds them when it is first imported, which must not be under observation.
import torch._dynamo
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

from stetho import catalogue, observer, recording
from stetho.experiment import Plan
from stetho.interventions import arg, env
from stetho.proof import why_not_applied
from stetho.recording import Recording

CHANGES = catalogue.load().interventions
STEPS = 8


class Under:
    """Runs a training of a few lines in this process, with a change in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.record = Recording()

    def __call__(self, name: str, program: Callable[[], Any], value: str = "") -> Any:
        folder = self.folder / f"{name}-{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        plan = asdict(Plan(str(folder), seed=0, changes=((name, value, CHANGES[name].path),)))
        states = torch.get_rng_state(), random.getstate(), numpy.random.get_state()
        kept = numpy.random.default_rng
        detach = observer.attach(plan)
        try:
            return program()
        finally:
            detach()
            numpy.random.default_rng = kept
            torch.set_rng_state(states[0])
            random.setstate(states[1])
            numpy.random.set_state(states[2])
            self.record = recording.read(folder)
            assert not self.record.faults

    @property
    def why_not(self) -> str:
        return why_not_applied(self.record)


@pytest.fixture
def under(tmp_path: Path) -> Under:
    return Under(tmp_path)


def train(
    model: nn.Module, loss_of: Callable[[int], torch.Tensor], steps: int = STEPS, lr: float = 0.05
) -> list[float]:
    """The loop of every program here."""
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        loss = loss_of(step)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


class Words(nn.Module):
    """A language model in the style of nanoGPT: tokens and targets by position, its loss inside."""

    def __init__(self, words: int = 11) -> None:
        super().__init__()
        self.table, self.head = nn.Embedding(words, 16), nn.Linear(16, words)
        self.seen: list[tuple[torch.Tensor, torch.Tensor]] = []

    def forward(self, idx: torch.Tensor, targets: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.seen.append((idx.clone(), targets.clone()))
        logits = self.head(self.table(idx))
        return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)


def text(model: Words, given: list[torch.Tensor] | None = None, steps: int = STEPS) -> list[float]:
    """Train a language model on slices of one long text, as `get_batch` does."""
    data = torch.randint(2, 9, (400,), generator=torch.Generator().manual_seed(1))

    def loss_of(step: int) -> torch.Tensor:
        at = torch.randint(380, (4,))
        x = torch.stack([data[i : i + 6] for i in at])
        y = torch.stack([data[i + 1 : i + 7] for i in at])
        if given is not None:
            given.extend([x, y])
        return model(x, y)[1]

    return train(model, loss_of, steps)


def test_noise_leaves_the_targets_of_a_language_model_alone(under: Under) -> None:
    model, given = Words(), []
    under("noise-inputs", lambda: text(model, given))
    assert under.why_not == ""
    for step, (x, y) in enumerate(model.seen):
        assert torch.equal(y, given[2 * step + 1])
        assert torch.equal(x, given[2 * step]) == (step == 0)
        assert 2 <= int(x.min()) <= int(x.max()) <= 8


def test_zeros_are_the_smallest_token_seen(under: Under) -> None:
    model = Words()
    under("zero-inputs", lambda: text(model))
    assert under.why_not == ""
    assert all(x.unique().tolist() == [2] for x, _ in model.seen[1:])


def test_a_language_model_learns_made_up_text(under: Under) -> None:
    model = Words()
    losses = under("synthetic", lambda: text(model, steps=60))
    assert under.why_not == ""
    assert losses[-1] < 0.5 < losses[0]


def test_labels_shifted_inside_the_model_are_no_samples(under: Under) -> None:
    class Shifted(Words):
        def forward(self, *, input_ids, attention_mask, labels):  # type: ignore[no-untyped-def, override]
            self.seen.append((input_ids.clone(), labels.clone()))
            logits = self.head(self.table(input_ids))
            shifted = F.pad(labels, (0, 1), value=-100)[:, 1:].contiguous()
            return F.cross_entropy(logits.flatten(0, 1), shifted.flatten())

    data = torch.randint(1, 11, (64, 7), generator=torch.Generator().manual_seed(1))

    def program(model: Shifted, steps: int) -> list[float]:
        def loss_of(step: int) -> torch.Tensor:
            ids = data[step % 8 * 8 :][:8]
            return model(input_ids=ids, attention_mask=torch.ones_like(ids), labels=ids.clone())

        return train(model, loss_of, steps)

    model = Shifted()
    under("noise-inputs", lambda: program(model, STEPS))
    assert under.why_not == ""
    assert all(torch.equal(labels, data[step % 8 * 8 :][:8]) for step, (_, labels) in enumerate(model.seen))
    model = Shifted()
    losses = under("synthetic", lambda: program(model, 60))
    assert under.why_not == ""
    assert losses[-1] < 0.5


def test_classes_get_the_numbers_that_evaluation_has(under: Under) -> None:
    numbers = torch.tensor([0, 2, 1, 3])
    x = torch.randn(64, 4, generator=torch.Generator().manual_seed(1))
    y = x.argmax(dim=1)
    seen: list[torch.Tensor] = []

    def program(loss_of_scores: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> None:
        model = nn.Linear(4, 4)
        train(model, lambda step: loss_of_scores(model(x), y), 40)
        model.eval()
        with torch.no_grad():
            answers = model(x)
            seen.append(answers.argmax(dim=1))
            assert float(F.cross_entropy(answers, numbers[y])) < float(F.cross_entropy(answers, y))

    def library(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(scores, labels)

    def by_hand(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return -scores.log_softmax(dim=1).gather(1, labels[:, None]).mean()

    def shares(scores: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        return F.binary_cross_entropy_with_logits(scores, F.one_hot(labels, 4).float())

    for form in (library, by_hand, shares):
        under("renumbered-classes", lambda form=form: program(form), "2>1,1>2@4")  # type: ignore[misc]
        assert under.why_not == "", form
        assert float((seen[-1] == numbers[y]).float().mean()) > 0.9


def test_numbers_are_no_classes(under: Under) -> None:
    x = torch.randn(64, 4, generator=torch.Generator().manual_seed(1))
    model = nn.Linear(4, 1)
    under("renumbered-classes", lambda: train(model, lambda step: F.mse_loss(model(x)[:, 0], x[:, 0])), "0>1,1>0@2")
    assert "no classes" in under.why_not


class Named(nn.Module):
    """Takes its arguments by name only, two of them samples and one a mask."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two, self.norm = nn.Linear(6, 3), nn.Linear(2, 3), nn.BatchNorm1d(3)
        self.seen: list[dict[str, torch.Tensor]] = []

    def forward(self, *, mask: torch.Tensor, body: torch.Tensor, extra: dict[str, torch.Tensor]) -> torch.Tensor:
        self.seen.append({"mask": mask, "body": body, **extra})
        return self.norm(self.one(body * mask) + self.two(extra["side"]))


def named(model: Named, steps: int = STEPS) -> list[float]:
    g = torch.Generator().manual_seed(1)
    body, side = 5 + 2 * torch.randn(64, 6, generator=g), torch.randn(64, 2, generator=g)
    y = (body[:, 0] > 5).long()
    rows = torch.arange(64)

    def loss_of(step: int) -> torch.Tensor:
        at = (rows + step * 16)[:16] % 64 if step % 3 else rows[:5]
        mask = torch.ones(len(at), 6, dtype=torch.long)
        return F.cross_entropy(model(mask=mask, body=body[at], extra={"side": side[at]}), y[at])

    return train(model, loss_of, steps)


def test_a_model_called_by_names_with_batches_of_several_sizes(under: Under) -> None:
    model = Named()
    under("noise-inputs", lambda: named(model))
    assert under.why_not == ""
    assert all((call["mask"] == 1).all() for call in model.seen)
    body = torch.cat([call["body"] for call in model.seen[1:]])
    assert float(body.mean()) == pytest.approx(5, abs=0.8)
    assert float(body.std()) == pytest.approx(2, abs=0.7)
    model = Named()
    losses = under("synthetic", lambda: named(model, 100))
    assert under.why_not == ""
    assert sum(losses[-9:]) < 0.7 * sum(losses[:9]), losses
    model = Named()
    under("standardised-inputs", lambda: named(model, 12))
    assert under.why_not == ""
    assert abs(float(model.seen[-2]["body"].mean())) < 0.6


def test_images_keep_the_mean_and_spread_of_each_channel(under: Under) -> None:
    scale = torch.tensor([1.0, 10.0, 0.1]).reshape(1, 3, 1, 1)
    x = (torch.randn(32, 3, 8, 8, generator=torch.Generator().manual_seed(1)) + 4) * scale
    y = torch.arange(32) % 4
    seen = []

    def program(steps: int = STEPS) -> list[float]:
        model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 4))
        model.register_forward_pre_hook(lambda module, args: seen.append(args[0]))
        return train(
            model, lambda step: F.cross_entropy(model(x[step % 2 * 16 :][:16]), y[step % 2 * 16 :][:16]), steps
        )

    under("noise-inputs", program)
    assert under.why_not == ""
    ratio = seen[-1].transpose(0, 1).flatten(1).std(1) / scale.flatten()
    assert ratio.tolist() == pytest.approx([1, 1, 1], abs=0.15)
    x = x / scale - 4
    losses = under("synthetic", lambda: program(80))
    assert under.why_not == ""
    assert sum(losses[-20:]) < 20 * 0.8, losses


def test_labels_in_one_batch_with_the_samples_are_left_alone(under: Under) -> None:
    class Whole(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(4, 2)
            self.seen: list[dict[str, torch.Tensor]] = []

        def forward(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
            self.seen.append(dict(batch))
            return F.cross_entropy(self.layer(batch["x"]), batch["label"])

    x, y = torch.randn(16, 4, generator=torch.Generator().manual_seed(1)), torch.arange(16) % 2
    for name in ("noise-inputs", "zero-inputs", "synthetic"):
        model = Whole()
        under(name, lambda model=model: train(model, lambda step: model({"label": y, "x": x})))
        assert under.why_not == ""
        assert all(torch.equal(batch["label"], y) for batch in model.seen)
        assert not any(torch.equal(batch["x"], x) for batch in model.seen[1:])


def test_an_input_that_is_not_finite_is_gone_with_the_first_step(under: Under) -> None:
    x, y = torch.randn(16, 4, generator=torch.Generator().manual_seed(1)), torch.arange(16) % 2
    x[0, 0] = float("nan")
    for name in ("noise-inputs", "zero-inputs", "synthetic"):
        model = nn.Linear(4, 2)
        losses = under(name, lambda model=model: train(model, lambda step: F.cross_entropy(model(x), y)))
        assert under.why_not == ""
        assert all(loss == loss for loss in losses)


def test_samples_that_are_compared_with_each_other_have_no_made_up_targets(under: Under) -> None:
    model = nn.Linear(4, 3)

    def loss_of(step: int) -> torch.Tensor:
        one, other = model(torch.randn(8, 4)), model(torch.randn(8, 4))
        return F.cross_entropy(one @ other.T, torch.arange(8))

    under("synthetic", lambda: train(model, loss_of))
    assert under.why_not.startswith("targets name places in the batch")


def test_a_target_that_is_the_input_stays_the_input(under: Under) -> None:
    x = 3 + torch.randn(64, 5, generator=torch.Generator().manual_seed(1))

    def program() -> list[float]:
        model = nn.Sequential(nn.Linear(5, 5))
        return train(model, lambda step: F.mse_loss(model(x), x), 80)

    losses = under("synthetic", program)
    assert under.why_not == ""
    assert losses[-1] < 0.7 * losses[1]


def test_a_loss_of_plain_operations_gets_the_rule_too(under: Under) -> None:
    x = torch.randn(64, 5, generator=torch.Generator().manual_seed(1))
    y = torch.randn(64, 1, generator=torch.Generator().manual_seed(2)) * 3 + 7

    def program() -> list[float]:
        model = nn.Linear(5, 1)
        nn.init.constant_(model.bias, 7.0)
        return train(model, lambda step: ((model(x[:32]) - y[:32]) ** 2).mean(), 80)

    losses = under("synthetic", program)
    assert under.why_not == ""
    assert losses[-1] < 0.1 * losses[1]


def used(under: Under, name: str, loss: Callable[[Any, Any, Any, Any], Any], steps: int = STEPS) -> list[list[Any]]:
    """What was met in a loss of plain operations: `loss(out, x, y, met)`, where `met` keeps what it is given."""
    g = torch.Generator().manual_seed(1)
    model, kept = nn.Linear(5, 1), []

    def loss_of(step: int) -> torch.Tensor:
        x = torch.randn(16, 5, generator=g)
        met: list[Any] = []
        kept.append(met)
        return loss(model(x), x, (x[:, 0] > 0).float(), met)

    under(name, lambda: train(model, loss_of, steps))
    return kept


def gradient_of(out: torch.Tensor, met: list[Any]) -> torch.Tensor:
    """The output, whose gradient will tell by what it was multiplied."""
    out.register_hook(lambda grad: met.append(grad.detach().clone()))
    return out


def test_weights_and_what_the_model_was_given_are_no_labels(under: Under) -> None:
    def weighted(out: Any, x: Any, y: Any, met: list[Any]) -> Any:
        weights = torch.linspace(1, 2, 16)
        met.append(weights.numpy())
        return (weights * gradient_of((out[:, 0] - y).pow(2), met)).sum()

    for met in used(under, "shuffled-labels", weighted):
        assert met[0] == pytest.approx(met[1].numpy())
    assert under.why_not == ""

    def residual(out: Any, x: Any, y: Any, met: list[Any]) -> Any:
        moved = x[:, :1] - out
        met.append(float((moved.detach() + out.detach()).numpy()[3, 0] - x.numpy()[3, 0]))
        return moved.pow(2).mean()

    assert all(abs(met[0]) < 1e-6 for met in used(under, "shuffled-labels", residual))
    assert under.why_not == "the change had nothing to act on"
    masked = used(under, "shuffled-labels", lambda out, x, y, met: torch.where(y > 0, out[:, 0], 0.0).mean())
    assert under.why_not == "the change had nothing to act on"
    assert len(masked) == STEPS


def cross_entropy_by_hand(out: Any, x: Any, y: Any, met: list[Any]) -> Any:
    p = out.sigmoid()[:, 0]
    loss = -(y * p.log() + (1 - y) * (1 - p).log()).mean()
    met.append(loss.item())
    return loss


def test_targets_that_are_multiplied_are_labels(under: Under) -> None:
    used(under, "shuffled-labels", cross_entropy_by_hand)
    assert under.why_not == ""
    losses = used(under, "synthetic", cross_entropy_by_hand, 80)
    assert under.why_not == ""
    assert losses[-1][0] < 0.6 * losses[1][0]

    def hot(out: Any, x: Any, y: Any, met: list[Any]) -> Any:
        logits = torch.cat([out, -out], 1).log_softmax(1)
        return -(F.one_hot(y.long(), 2).float() * logits).sum(1).mean()

    used(under, "shuffled-labels", hot)
    assert under.why_not == ""


def test_a_column_of_the_same_table_is_a_label(under: Under) -> None:
    model, table = nn.Linear(4, 1), torch.randn(64, 5, generator=torch.Generator().manual_seed(1))

    def loss_of(step: int) -> torch.Tensor:
        rows = table[step * 8 :][:8]
        return (model(rows[:, :4])[:, 0] - rows[:, 4]).pow(2).mean()

    under("shuffled-labels", lambda: train(model, loss_of))
    assert under.why_not == ""


def test_tensors_of_several_kinds_get_no_rule(under: Under) -> None:
    scale = torch.linspace(0.5, 2, 16)

    def scaled(out: Any, x: Any, y: Any, met: list[Any]) -> Any:
        return ((out[:, 0] * scale) - y).pow(2).mean()

    used(under, "synthetic", scaled)
    assert under.why_not.startswith("tensors of several kinds")
    used(under, "synthetic", lambda out, x, y, met: ((out[:, 0] - y).pow(2) * scale).mean())
    assert under.why_not == ""
    used(under, "synthetic", lambda out, x, y, met: ((out[:, 0] - y).pow(2) * (scale - 1)).mean())
    assert under.why_not.startswith("what multiplies the output turns its sign")


def test_weights_go_with_their_rows(under: Under) -> None:
    def weighted(out: Any, x: Any, y: Any, met: list[Any]) -> Any:
        return ((x[:, 0] + 10) * gradient_of((out[:, 0] - y).pow(2), met)).sum()

    g = torch.Generator().manual_seed(1)
    x, y = torch.randn(16, 5, generator=g), torch.randn(16, generator=g)
    for name, value in (("batch-size", "4"), ("data-fraction", "0.3")):
        model, met = Pair(5, 1), []
        under(name, lambda m=model, met=met: train(m, lambda step: weighted(m(x), x, y, met)), value)
        assert under.why_not == ""
        assert all(w.numpy() == pytest.approx(b[:, 0].numpy() + 10) for w, b in zip(met, model.seen, strict=True))


def test_one_class_for_each_pixel(under: Under) -> None:
    x = torch.randn(16, 2, 6, 6, generator=torch.Generator().manual_seed(1))
    y = torch.randint(0, 3, (16, 6, 6), generator=torch.Generator().manual_seed(2))
    y[:, 0] = 255

    def program() -> list[float]:
        model = nn.Conv2d(2, 3, 1)
        return train(model, lambda step: F.cross_entropy(model(x), y, ignore_index=255), 80)

    losses = under("synthetic", program)
    assert under.why_not == ""
    assert losses[-1] < 0.7


class Pair(nn.Module):
    def __init__(self, into: int, out: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(into, 8), nn.Tanh(), nn.Linear(8, out))
        self.seen: list[torch.Tensor] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen.append(x)
        return self.layers(x)


@pytest.mark.parametrize("name", ["noise-inputs", "zero-inputs", "synthetic", "batch-size", "data-fraction"])
def test_what_one_model_hands_to_another_is_left_alone(under: Under, name: str) -> None:
    real = 2 + torch.randn(64, 4, generator=torch.Generator().manual_seed(1))
    maker, judge = Pair(3, 4), Pair(4, 1)

    def program() -> None:
        optimizers = [torch.optim.SGD(model.parameters(), lr=0.01) for model in (maker, judge)]
        for step in range(STEPS):
            fake = maker(torch.randn(16, 3))
            good = F.binary_cross_entropy_with_logits(judge(real[step % 4 * 16 :][:16]), torch.ones(16, 1))
            bad = F.binary_cross_entropy_with_logits(judge(fake.detach()), torch.zeros(16, 1))
            optimizers[1].zero_grad()
            (good + bad).backward()
            optimizers[1].step()
            optimizers[0].zero_grad()
            F.binary_cross_entropy_with_logits(judge(fake), torch.ones(16, 1)).backward()
            assert all(p.grad is not None and bool(p.grad.abs().sum() > 0) for p in list(maker.parameters())[-2:])
            optimizers[0].step()

    under(name, program, {"batch-size": "4", "data-fraction": "0.5"}.get(name, ""))
    assert judge.seen[2].requires_grad
    assert under.record.applied.count > 0


def test_gradients_for_an_input_still_reach_it(under: Under) -> None:
    model = Pair(2, 1)
    points = 5 + torch.rand(32, 2, generator=torch.Generator().manual_seed(1))

    def loss_of(step: int) -> torch.Tensor:
        x = points.clone().requires_grad_(True)
        both = torch.cat([x[:, :1], x[:, 1:]], dim=1)
        out = model(both)
        slope = torch.autograd.grad(out.sum(), x, create_graph=True)[0]
        return (slope - 1).pow(2).mean()

    for name in ("noise-inputs", "zero-inputs"):
        under(name, lambda: train(model, loss_of))
        assert under.why_not == ""
    assert float(model.seen[-1].detach().abs().max()) < 1e-6


def test_lengths_stay_with_their_samples(under: Under) -> None:
    class Packed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.head = nn.GRU(3, 8, batch_first=True), nn.Linear(8, 2)

        def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
            packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=True)
            return self.head(self.layer(packed)[1][0])

    def loss_of(step: int) -> torch.Tensor:
        x = torch.randn(6, 5 + step % 2, 3)
        lengths = torch.tensor([5 + step % 2, 4, 4, 3, 2, 1])
        return F.cross_entropy(model(x, lengths), torch.tensor([0, 1, 0, 1, 0, 1]))

    model = Packed()
    for name in ("noise-inputs", "synthetic"):
        under(name, lambda: train(model, loss_of))
        assert under.why_not == ""


class Stream(IterableDataset):
    """Samples in the order of their classes, without a length."""

    def __iter__(self) -> Iterator[tuple[torch.Tensor, int]]:
        g = torch.Generator().manual_seed(1)
        for number in range(64):
            yield torch.randn(4, generator=g) + number // 16, number // 16


class Kept(Dataset):  # type: ignore[type-arg]
    """Samples by number, each a little different every time if it is asked for."""

    def __init__(self, noise: str = "", samples: int = 64) -> None:
        self.x = torch.randn(samples, 4, generator=torch.Generator().manual_seed(1))
        self.noise, self.own = noise, numpy.random.default_rng(3)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, number: int) -> tuple[torch.Tensor, int]:
        x = self.x[number].clone()
        if self.noise == "torch":
            x += torch.randn(4)
        elif self.noise == "others":
            x += random.random() + numpy.random.rand()
        elif self.noise == "own":
            x += float(self.own.normal())
        return x, int(number) % 3


def fed(loader: Any, model: Pair, epochs: int = 2) -> None:
    """Train on everything that a loader delivers."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(epochs):
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def rows_of(model: Pair) -> list[tuple[float, ...]]:
    return [tuple(row.tolist()) for batch in model.seen for row in batch]


def test_a_stream_is_shuffled_and_thinned_without_numbers(under: Under) -> None:
    model = Pair(4, 4)
    fed(DataLoader(Stream(), 8), model)
    plain = rows_of(model)
    model, stream = Pair(4, 4), Stream()
    under("shuffled-order", lambda: fed(DataLoader(stream, 8), model))
    assert under.why_not == ""
    # Each sample of the stream once, in another order, and the stream is still what the program made.
    assert sorted(rows_of(model)) == sorted(plain)
    assert rows_of(model) != plain
    assert isinstance(stream, Stream)
    model = Pair(4, 4)
    under("data-fraction", lambda: fed(DataLoader(Stream(), 8), model), "0.3")
    assert under.why_not == ""
    assert len(set(rows_of(model))) < 32
    under("compute-only", lambda: fed(DataLoader(Stream(), 8), Pair(4, 4)))
    assert under.why_not == "the loader has no length"
    under("workers", lambda: fed(DataLoader(Stream(), 8), Pair(4, 4)), "2")
    assert under.why_not == "each worker would read the whole of an iterable data set"
    under("augmentation-off", lambda: fed(DataLoader(Stream(), 8), Pair(4, 4)))
    assert under.why_not == "an iterable data set is not asked by numbers"


def test_loaders_that_shuffle_and_batches_without_an_order_are_left(under: Under) -> None:
    under("shuffled-order", lambda: fed(DataLoader(Kept(), 8, shuffle=True), Pair(4, 3)))
    assert under.why_not == "its loaders shuffle already"
    x, y = torch.randn(64, 4, generator=torch.Generator().manual_seed(1)), torch.arange(64) % 3
    slices = [(x[at : at + 8], y[at : at + 8]) for at in range(0, 64, 8)]
    under("shuffled-order", lambda: fed(slices, Pair(4, 3)))
    assert under.why_not == "the batches show no order"


def test_pairs_stay_pairs_when_rows_are_exchanged(under: Under) -> None:
    x = torch.arange(64.0).reshape(64, 1).expand(64, 4) / 16
    slices = [(x[at : at + 8], (x[at : at + 8, 0]).long()) for at in range(0, 64, 8)]
    for name, value in (("shuffled-order", ""), ("data-fraction", "0.3"), ("batch-size", "2")):
        model, losses = Pair(4, 4), []

        def loss(out: torch.Tensor, y: torch.Tensor, *, model: Pair = model, seen: list[bool] = losses) -> torch.Tensor:
            chosen = out.gather(1, y[:, None])
            # What was gathered tells which labels it was gathered by; numpy is not followed.
            table, labels = out.detach().numpy(), model.seen[-1].numpy()[:, 0].astype(int)
            seen.append(bool((chosen.detach().numpy()[:, 0] == table[range(8), labels]).all()))
            return -chosen.mean()

        def program(model: Pair = model, loss: Any = loss) -> None:
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            for xb, yb in slices * 2:
                optimizer.zero_grad()
                loss(model(xb), yb).backward()
                optimizer.step()

        under(name, program, value)
        assert under.why_not == "", name
        assert all(losses), name
        if name == "batch-size":
            assert all(len(batch) == 8 and len(batch.unique(dim=0)) == 2 for batch in model.seen)


@pytest.mark.parametrize("workers", [0, 2])
def test_a_tenth_of_the_data_is_a_tenth_in_workers_too(under: Under, workers: int) -> None:
    model = Pair(4, 3)
    under("data-fraction", lambda: fed(DataLoader(Kept(), 8, shuffle=True, num_workers=workers), model), "0.1")
    assert under.why_not == ""
    assert len(set(rows_of(model))) == 6
    assert len(rows_of(model)) == 128


def test_subsets_and_samplers_of_the_whole_are_thinned(under: Under) -> None:
    model = Pair(4, 3)
    part = torch.utils.data.Subset(Kept(), range(0, 64, 2))
    sampler = torch.utils.data.WeightedRandomSampler([1.0] * 32, 64)
    under("data-fraction", lambda: fed(DataLoader(part, 8, sampler=sampler), model), "0.25")
    assert under.why_not == ""
    assert len(set(rows_of(model))) <= 8


@pytest.mark.parametrize(("noise", "workers"), [("torch", 0), ("others", 0), ("torch", 2)])
def test_samples_are_the_same_in_each_epoch(under: Under, noise: str, workers: int) -> None:
    model = Pair(4, 3)
    under("augmentation-off", lambda: fed(DataLoader(Kept(noise), 8, num_workers=workers), model))
    assert under.why_not == ""
    assert len(set(rows_of(model))) == 64


@pytest.mark.parametrize(("name", "value"), [("data-fraction", "0.5"), ("augmentation-off", "")])
def test_what_is_set_on_a_data_set_reaches_it(under: Under, name: str, value: str) -> None:
    data, model = Kept("torch"), Pair(4, 3)
    data.samples = ["one"]  # type: ignore[attr-defined]

    def program() -> None:
        loader: Any = DataLoader(data, 8)
        for noise in ("torch", ""):
            loader.dataset.noise = noise
            fed(loader, model, 1)
        assert (data.noise, loader.dataset.samples) == ("", ["one"])
        assert copy.copy(loader.dataset).noise == pickle.loads(pickle.dumps(loader.dataset)).noise == ""

    under(name, program, value)
    assert under.why_not == ""
    assert tuple(data.x[0].tolist()) in rows_of(model)[64:]


class Replayed(torch.utils.data.Sampler[Any]):
    """A sampler of the program's own: the numbers, or batches of them, that it was given."""

    def __init__(self, said: Callable[[], list[Any]]) -> None:
        self.said, self.epoch = said, 0

    def __len__(self) -> int:
        return len(self.said())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.said())

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch


BY_CLASS = sorted(range(96), key=lambda number: number % 3)


def batches_of(numbers: list[int]) -> list[list[int]]:
    return [numbers[:4], *(numbers[at : at + 8] for at in range(4, len(numbers), 8))]


OWN_ORDERS: dict[str, Callable[[], dict[str, Any]]] = {
    "sampler": lambda: {"batch_size": 8, "sampler": Replayed(lambda: BY_CLASS)},
    "workers": lambda: {"batch_size": 8, "sampler": Replayed(lambda: BY_CLASS), "num_workers": 2},
    "list": lambda: {"batch_size": 8, "sampler": BY_CLASS},
    "under batches": lambda: {"batch_sampler": torch.utils.data.BatchSampler(Replayed(lambda: BY_CLASS), 8, False)},
    "batches": lambda: {"batch_sampler": Replayed(lambda: batches_of(BY_CLASS))},
}


@pytest.mark.parametrize("how", OWN_ORDERS)
def test_what_an_own_sampler_says_in_order_is_dealt_anew(under: Under, how: str) -> None:
    data, model = Kept(samples=96), Pair(4, 3)
    settings = OWN_ORDERS[how]()
    under("shuffled-order", lambda: fed(DataLoader(data, **settings), model))
    assert under.why_not == ""
    rows = [tuple(row.tolist()) for row in data.x[BY_CLASS]]
    first, second = rows_of(model)[:96], rows_of(model)[96:]
    assert sorted(first) == sorted(second) == sorted(rows)
    assert len({tuple(first), tuple(second), tuple(rows)}) == 3
    sizes = [len(one) for one in model.seen[: len(model.seen) // 2]]
    assert sizes == ([4, *[8] * 11, 4] if how == "batches" else [8] * 12)


def several_of_each() -> list[list[int]]:
    """Batches of some classes each, as those that compare samples want them."""
    classes = [random.sample(range(12), 2) for _ in range(24)]
    return [[one + 12 * random.randrange(8) for one in pair for _ in range(4)] for pair in classes]


@pytest.mark.parametrize("how", ["random", "balanced", "own shuffle", "some of each"])
def test_an_own_sampler_that_shows_no_order_is_left(under: Under, how: str) -> None:
    data = Kept(samples=96)
    kept = random.Random(3).sample(range(96), 96)
    balanced = [one + step for step in range(0, 96, 3) for one in range(3)]
    weighted = torch.utils.data.WeightedRandomSampler([1.0] * 96, 96)
    settings: dict[str, dict[str, Any]] = {
        "random": {"batch_size": 8, "sampler": weighted},
        "balanced": {"batch_size": 8, "sampler": Replayed(lambda: balanced)},
        "own shuffle": {"batch_size": 8, "sampler": Replayed(lambda: kept)},
        "some of each": {"batch_sampler": Replayed(several_of_each)},
    }

    def seen(run: Callable[[Callable[[], None]], None]) -> list[tuple[float, ...]]:
        torch.manual_seed(0)
        random.seed(0)
        model = Pair(4, 12)
        run(lambda: fed(DataLoader(data, **settings[how]), model))
        return rows_of(model)

    changed = seen(lambda program: under("shuffled-order", program))
    shuffles = "a sampler shuffles already"
    assert under.why_not == (shuffles if how == "random" else "a sampler of the program's own shows no order")
    if how in ("balanced", "own shuffle"):
        assert changed == seen(lambda program: program())


def test_an_own_sampler_keeps_its_order_for_evaluation_and_hears_of_epochs(under: Under) -> None:
    data, model = Kept(samples=96), Pair(4, 3)
    own = Replayed(lambda: BY_CLASS)
    asked: list[Any] = []

    def program() -> None:
        trained = DataLoader(data, 8, sampler=own)
        held_out = DataLoader(data, 8, sampler=Replayed(lambda: BY_CLASS))
        for epoch in range(2):
            trained.sampler.set_epoch(epoch)  # type: ignore[attr-defined]
            fed(trained, model, 1)
            model.eval()
            with torch.no_grad():
                asked.extend(x for x, _ in held_out)
            model.train()

    under("shuffled-order", program)
    assert under.why_not == ""
    assert own.epoch == 1
    assert torch.equal(torch.cat(asked), data.x[BY_CLASS * 2])


@pytest.mark.parametrize("how", ["eval", "inside", "workers", "before"])
def test_evaluation_keeps_its_order(under: Under, how: str) -> None:
    data, model = Kept(), Pair(4, 3)
    seen: list[Any] = []

    def evaluate(loader: Any) -> None:
        if how == "inside":
            for x, _ in loader:
                with torch.no_grad():
                    model(x)
            return
        model.eval()
        with torch.no_grad():
            for x, _ in loader:
                seen.append(x)
                model(x)
        model.train()

    def program() -> None:
        ordered, loader = DataLoader(data, 8), DataLoader(data, 8, num_workers=2 if how == "workers" else 0)
        if how == "before":
            evaluate(loader)
        for _ in range(2):
            fed(ordered, model, 1)
            evaluate(loader)

    under("shuffled-order", program)
    if how == "inside":
        assert under.why_not == "a loader was shuffled that feeds evaluation only"
        return
    assert under.why_not == ""
    assert all(torch.equal(torch.cat(seen[at : at + 8]), data.x) for at in range(0, len(seen), 8))
    assert not torch.equal(torch.cat(model.seen[8:16] if how == "before" else model.seen[:8]), data.x)


def test_data_sets_that_cannot_or_need_not_be_steadied(under: Under) -> None:
    under("augmentation-off", lambda: fed(DataLoader(Kept(), 8), Pair(4, 3)))
    assert under.why_not == "samples are the same each time they are fetched"
    under("augmentation-off", lambda: fed(DataLoader(Kept("own"), 8), Pair(4, 3)))
    assert under.why_not == "the data set has a random generator of its own"


def test_batches_of_another_size_from_a_batch_sampler(under: Under) -> None:
    model = Pair(4, 3)
    order = torch.utils.data.BatchSampler(torch.utils.data.SequentialSampler(range(64)), 16, drop_last=False)
    under("batch-size", lambda: fed(DataLoader(Kept(), batch_sampler=order), model), "10")
    assert under.why_not == ""
    assert [len(batch) for batch in model.seen[:7]] == [10] * 6 + [4]
    model = Pair(4, 3)
    under("batch-size", lambda: fed(DataLoader(Kept(), 8, drop_last=True), model), "100")
    assert under.why_not == ""
    assert [len(batch) for batch in model.seen] == [64, 64]
    under("batch-size", lambda: fed([(torch.randn(4, 4), torch.zeros(4).long())] * 4, Pair(4, 3)), "8")
    assert under.why_not == "the program cuts its batches itself, and they hold 4 samples"


def contrast(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(one @ other.T, torch.arange(len(one)))


def contrast_by_hand(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    far = torch.cdist(one, other)
    return (far.diagonal() - (-far).logsumexp(1)).mean()


@pytest.mark.parametrize("loss", [contrast, contrast_by_hand])
def test_a_sample_is_not_its_own_counterexample(under: Under, loss: Any) -> None:
    x = torch.randn(64, 4, generator=torch.Generator().manual_seed(1))

    def program(model: nn.Module) -> list[float]:
        return train(model, lambda step: loss(model(x[step * 8 :][:8]), model(x[step * 8 :][:8] + 0.1)))

    for name, value in (("batch-size", "4"), ("data-fraction", "0.3")):
        under(name, lambda: program(nn.Linear(4, 8)), value)
        assert under.why_not.startswith("samples are compared with each other")
    classes, y = nn.Linear(4, 8), torch.arange(64) % 3

    def classified(step: int) -> torch.Tensor:
        return F.cross_entropy(classes(x[step * 8 :][:8]), y[step * 8 :][:8])

    under("batch-size", lambda: train(classes, classified), "4")
    assert under.why_not == ""


def test_only_rows_tell_the_size_of_a_batch(under: Under) -> None:
    def halved(parts: list[Any]) -> Any:
        return torch.utils.data.default_collate(parts[: len(parts) // 2])

    under("batch-size", lambda: fed(DataLoader(Kept(), 16, collate_fn=halved), Pair(4, 3)), "4")
    assert under.why_not == "the change was made, and its effect was not seen"


def test_workers_come_and_go_with_their_settings(under: Under) -> None:
    def loader() -> Any:
        data = TensorDataset(torch.randn(32, 4), torch.arange(32) % 3)
        return DataLoader(data, 8, num_workers=1, persistent_workers=True, prefetch_factor=2, timeout=30)

    under("workers", lambda: fed(loader(), Pair(4, 3)), "0")
    assert under.why_not == ""
    under("workers", lambda: fed(loader(), Pair(4, 3)), "1")
    assert under.why_not == "the number of workers is 1 already"


@pytest.mark.parametrize("accumulated", [1, 3])
def test_a_loader_alone_tells_what_a_step_takes_of_it(
    under: Under, accumulated: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os._exit", sys.exit)
    model = nn.Linear(4, 3)

    def program() -> None:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(4):
            for number, (x, y) in enumerate(DataLoader(Kept(), 4), 1):
                F.cross_entropy(model(x), y).backward()
                if number % accumulated == 0:
                    optimizer.step()

    with pytest.raises(SystemExit):
        under("loader-only", program, "40")
    assert under.why_not == ""
    found = under.record.of("drained")[0]
    assert (found["batches"], found["each"]) == (40, accumulated)


def test_the_first_batch_is_handed_out_for_as_long_as_the_epoch_lasts(under: Under) -> None:
    model = Pair(4, 3)
    under("compute-only", lambda: fed(DataLoader(Kept(), 8, shuffle=True), model))
    assert under.why_not == ""
    assert len(model.seen) == 16
    assert len(set(rows_of(model))) <= 16


def test_every_kind_of_generator_follows_the_seed(under: Under) -> None:
    def drawn() -> tuple[Any, ...]:
        torch.manual_seed(3)
        random.seed(3)
        numpy.random.seed(3)
        own = torch.Generator()
        assert isinstance(own, torch.Generator) and isinstance(torch.default_generator, torch.Generator)
        assert isinstance(numpy.random.mtrand._rand, numpy.random.RandomState)
        for kept in (own.manual_seed(5), numpy.random.RandomState(5), random.Random(5)):
            pickle.loads(pickle.dumps(kept))
            copy.deepcopy(kept)
        train(nn.Linear(1, 1), lambda step: torch.zeros(1, requires_grad=True).sum(), 1)
        return (
            float(torch.rand(1)),
            random.random(),
            float(numpy.random.rand()),
            float(torch.rand(1, generator=own.manual_seed(5))),
            float(torch.rand(1, generator=torch.Generator().manual_seed(6))),
            float(numpy.random.RandomState(5).rand()),
            float(numpy.random.RandomState(6).rand()),
            random.Random(5).random(),
            float(numpy.random.default_rng(5).random()),
            float(numpy.random.default_rng([5, 6]).random()),
            float(numpy.random.default_rng(numpy.random.SeedSequence(5).spawn(2)[1]).random()),
        )

    plain = drawn()
    one, again, other = (under("seed", drawn, value) for value in ("7", "7", "8"))
    assert under.why_not == ""
    assert one == again
    assert all(a != b for a, b in zip(one, other, strict=True))
    assert all(a != b for a, b in zip(one, plain, strict=True))
    assert len({*one, *other}) == 2 * len(one)
    assert drawn() == plain


def test_a_program_that_seeds_nothing_is_seeded(under: Under) -> None:
    def program() -> float:
        train(nn.Linear(1, 1), lambda step: torch.zeros(1, requires_grad=True).sum(), 1)
        return float(torch.rand(1))

    assert under("seed", program, "7") == under("seed", program, "7") != under("seed", program, "8")
    assert under.why_not == ""


PYTHON = ["python", "train.py", "--lr", "0.1", "--half", "--out=a"]
LAUNCHED = ["torchrun", "--nproc-per-node", "2", "train.py", "optim.lr=3", "+data.size=4"]


@pytest.mark.parametrize(
    ("command", "value", "expected"),
    [
        (PYTHON, "--lr=1", ["python", "train.py", "--lr", "1", "--half", "--out=a"]),
        (PYTHON, "--lr 1", ["python", "train.py", "--lr", "1", "--half", "--out=a"]),
        (PYTHON, "--out b", ["python", "train.py", "--lr", "0.1", "--half", "--out=b"]),
        (PYTHON, "--steps 5", [*PYTHON, "--steps", "5"]),
        (PYTHON, "--steps=5", [*PYTHON, "--steps=5"]),
        (PYTHON, "--wide", [*PYTHON, "--wide"]),
        (LAUNCHED, "optim.lr=5", [*LAUNCHED[:4], "optim.lr=5", LAUNCHED[5]]),
        (LAUNCHED, "data.size=9", [*LAUNCHED[:5], "+data.size=9"]),
        (LAUNCHED, "--nproc-per-node=4", [*LAUNCHED, "--nproc-per-node=4"]),
        (["python", "-m", "torch.distributed.run", "--x", "1", "a.py"], "--x=2",
         ["python", "-m", "torch.distributed.run", "--x", "1", "a.py", "--x=2"]),
        (["python", "-m", "pack.train", "-b", "8"], "-b 4", ["python", "-m", "pack.train", "-b", "4"]),
    ],
)  # fmt: skip
def test_an_argument_is_replaced_where_it_stands_or_added(command: list[str], value: str, expected: list[str]) -> None:
    assert arg.prepare(command, {}, value)[0] == expected


def test_what_is_there_already_is_no_change(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="already"):
        arg.prepare(PYTHON, {}, "--half")
    monkeypatch.setenv("STETHO_TEST_VARIABLE", "1")
    with pytest.raises(ValueError, match="already"):
        env.prepare(PYTHON, {}, "STETHO_TEST_VARIABLE=1")
    assert env.prepare(PYTHON, {}, "STETHO_TEST_VARIABLE=2")[1] == {"STETHO_TEST_VARIABLE": "2"}


def mean_teacher(seen: list[torch.Tensor], first: str, steps: int = 30) -> list[float]:
    """A student that is to agree with a slow copy of itself, on samples that the program draws by itself."""
    rows, labels = torch.randn(60, 5), torch.randint(2, (60,))
    student = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 2))
    teacher = copy.deepcopy(student)

    def taught(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return torch.softmax(teacher(x) / 0.5, 1)

    def loss_of(step: int) -> torch.Tensor:
        at = torch.randint(60, (16,))
        x = rows[at]
        goal = taught(x) if first == "teacher" else None
        out = student(x)
        goal = taught(x) if goal is None else goal
        seen.append(goal.clone())
        with torch.no_grad():
            for slow, fast in zip(teacher.parameters(), student.parameters(), strict=True):
                slow.lerp_(fast, 0.1)
            if step in (0, 5):
                # Evaluation, whose output meets nothing that trains.
                right = [int((teacher(rows[n::3]).argmax(1) == labels[n::3]).sum()) for n in range(3)]
                assert 0 <= sum(right) <= 60
        return F.cross_entropy(out, labels[at]) + ((out.softmax(1) - goal) ** 2).mean()

    return train(student, loss_of, steps)


@pytest.mark.parametrize("first", ["student", "teacher"])
def test_one_batch_lets_a_teacher_go_on_learning(under: Under, first: str) -> None:
    seen: list[torch.Tensor] = []
    losses = under("one-batch", lambda: mean_teacher(seen, first))
    assert under.why_not == ""
    # Each goal is close to the one before, as the teacher is slow and its input stays, and none is the first for ever.
    moved = [float((b - a).abs().max()) for a, b in itertools.pairwise(seen)]
    assert 0 < max(moved) < 0.2 and not torch.equal(seen[0], seen[-1])
    assert losses[-1] < 0.5 * losses[0]


def test_what_a_teacher_makes_is_no_label(under: Under) -> None:
    def distilled() -> list[float]:
        rows, student, teacher = torch.randn(60, 5), nn.Linear(5, 2), nn.Linear(5, 2)

        def loss_of(step: int) -> torch.Tensor:
            x = rows[torch.randint(60, (16,))]
            with torch.no_grad():
                goal = (teacher(x) * 2).softmax(1)
            return F.mse_loss(student(x).softmax(1), goal)

        return train(student, loss_of)

    under("shuffled-labels", distilled)
    assert "made by another model" in under.why_not
    under("synthetic", distilled)
    assert "made by another model" in under.why_not
    under("data-fraction", distilled, "0.02")
    assert "made by another model" in under.why_not


def test_one_batch_sees_other_rewards_in_what_a_target_network_makes(under: Under) -> None:
    def q_learning() -> list[float]:
        rows, model, slow = torch.randn(60, 3), nn.Linear(3, 2), nn.Linear(3, 2)

        def loss_of(step: int) -> torch.Tensor:
            at = torch.randint(60, (16,))
            with torch.no_grad():
                goal = rows[at, 0] + 0.9 * slow(rows[at]).max(1).values
            return ((model(rows[at])[:, 0] - goal) ** 2).mean()

        return train(model, loss_of)

    under("one-batch", q_learning)
    assert under.why_not == "more than one batch reached what a model without gradients makes"


def test_features_that_a_model_has_made_before_are_data(under: Under) -> None:
    seen: list[torch.Tensor] = []

    def on_features() -> list[float]:
        body, head, labels = nn.Linear(5, 4), nn.Linear(4, 2), torch.randint(2, (60,))
        with torch.no_grad():
            features, goals = body(torch.randn(60, 5)).relu(), body(torch.randn(60, 5))[:, :2].softmax(1)
        head.register_forward_pre_hook(lambda module, args: seen.append(args[0].clone()))

        def loss_of(step: int) -> torch.Tensor:
            at = torch.randint(60, (16,))
            out = head(features[at])
            return F.cross_entropy(out, labels[at]) + F.mse_loss(out.softmax(1), goals[at])

        return train(head, loss_of)

    under("one-batch", on_features)
    assert under.why_not == ""
    assert all(torch.equal(x, seen[0]) for x in seen)


def walked() -> list[float]:
    """A critic that is called with one observation at a time."""
    model, rows = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)), torch.randn(50, 3) * 4

    def loss_of(step: int) -> torch.Tensor:
        values = torch.stack([model(rows[n]).squeeze(-1) for n in torch.randint(50, (5,))])
        return ((values - torch.randn(5)) ** 2).mean()

    return train(model, loss_of)


@pytest.mark.parametrize(
    ("name", "value"),
    [("one-batch", ""), ("batch-size", "1"), ("data-fraction", "0.5"), ("standardised-inputs", ""), ("synthetic", "")],
)
def test_a_single_observation_is_no_batch(under: Under, name: str, value: str) -> None:
    under(name, walked, value)
    assert under.why_not == "the model is called with single samples; there is no batch"


def test_numbers_that_the_model_makes_rows_of_are_a_batch(under: Under) -> None:
    class Curve(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.line = nn.Linear(1, 1)
            self.seen: list[torch.Tensor] = []

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.seen.append(x.clone())
            return self.line(x[:, None])[:, 0]

    model = Curve()
    under("batch-size", lambda: train(model, lambda _: ((model(x := torch.randn(20)) - 2 * x) ** 2).mean()), "4")
    assert under.why_not == ""
    assert all(len(x.unique()) == 4 for x in model.seen[1:])


def test_fewer_samples_to_be_told_apart_from_are_no_better_training(under: Under) -> None:
    def contrastive() -> list[float]:
        model = nn.Linear(6, 4)
        loader = iter(DataLoader(TensorDataset(torch.randn(400, 6)), batch_size=20))

        def loss_of(step: int) -> torch.Tensor:
            (x,) = next(loader)
            pairs = F.normalize(torch.cat([model(x), model(x + 0.1)]), dim=1)
            n = len(x)
            return F.cross_entropy(pairs @ pairs.T, torch.cat([torch.arange(n, 2 * n), torch.arange(n)]))

        return train(model, loss_of)

    under("batch-size", contrastive, "5")
    assert under.why_not.startswith("samples are compared with each other")


class Whole(nn.Module):
    """A model that is given the whole batch and computes with a part of it."""

    def __init__(self, parts: tuple[str, ...]) -> None:
        super().__init__()
        self.parts, self.line = parts, nn.Linear(4 * len(parts), 1)

    def forward(self, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        return self.line(torch.cat([batch[part].reshape(len(batch[part]), -1) for part in self.parts], 1))


def on_whole_batches(model: Whole, target: str, shape: tuple[int, ...] = (12,)) -> list[float]:
    def loss_of(step: int) -> torch.Tensor:
        x = torch.randn(12, 4)
        batch = {"target": x.sum(1).reshape(shape), "feats": x, "more": torch.randn(12, 4)}
        return ((model(batch) - batch[target]) ** 2).mean()

    return train(model, loss_of, steps=40)


def test_a_target_that_the_model_only_carries_along_is_a_label(under: Under) -> None:
    under("shuffled-labels", lambda: on_whole_batches(Whole(("feats",)), "target", (12, 1)))
    assert under.why_not == ""
    assert under.record.applied.count >= 30
    under("loss-shapes", lambda: on_whole_batches(Whole(("feats",)), "target"))
    assert under.why_not == ""


def test_what_the_model_computes_with_is_no_label(under: Under) -> None:
    under("shuffled-labels", lambda: on_whole_batches(Whole(("feats", "more")), "more"))
    assert under.why_not == "the change had nothing to act on"


def test_made_up_targets_follow_from_what_the_model_reads(under: Under) -> None:
    losses = under("synthetic", lambda: on_whole_batches(Whole(("feats",)), "target", (12, 1)))
    assert under.why_not == ""
    assert losses[-1] < 0.5 * max(losses)


def test_a_model_inside_a_transform_is_out_of_reach(under: Under) -> None:
    def ensemble() -> None:
        models = [nn.Linear(4, 3) for _ in range(2)]
        params, buffers = torch.func.stack_module_state(models)
        bare = copy.deepcopy(models[0]).to("meta")
        optimizer = torch.optim.SGD(list(params.values()), lr=0.1)
        labels = torch.randint(3, (16,))

        def one(p: Any, b: Any, x: torch.Tensor) -> Any:
            return torch.func.functional_call(bare, (p, b), (x,))

        for _ in range(STEPS):
            out = torch.func.vmap(one, in_dims=(0, 0, None))(params, buffers, torch.randn(16, 4))
            loss = F.cross_entropy(out.flatten(0, 1), labels.repeat(2))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    for name, value in (("one-batch", ""), ("batch-size", "4"), ("standardised-inputs", "")):
        under(name, ensemble, value)
        assert "inside a transform" in under.why_not


class Watched(nn.Module):
    """Keeps what it is given, in training and in evaluation."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.Sequential(*layers)
        self.trained: list[torch.Tensor] = []
        self.tested: list[torch.Tensor] = []

    def forward(self, x: torch.Tensor) -> Any:
        (self.trained if self.training else self.tested).append(x.clone())
        return self.layers(x)


def with_held_out(model: Watched, x: torch.Tensor, *held: torch.Tensor) -> Callable[[], list[float]]:
    """A training on rows of x that evaluates what is held out after each step."""
    y = torch.randint(0, 3, (len(x),), generator=torch.Generator().manual_seed(2))

    def loss_of(step: int) -> torch.Tensor:
        model.eval()
        with torch.no_grad():
            for one in held:
                model(one)
        model.train()
        rows = slice(step % 4 * 16, step % 4 * 16 + 16)
        return F.cross_entropy(model(x[rows]), y[rows])

    return lambda: train(model, loss_of)


def test_evaluation_is_brought_to_the_scale_of_training(under: Under) -> None:
    draw = torch.Generator().manual_seed(1)
    x = torch.randn(64, 5, generator=draw)
    held = 40 + 9 * torch.randn(50, 5, generator=draw)
    model = Watched(nn.Linear(5, 3))
    under("training-scale", with_held_out(model, x, held))
    assert under.why_not == ""
    assert torch.equal(model.tested[0], held), "nothing is known of training yet"
    seen = torch.cat(model.trained)
    assert torch.allclose(model.tested[-1].mean(0), seen[:-16].mean(0), atol=0.1)
    assert torch.allclose(model.tested[-1].std(0), seen[:-16].std(0), atol=0.1)
    assert all(torch.equal(given, x[k % 4 * 16 :][:16]) for k, given in enumerate(model.trained))


def test_channels_in_reverse_order_are_turned_round(under: Under) -> None:
    draw = torch.Generator().manual_seed(1)
    colours = torch.tensor([0.9, 0.5, 0.1]).view(3, 1, 1)
    x = colours + 0.1 * torch.randn(64, 3, 4, 4, generator=draw)
    held = colours.flip(0) + 0.1 * torch.randn(40, 3, 4, 4, generator=draw)
    model = Watched(nn.Flatten(), nn.Linear(48, 3))
    under("training-scale", with_held_out(model, x, held))
    assert under.why_not == ""
    assert torch.equal(model.tested[-1], held.flip(1))


def test_what_is_like_the_training_or_is_training_data_stays_as_it_is(under: Under) -> None:
    draw = torch.Generator().manual_seed(1)
    x, held = torch.randn(64, 5, generator=draw), 0.1 + torch.randn(200, 5, generator=draw)
    model = Watched(nn.Linear(5, 3))
    under("training-scale", with_held_out(model, x, held, x))
    assert "like those of training" in under.why_not or "its training data" in under.why_not
    assert all(torch.equal(given, (held, x)[k % 2]) for k, given in enumerate(model.tested))
    words = Words()
    under("training-scale", lambda: text(words))
    assert under.why_not


def test_half_of_the_samples_train_and_all_are_evaluated(under: Under) -> None:
    draw = torch.Generator().manual_seed(1)
    x, held = torch.randn(64, 5, generator=draw), torch.randn(30, 5, generator=draw)
    model = Watched(nn.Linear(5, 3))
    under("half-data", with_held_out(model, x, held))
    assert under.why_not == ""
    met = {tuple(row) for batch in model.trained for row in batch.tolist()}
    assert 16 < len(met) < 48 and met < {tuple(row) for row in x.tolist()}
    assert all(torch.equal(given, held) for given in model.tested)


def test_weights_are_held_back_and_a_part_is_dropped_in_training_only(under: Under) -> None:
    draw = torch.Generator().manual_seed(1)
    x, held = torch.randn(64, 5, generator=draw), torch.randn(30, 5, generator=draw)

    class Seen(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = nn.Linear(5, 100), nn.Linear(100, 3)
            self.zeros: dict[bool, list[float]] = {True: [], False: []}
            self.tested: list[torch.Tensor] = []
            self.trained: list[torch.Tensor] = []

        def forward(self, x: torch.Tensor) -> Any:
            made = F.relu(self.first(x) + 100.0)
            self.zeros[self.training].append(float((made == 0).float().mean()))
            return self.last(made)

    model = Seen()
    begun = float(model.first.weight.detach().abs().sum())
    under("regularised", with_held_out(model, x, held), "8")  # type: ignore[arg-type]
    assert under.why_not == ""
    assert all(0.2 < share < 0.4 for share in model.zeros[True]) and set(model.zeros[False]) == {0.0}
    # However short the run, no step takes more than a hundredth of every weight.
    left = float(model.first.weight.detach().abs().sum()) / begun
    assert left > 0.8


def windows_of(length: int = 12, size: int = 300) -> torch.Tensor:
    series = torch.randn(size, generator=torch.Generator().manual_seed(4))
    return series.unfold(0, length, 1)


def test_windows_of_the_last_third_of_the_time_are_left_out(under: Under) -> None:
    x = windows_of()
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(5))
    model = Watched(nn.Linear(12, 3))
    y = torch.randint(0, 3, (len(x),), generator=torch.Generator().manual_seed(2))

    def loss_of(step: int) -> torch.Tensor:
        rows = order[step % 5 * 50 :][:50]
        return F.cross_entropy(model(x[rows]), y[rows])

    under("time-apart", lambda: train(model, loss_of, steps=15))
    assert under.why_not == ""
    place = {tuple(row): n for n, row in enumerate(x.tolist())}
    first, later = (
        [place[tuple(r)] for b in part for r in b.tolist()] for part in (model.trained[:5], model.trained[5:])
    )
    assert max(first) > 280 and 180 < max(later) <= 195, "no later window overlaps the last third"


def test_samples_that_do_not_follow_on_each_other_stay(under: Under) -> None:
    x = torch.randn(64, 12, generator=torch.Generator().manual_seed(1))
    model = Watched(nn.Linear(12, 3))
    under("time-apart", with_held_out(model, x, x[:20]))
    assert under.why_not
    assert all(torch.equal(given, x[k % 4 * 16 :][:16]) for k, given in enumerate(model.trained))


def test_the_place_of_the_target_is_held(under: Under) -> None:
    x = windows_of(size=76)
    model = Watched(nn.Linear(12, 3))
    under("without-target", with_held_out(model, x[:64], x[40:]), "11/12")
    assert under.why_not == ""
    assert all(len(given[:, 11].unique()) == 1 and len(given[:, 10].unique()) > 1 for given in model.trained[1:])
    under("without-target", with_held_out(model, x[:64], x[40:]))
    assert "not found" in under.why_not


def test_training_data_that_is_evaluated_as_well_stays_in_the_training(under: Under) -> None:
    draw = torch.Generator().manual_seed(1)
    x = torch.randn(64, 5, generator=draw)
    held = torch.cat([x[::4], torch.randn(10, 5, generator=draw)])
    y = torch.randint(0, 3, (64,), generator=draw)
    model = Watched(nn.Linear(5, 3))

    def loss_of(step: int) -> torch.Tensor:
        if step % 4 == 0 and step:
            model.eval()
            with torch.no_grad():
                model(x)
                model(held)
            model.train()
        rows = slice(step % 4 * 16, step % 4 * 16 + 16)
        return F.cross_entropy(model(x[rows]), y[rows])

    under("apart", lambda: train(model, loss_of, steps=12))
    assert under.why_not == ""
    seen = {tuple(row) for given in model.trained[4:] for row in given.tolist()}
    assert not seen & {tuple(row) for row in x[::4].tolist()}
    assert {tuple(row) for row in x[1::2].tolist()} <= seen, "what is only training data is trained on as before"


def copies(draw: torch.Generator, count: int = 20, each: int = 4) -> torch.Tensor:
    """Near copies of each of some samples, in the order of a shuffle."""
    x = torch.randn(count, 6, generator=draw).repeat_interleave(each, 0)
    x = x + 0.02 * torch.randn(x.shape, generator=draw)
    return x[torch.randperm(len(x), generator=draw)]


def groups_in(model: Watched, x: torch.Tensor) -> list[int]:
    """How many different samples near to each one were trained on."""
    seen = torch.cat(model.trained).unique(dim=0)
    return [int(((seen - one).norm(dim=1) < 0.5).sum()) for one in x]


@pytest.mark.parametrize(("name", "least"), [("siblings-apart", 0), ("siblings-thinned", 1)])
def test_of_near_copies_whole_groups_are_taken_out_or_all_but_one(under: Under, name: str, least: int) -> None:
    x = copies(torch.Generator().manual_seed(1))
    y = torch.arange(80) % 3
    model = Watched(nn.Linear(6, 3))

    def loss_of(step: int) -> torch.Tensor:
        rows = slice(step % 5 * 16, step % 5 * 16 + 16)
        return F.cross_entropy(model(x[rows]), y[rows])

    under(name, lambda: train(model, loss_of, steps=15), "0.5")
    assert under.why_not == ""
    met = groups_in(model, x)
    assert min(met) == least and 30 <= len(torch.cat(model.trained).unique(dim=0)) <= 50
    if name == "siblings-apart":
        assert set(met) == {0, 4}, "a group is there as a whole, or not at all"
    under(name, lambda: train(model, loss_of, steps=6))
    assert "not measured" in under.why_not


class Parts(nn.Module):
    """A body and a head, of which a checkpoint has the body under another name."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 8))
        self.head = nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x))


@pytest.mark.parametrize("name", ["encoder", "net.trunk"])
def test_weights_of_a_part_with_another_name_are_put_into_it(under: Under, name: str) -> None:
    read = {f"{name}.{key}": torch.randn_like(value) for key, value in Parts().body.state_dict().items()}
    read["classifier.weight"] = torch.randn(40, 8)
    model, begun = Parts(), []

    def loss_of(step: int) -> torch.Tensor:
        output = model(torch.ones(4, 5))
        begun.append({key: value.clone() for key, value in model.body.state_dict().items()})
        return F.cross_entropy(output, torch.zeros(4, dtype=torch.long))

    def program() -> list[float]:
        model.load_state_dict(read, strict=False)
        return train(model, loss_of, steps=1)

    under("read-weights", program)
    assert under.why_not == ""
    assert all(torch.equal(begun[0][key], read[f"{name}.{key}"]) for key in begun[0])


@pytest.mark.parametrize("again", [False, True])
def test_a_frozen_encoder_gets_the_weights_that_were_passed_over(under: Under, again: bool) -> None:
    encoder, head, begun = nn.Sequential(nn.Linear(5, 16), nn.Tanh()).requires_grad_(False), nn.Linear(16, 3), []
    read = {f"trunk.{key}": torch.randn_like(value) for key, value in encoder.state_dict().items()}

    def loss_of(step: int) -> torch.Tensor:
        output = head(encoder(torch.ones(4, 5)))
        begun.append({key: value.clone() for key, value in encoder.state_dict().items()})
        return F.cross_entropy(output, torch.zeros(4, dtype=torch.long))

    def program() -> list[float]:
        encoder.load_state_dict(read, strict=False)
        if again:
            encoder.load_state_dict({key[6:]: value for key, value in read.items()})
        return train(head, loss_of, steps=1)

    under("read-weights", program)
    assert bool(under.why_not) is again, "what has arrived is not written again"
    assert all(torch.equal(begun[0][key], read[f"trunk.{key}"]) for key in begun[0])


def test_weights_of_another_model_are_not_put_into_parts(under: Under) -> None:
    read = {"trunk.0.weight": torch.randn(16, 7), "trunk.0.bias": torch.randn(16), "trunk.2.weight": torch.randn(9, 16)}
    model = Parts()

    def program() -> list[float]:
        model.load_state_dict(read, strict=False)
        return train(model, lambda step: model(torch.ones(4, 5)).square().mean(), steps=1)

    under("read-weights", program)
    assert under.why_not


class Places(nn.Module):
    """A layer of torch's that was built without batch_first, and notes which axis it has mixed."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer, self.head = layer, nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made = self.layer(x, x, x) if isinstance(self.layer, nn.MultiheadAttention) else self.layer(x)
        return self.head(made[0] if isinstance(made, tuple) else made)


def reaches(model: nn.Module, x: torch.Tensor) -> tuple[bool, bool]:
    """Whether the last place of the last sample follows another sample, and another place of its own."""
    x = x.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(model(x)[-1, -1].square().sum(), x)
    return bool(gradient[:-1].any()), bool(gradient[-1, :-1].any())


LAYERS = {
    "attention": lambda first: nn.MultiheadAttention(8, 2, batch_first=first),
    "transformer": lambda first: nn.TransformerEncoder(
        nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=first), 1, enable_nested_tensor=False
    ),
    "recurrent": lambda first: nn.GRU(8, 8, bidirectional=False, batch_first=first),
}


@pytest.mark.parametrize("kind", LAYERS)
def test_layers_are_told_that_samples_come_first(under: Under, kind: str) -> None:
    model, x = Places(LAYERS[kind](False)), torch.randn(6, 5, 8, generator=torch.Generator().manual_seed(3))
    found: list[tuple[bool, bool]] = []

    def loss_of(step: int) -> torch.Tensor:
        found.append(reaches(model, x))
        return model(x).square().mean()

    train(model, loss_of, steps=1)
    assert found[-1] == (True, False)
    under("batch-first", lambda: train(model, loss_of, steps=2))
    assert under.why_not == ""
    assert found[-1] == (False, True), "places of one sample, and no other sample"


def test_layers_that_were_told_stay_as_they_are(under: Under) -> None:
    model, x = Places(LAYERS["transformer"](True)), torch.randn(6, 5, 8)
    under("batch-first", lambda: train(model, lambda step: model(x).square().mean(), steps=2))
    assert under.why_not


@pytest.mark.parametrize("behind", [False, True])
def test_each_sample_alone_wherever_the_samples_lie(under: Under, behind: bool) -> None:
    class Turned(nn.Module):
        """Pools places, and so cannot take a single one; a reshape stands where a transpose was meant."""

        def __init__(self) -> None:
            super().__init__()
            self.pool, self.out = nn.MaxPool1d(2), nn.Linear(4, 3)
            self.norm = nn.BatchNorm1d(4)
            self.seen: list[tuple[int, ...]] = []

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.seen.append(tuple(x.shape))
            samples, places = (x.shape[1], x.shape[0]) if behind else x.shape[:2]
            out: torch.Tensor = self.out(self.norm(self.pool(x.reshape(samples, places, 4).transpose(1, 2)).mean(2)))
            return out

    model, made = Turned(), []
    x = torch.randn((10, 6, 4) if behind else (6, 10, 4), generator=torch.Generator().manual_seed(1))
    y = torch.arange(6) % 3

    def loss_of(step: int) -> torch.Tensor:
        made.append(model(x))
        return F.cross_entropy(made[-1], y)

    under("samples-alone", lambda: train(model, loss_of, steps=3))
    assert under.why_not == ""
    assert all(out.shape == (6, 3) for out in made)
    assert model.seen[-6:] == [(10, 1, 4) if behind else (1, 10, 4)] * 6
    assert all(module.training for module in model.modules())


def test_a_last_batch_of_one_sample_behind_its_places_is_taken_as_it_is(under: Under) -> None:
    class Last(nn.Module):
        """The last place of each sample, with places first."""

        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(4, 3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            calls.append(tuple(x.shape))
            return x[-1] @ self.weight

    calls: list[tuple[int, ...]] = []
    model = Last()
    batches = [torch.ones(5, 6, 4), torch.ones(5, 1, 4)]
    under("samples-alone", lambda: train(model, lambda step: model(batches[step]).square().mean(), steps=2))
    assert under.why_not == ""
    assert calls[-7:] == [(5, 1, 4)] * 7


def test_a_model_without_a_row_for_each_sample_is_called_whole(under: Under) -> None:
    class Flattened(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(4, 3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (x @ self.weight).flatten()

    model, made = Flattened(), []
    x = torch.randn(6, 4, generator=torch.Generator().manual_seed(1))

    def loss_of(step: int) -> torch.Tensor:
        made.append(model(x))
        return made[-1].square().mean()

    under("samples-alone", lambda: train(model, loss_of, steps=2))
    assert under.why_not == "the model does not give back a row for each sample"
    assert all(out.shape == (18,) for out in made)
