"""The normalisation in front of the loss is taken away, wherever and however it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho.evidence import Place
from stetho.facts import LossInput, LossInputs
from stetho.fixes import Grounds, cures

CAUSE = "loss/double-softmax"


def edits(folder: Path, text: str, *frames: tuple[int, str], loss_at: int | None = None, **more: object) -> list[str]:
    """The texts that the cures would give; `frames` are the lines and functions that made the probabilities."""
    file = folder / "train.py"
    file.write_bytes(text.encode("utf-8"))
    places = tuple(Place(str(file), line, key=name) for line, name in frames)
    where = Place(str(file), loss_at) if loss_at is not None else None
    body = {"function": "cross_entropy", "where": where, "looked_at": 9, "normalised": 9, "produced_at": places, **more}
    facts = {LossInputs: LossInputs((LossInput(**body),))}  # type: ignore[arg-type]
    found = []
    for cure in cures(CAUSE, Grounds(facts, ("python", "train.py"), str(folder))):
        [edit] = cure.edits
        assert (edit.file, edit.before) == (str(file), text)
        assert [place.line for place in cure.where] == [edit.line]
        compile(edit.after, "train.py", "exec")
        found.append(edit.after)
    return found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("F.softmax(self.fc(x), dim=-1)", "self.fc(x)", id="functional"),
        pytest.param("torch.softmax(h, 1)", "h", id="torch"),
        pytest.param("torch.nn.functional.softmax(h, dim=1)", "h", id="in full"),
        pytest.param("softmax(h, dim=1)", "h", id="a bare name"),
        pytest.param("torch.sigmoid(h)", "h", id="sigmoid"),
        pytest.param("h.softmax(-1)", "h", id="method"),
        pytest.param("self.fc(x).softmax(dim=-1)", "self.fc(x)", id="method of a call"),
        pytest.param("self.fc(x).sigmoid()", "self.fc(x)", id="sigmoid method"),
        pytest.param("torch.log_softmax(h, -1)", None, id="log_softmax stays"),
        pytest.param("self.fc(x).relu()", None, id="another function stays"),
        pytest.param("F.softmax(input=h, dim=1)", None, id="a keyword argument is left alone"),
    ],
)
def test_a_function_or_method_is_replaced_by_what_it_was_given(tmp_path: Path, before: str, after: str | None) -> None:
    text = f"import torch\nimport torch.nn.functional as F\n\ndef forward(self, x, h):\n    # ä\n    return {before}\n"
    expected = [] if after is None else [text.replace(before, after)]
    assert edits(tmp_path, text, (6, "forward")) == expected


def test_line_ends_tabs_and_other_text_stay(tmp_path: Path) -> None:
    text = (
        "import torch\r\nclass Netz:\r\n\tdef forward(self, x):\r\n\t\treturn torch.softmax('é' and x, 1)  # größer\r\n"
    )
    assert edits(tmp_path, text, (4, "forward")) == [text.replace("torch.softmax('é' and x, 1)", "('é' and x)")]


def test_a_call_over_several_lines_is_found_from_its_innermost_line(tmp_path: Path) -> None:
    text = "import torch\ndef forward(x):\n    return torch.softmax(\n        x,\n        dim=1,\n    )\n"
    assert edits(tmp_path, text, (4, "forward")) == ["import torch\ndef forward(x):\n    return x\n"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("nn.Softmax(dim=1)", "nn.Identity()"),
        ("torch.nn.Sigmoid()", "torch.nn.Identity()"),
        ("Softmax(-1)", "torch.nn.Identity()"),
    ],
)
def test_a_layer_is_replaced_by_one_that_does_nothing(tmp_path: Path, before: str, after: str) -> None:
    text = f"import torch\nfrom torch import nn\nfrom torch.nn import Softmax\nnet = nn.Sequential(a, {before})\n"
    assert edits(tmp_path, text, (4, "<module>")) == [text.replace(before, after)]


def test_a_bare_layer_without_torch_at_hand_is_left_alone(tmp_path: Path) -> None:
    text = "from torch.nn import Linear, Sequential, Softmax\nnet = Sequential(Linear(2, 3), Softmax(1))\n"
    assert edits(tmp_path, text, (2, "<module>")) == []


def test_a_layer_called_by_its_attribute_is_replaced_by_what_it_was_given(tmp_path: Path) -> None:
    text = (
        "from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n        self.softmax = nn.Softmax(1)\n"
        "    def forward(self, h):\n        return self.softmax(h)\n"
    )
    assert edits(tmp_path, text, (4, "__init__"), (6, "forward")) == [
        text.replace("nn.Softmax(1)", "nn.Identity()"),
        text.replace("self.softmax(h)", "h"),
    ]


def test_a_helper_of_the_users_is_mended_first_and_then_left_out(tmp_path: Path) -> None:
    text = (
        "import torch\n"
        "def probabilities(scores, axis):\n    return torch.softmax(scores, axis)\n"
        "def forward(x):\n    return probabilities(x, 1)\n"
    )
    assert edits(tmp_path, text, (3, "probabilities"), (5, "forward")) == [
        text.replace("torch.softmax(scores, axis)", "scores"),
        text.replace("probabilities(x, 1)", "x"),
    ]


def test_a_helper_in_a_file_that_is_not_there_is_left_out_all_the_same(tmp_path: Path) -> None:
    text = "from other import probabilities\ndef forward(x):\n    return probabilities(x, 1)\n"
    file = tmp_path / "train.py"
    file.write_text(text, encoding="utf-8")
    frames = (Place(str(tmp_path / "other.py"), 1, key="probabilities"), Place(str(file), 3, key="forward"))
    site = LossInput(function="cross_entropy", where=None, looked_at=9, normalised=9, produced_at=frames)
    [cure] = cures(CAUSE, Grounds({LossInputs: LossInputs((site,))}, (), str(tmp_path)))
    assert cure.edits[0].after == text.replace("probabilities(x, 1)", "x")


@pytest.mark.parametrize("name", ["forward", "<module>", "__call__", "<lambda>"])
def test_a_model_is_no_helper(tmp_path: Path, name: str) -> None:
    text = "def step(net, x):\n    return net.forward(x)\n"
    assert edits(tmp_path, text, (99, name), (2, "step")) == []


def test_the_loss_is_given_logarithms_as_a_last_resort(tmp_path: Path) -> None:
    text = "import torch.nn.functional as F\nloss = F.cross_entropy(net(x), y)\nprint('é', loss)\n"
    assert edits(tmp_path, text, loss_at=2) == [text.replace("net(x)", "(net(x) + 1e-7).log()")]


def test_a_loss_with_unpacked_arguments_is_left_alone(tmp_path: Path) -> None:
    assert edits(tmp_path, "loss = criterion(*pair, weight=w)\n", loss_at=1) == []


def test_the_binary_loss_is_not_given_a_logarithm(tmp_path: Path) -> None:
    text = "loss = F.binary_cross_entropy_with_logits(p, y)\n"
    found = edits(tmp_path, text, loss_at=1, function="binary_cross_entropy_with_logits")
    assert text.replace("(p,", "((p + 1e-7).log(),") not in found


@pytest.mark.parametrize("more", [{"trained": False}, {"normalised": 8}])
def test_a_loss_that_is_not_at_fault_is_left_alone(tmp_path: Path, more: dict[str, object]) -> None:
    text = "import torch\nloss = f(torch.softmax(x, 1), y)\n"
    assert edits(tmp_path, text, (2, "<module>"), loss_at=2, **more) == []


PASTED = "what replaces a call is pasted without parentheses"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("torch.softmax(a + b, -1) * mask", "(a + b) * mask"),
        ("torch.softmax(a / t, -1).squeeze(1)", "(a / t).squeeze(1)"),
        ("mask * (a + b).softmax(-1)", "mask * (a + b)"),
    ],
)
def test_the_argument_stays_one_value(tmp_path: Path, before: str, after: str) -> None:
    text = f"import torch\ndef forward(a, b, t, mask):\n    return {before}\n"
    assert edits(tmp_path, text, (3, "forward")) == [text.replace(before, after)]


def test_an_argument_over_several_lines_stays_one_value(tmp_path: Path) -> None:
    text = "import torch\ndef forward(a, b):\n    return torch.softmax(\n        a\n        + b, -1)\n"
    assert edits(tmp_path, text, (3, "forward"))


def test_without_facts_there_is_no_cure(tmp_path: Path) -> None:
    assert list(cures(CAUSE, Grounds({}, (), str(tmp_path)))) == []
