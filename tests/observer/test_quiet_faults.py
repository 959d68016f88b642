"""Facts of faults that leave the loss falling: dropout that does not ask for the mode, rounding, clips of Keras's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stetho import measure, recording
from stetho.executors import local
from stetho.experiment import Bound, Job
from stetho.facts import Clipping, DroppedInEvaluation, Evaluations, Fact, LossCurve, LossInputs, RoundedUpdates

TORCH = """
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
X = torch.randn(64, 6); Y = (X @ torch.randn(6, 3)).argmax(1)
"""


def facts_of(tmp_path: Path, program: str) -> dict[type[Fact], Fact]:
    (tmp_path / "train.py").write_text(program)
    ran = local.run(Job((sys.executable, "train.py"), str(tmp_path), 0, Bound(120.0, None)))
    try:
        assert ran.code == 0, ran.output.read_text(errors="replace")
        return {type(fact): fact for fact, _ in measure.facts(recording.read(ran.recording))}
    finally:
        ran.discard()


EVALUATED = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(6, 32), nn.Linear(32, 3)
    def forward(self, x):
        return self.two({dropped})
net = Net(); sgd = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(6):
    net.train()
    loss = F.cross_entropy(net(X), Y)
    sgd.zero_grad(); loss.backward(); sgd.step()
    net.eval()
    with torch.no_grad():
        net(X)
"""


def test_what_is_dropped_in_evaluation_mode_is_seen_with_its_line(tmp_path: Path) -> None:
    program = TORCH + EVALUATED.format(dropped="F.dropout(self.one(x), 0.4)")
    found = facts_of(tmp_path, program)[DroppedInEvaluation]
    assert isinstance(found, DroppedInEvaluation)
    line = next(n for n, text in enumerate(program.splitlines(), 1) if "F.dropout" in text)
    assert found.shares == (0.4,)
    assert [place.line for place in found.places] == [line]


def test_nothing_is_dropped_where_the_mode_is_asked_for(tmp_path: Path) -> None:
    dropped = "F.dropout(self.one(x), 0.4, self.training)"
    found = facts_of(tmp_path, TORCH + EVALUATED.format(dropped=dropped))[DroppedInEvaluation]
    assert isinstance(found, DroppedInEvaluation)
    assert (found.shares, found.looked_at) == ((), 1)


ROUNDED = """
net = nn.Linear(6, 3).bfloat16()
sgd = torch.optim.SGD(net.parameters(), lr={rate})
for _ in range(30):
    before = net.weight.detach().clone()
    loss = F.cross_entropy(net(X.bfloat16()).float(), Y)
    sgd.zero_grad(); loss.backward(); sgd.step()
"""


@pytest.mark.parametrize(("rate", "low", "high"), [(1e-4, 0.7, 1.0), (1.0, 0.0, 0.3)])
def test_updates_that_are_rounded_away_are_counted(tmp_path: Path, rate: float, low: float, high: float) -> None:
    found = facts_of(tmp_path, TORCH + ROUNDED.format(rate=rate))[RoundedUpdates]
    assert isinstance(found, RoundedUpdates)
    assert (found.elements, found.dtype) == (21, "bfloat16")
    assert all(low <= share <= high for share in found.shares)


def test_clips_of_keras_are_seen(tmp_path: Path) -> None:
    program = """
import os
os.environ["KERAS_BACKEND"] = "torch"
import numpy as np, keras
keras.utils.set_random_seed(0)
x = np.random.default_rng(0).normal(size=(128, 4)).astype("float32")
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
net.compile(optimizer=keras.optimizers.SGD(0.1, clipnorm=1e-3), loss="mse")
net.fit(x, x[:, :1], batch_size=32, epochs=2, verbose=0)
"""
    found = facts_of(tmp_path, program)[Clipping]
    assert isinstance(found, Clipping)
    assert set(found.limits) == {1e-3}
    assert min(found.norms) > 1e-3


KERAS = """
import os
os.environ["KERAS_BACKEND"] = "torch"
import numpy as np, keras
keras.utils.set_random_seed(0)
x = np.random.default_rng(0).normal(size=(160, 4)).astype("float32")
kind = np.arange(160) % 4
told = {{"classes": kind, "rows": np.eye(4, dtype="float32")[kind], "numbers": x[:, :1]}}["{form}"]
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense({units}, activation={activation})])
net.compile(optimizer="sgd", loss={loss})
net.fit(x[:128], told[:128], batch_size=32, epochs=3, verbose=0, validation_data=(x[128:], told[128:]))
"""
OF_LOGITS = "keras.losses.CategoricalCrossentropy(from_logits=True)"


@pytest.mark.parametrize(
    ("form", "units", "activation", "loss", "function"),
    [
        ("rows", 4, "'softmax'", "'categorical_crossentropy'", "nll_loss"),
        ("rows", 4, "None", OF_LOGITS, "cross_entropy"),
        ("classes", 4, "'softmax'", "'sparse_categorical_crossentropy'", "nll_loss"),
        ("numbers", 1, "None", "'mse'", "mse_loss"),
    ],
)
def test_losses_of_keras_are_those_of_torch(
    tmp_path: Path, form: str, units: int, activation: str, loss: str, function: str
) -> None:
    facts = facts_of(tmp_path, KERAS.format(form=form, units=units, activation=activation, loss=loss))
    curve, inputs, seen = facts[LossCurve], facts[LossInputs], facts[Evaluations]
    assert isinstance(curve, LossCurve) and isinstance(inputs, LossInputs) and isinstance(seen, Evaluations)
    assert {site.function for site in inputs.sites if site.trained} - {"log_softmax"} == {function}
    assert curve.chance is not None and (form == "numbers" or curve.chance == pytest.approx(1.386, abs=1e-3))
    held_out = seen.held_out()
    assert held_out is not None and len(held_out.steps) == 3
    assert (held_out.right[-1] is None) == (form == "numbers")


def test_ends_of_series_of_numbers_are_seen(tmp_path: Path) -> None:
    program = """
lengths = torch.randint(2, 9, (64,))
target = torch.where(torch.arange(8)[None] < lengths[:, None], torch.randn(64, 8), torch.tensor(0.0))
net = nn.Linear(6, 8); sgd = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(8):
    loss = F.mse_loss(net(X), target)
    sgd.zero_grad(); loss.backward(); sgd.step()
"""
    found = facts_of(tmp_path, TORCH + program)[LossInputs]
    assert isinstance(found, LossInputs)
    site = found.sites[0]
    assert site.tail == 0.0
    assert site.tail_lengths is not None and site.tail_lengths >= 5
    assert site.tail_counted == pytest.approx(0.4, abs=0.15)
    assert site.tail_inside == 0.0
