"""What reorders, shifts or indexes one of two arrays is done to both or to none."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho.evidence import Place
from stetho.facts import LearningRate, LossCurve
from stetho.fixes import Grounds, cures

CAUSE = "data/labels-misaligned"


def edits(folder: Path, text: str, name: str = "train.py") -> list[str]:
    """The texts that the cures would give, likeliest first."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode("utf-8"))
    found = []
    for cure in cures(CAUSE, Grounds({}, ("python", "train.py"), str(folder))):
        [edit] = cure.edits
        assert edit.before.encode() == Path(edit.file).read_bytes()
        assert cure.where and all(place.file == edit.file for place in cure.where)
        compile(edit.after, edit.file, "exec")
        found.append(edit.after)
    assert len(set(found)) == len(found)
    return found


def changed(text: str, *pairs: tuple[str, str]) -> str:
    """The text with each piece, which must occur once, written differently."""
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


# --- one of two is reordered ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "order",
    [
        "torch.randperm(len(x))",
        "np.random.permutation(len(x))",
        "x[:, 0].argsort()",
        "rng.choice(9, 9)",
        "random.sample(r, 9)",
    ],
)
def test_what_is_reordered_alone_takes_its_partner_along(tmp_path: Path, order: str) -> None:
    text = f"import torch\nordnung = {order}  # é\nx = x[ordnung]\nfit(x, y)\n"
    found = edits(tmp_path, text)
    assert found[0] == changed(text, ("x[ordnung]\n", "x[ordnung]\ny = y[ordnung]\n"))
    assert changed(text, ("x = x[ordnung]", "x = x")) in found


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_partners_stand_beside_it_under_its_old_or_its_new_name(tmp_path: Path, end: str) -> None:
    text = (
        "class Daten:\n\tdef __init__(self, x, y):\n\t\tp = randperm(len(x))\n\t\tself.x = x[p]\n\t\tself.y = y\n"
        "\tdef both(self):\n\t\treturn self.x, self.y\n"
    ).replace("\n", end)
    found = edits(tmp_path, text)
    assert found[0] == changed(text, (f"self.x = x[p]{end}", f"self.x = x[p]{end}\t\tself.y = self.y[p]{end}"))
    assert changed(text, ("x[p]", "x")) in found


def test_an_order_shuffled_in_place_is_an_order(tmp_path: Path) -> None:
    text = "import random\ni = list(range(9))\nrandom.shuffle(i)\nx = x[i]\npairs = zip(x, y)\n"
    assert edits(tmp_path, text)[0] == changed(text, ("x = x[i]\n", "x = x[i]\ny = y[i]\n"))


def test_an_index_that_is_no_order_is_left_alone(tmp_path: Path) -> None:
    assert edits(tmp_path, "mask = x > 0\nx = x[mask]\nfit(x, y)\n") == []


def test_a_reordering_at_the_end_of_a_block_with_tabs(tmp_path: Path) -> None:
    text = "if shuffled:\n\tp = randperm(len(x))\n\tx = x[p]\nfit(x, y)\n"
    assert edits(tmp_path, text)[0] == changed(text, ("\tx = x[p]\n", "\tx = x[p]\n\ty = y[p]\n"))


# --- both are, differently -----------------------------------------------------------------------------------


def test_two_shuffles_are_taken_away_one_by_one_and_together(tmp_path: Path) -> None:
    text = "import random\nfor epoch in range(3):\n    random.shuffle(x)\n    random.shuffle(y)\n    fit(x, y)\n"
    one, two = ("random.shuffle(x)", "pass"), ("random.shuffle(y)", "pass")
    assert edits(tmp_path, text) == [changed(text, one), changed(text, two), changed(text, one, two)]


@pytest.mark.parametrize(
    ("one", "two", "without"),
    [
        ("np.random.permutation(x)", "np.random.permutation(y)", ("x", "y")),
        ("rng.permutation(x)", "rng.permuted(y)", ("x", "y")),
        ("x[torch.randperm(len(x))]", "y[torch.randperm(len(y))]", ("x", "y")),
        ("sorted(x)", "sorted(y)", ("x", "y")),
        ("x.flip(0)", "torch.roll(y, 1)", ("x", "y")),
        ("x[::-1]", "y.sort()", ("x", "y")),
    ],
)
def test_two_reorderings_are_taken_away_one_by_one_and_together(
    tmp_path: Path, one: str, two: str, without: tuple[str, str]
) -> None:
    text = f"import torch\nimport numpy as np\nxs = {one}\nys = {two}\n"
    found = edits(tmp_path, text)
    both = [(f"xs = {one}", f"xs = {without[0]}"), (f"ys = {two}", f"ys = {without[1]}")]
    assert changed(text, both[0]) in found
    assert changed(text, both[1]) in found
    assert changed(text, *both) in found


def test_a_reordering_inside_another_is_not_taken_away_with_it(tmp_path: Path) -> None:
    text = "import numpy as np\nys = y[np.random.permutation(len(y))]\n"
    order = "np.random.permutation(len(y))"
    assert edits(tmp_path, text) == [changed(text, (f"y[{order}]", "y")), changed(text, (order, "len(y)"))]


def test_a_directory_has_no_order_of_its_own(tmp_path: Path) -> None:
    text = (
        "import os\nimages = [load(f) for f in os.listdir('images')]\nlabels = [load(f) for f in path.glob('*.txt')]\n"
    )
    assert edits(tmp_path, text)[-2:] == [
        changed(text, ("os.listdir('images')", "sorted(os.listdir('images'))")),
        changed(text, ("path.glob('*.txt')", "sorted(path.glob('*.txt'))")),
    ]


# --- indices -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("self.y[i + 1]", "self.y[i]"),
        ("self.y[i - 1]", "self.y[i]"),
        ("self.y[(i + 1) % len(self.y)]", "self.y[i]"),
        ("self.y[self.order[i]]", "self.y[i]"),
        ("self.y[len(self.y) - 1 - i]", "self.y[i]"),
    ],
)
def test_two_arrays_indexed_side_by_side_get_one_index(tmp_path: Path, wrong: str, right: str) -> None:
    text = f"class Daten:\n    def __getitem__(self, i):\n        return self.x[i], {wrong}  # größer\n"
    index = wrong.removeprefix("self.y[").removesuffix("]")
    found = edits(tmp_path, text)
    assert found[:2] == [changed(text, (wrong, right)), changed(text, ("self.x[i]", f"self.x[{index}]"))]


def test_an_index_inside_an_index_is_no_partner(tmp_path: Path) -> None:
    text = "def get(x, y, order, i):\n    return x[i], y[order[i]]\n"
    assert edits(tmp_path, text) == [changed(text, ("y[order[i]]", "y[i]")), changed(text, ("x[i]", "x[order[i]]"))]


@pytest.mark.parametrize("index", ["i + 1", "i - n", "(i + 1) % n", "i + a - b"])
def test_a_shifted_index_without_a_partner_is_shifted_back(tmp_path: Path, index: str) -> None:
    text = f"def label(i):\n    return labels[{index}]\n"
    assert edits(tmp_path, text) == [changed(text, (f"[{index}]", "[i]"))]


def test_different_indices_on_lines_that_follow_each_other(tmp_path: Path) -> None:
    text = "for step in range(9):\n    i, j = draw(), draw()\n    xb = x[i]\n    yb = y[j]\n    fit(xb, yb)\n"
    assert edits(tmp_path, text) == [changed(text, ("y[j]", "y[i]")), changed(text, ("x[i]", "x[j]"))]


@pytest.mark.parametrize(
    "text",
    [
        "a, b = x[0], y[1]\n",
        "a, b = x[:80], y[:80]\n",
        "a, b = x[i], y[i]\n",
        "a, b = x[i], x[j]\n",
        "a = x[i]\nprint(1)\nprint(2)\nprint(3)\nb = y[j]\n",
    ],
    ids=["fixed", "the same bounds", "the same index", "one array", "far apart"],
)
def test_indices_that_have_nothing_to_do_with_each_other_are_left_alone(tmp_path: Path, text: str) -> None:
    assert edits(tmp_path, text) == []


def test_slices_shifted_against_each_other_are_shifted_back(tmp_path: Path) -> None:
    text = "x = data[:-1]\ny = labels[1:]\n"
    assert edits(tmp_path, text) == [changed(text, ("[:-1]", "[1:]")), changed(text, ("[1:]", "[:-1]"))]


# --- pasting -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [("2 * np.roll(a + b, 1)", "2 * (a + b)"), ("2 * (a + b)[::-1]", "2 * (a + b)"), ("(a + b)[i + 1]", "(a + b)[i]")],
)
def test_what_is_left_stays_one_value(tmp_path: Path, before: str, after: str) -> None:
    text = f"import numpy as np\ny = {before}\n"
    assert changed(text, (before, after)) in edits(tmp_path, text)


# --- order and files -----------------------------------------------------------------------------------------


def test_the_likeliest_kind_comes_first_over_all_files(tmp_path: Path) -> None:
    """A partner to take along in any file comes before a shift to take away in another."""
    shifted = "def get(i):\n    return labels[i + 1]\n"
    (tmp_path / "a_first.py").write_text(shifted, encoding="utf-8")
    text = "p = randperm(len(x))\nx = x[p]\nfit(x, y)\n"
    found = edits(tmp_path, text)
    assert found[0] == changed(text, ("x = x[p]\n", "x = x[p]\ny = y[p]\n"))
    assert found[-1] == changed(shifted, ("[i + 1]", "[i]"))


def test_the_file_that_trains_comes_before_the_rest_of_the_project(tmp_path: Path) -> None:
    shifted = "def get(i):\n    return labels[i + 1]\n"
    for name in ("a.py", "train.py", "make.py"):
        (tmp_path / name).write_text(shifted, encoding="utf-8")
    facts = {
        LossCurve: LossCurve((1.0,), where=Place(str(tmp_path / "train.py"), 2)),
        LearningRate: LearningRate(
            "SGD", steps=(), values=(), initial=0.1, frames=(Place(str(tmp_path / "make.py"), 1),)
        ),
    }
    found = cures(CAUSE, Grounds(facts, (), str(tmp_path)))
    assert [Path(cure.edits[0].file).name for cure in found] == ["train.py", "make.py", "a.py"]


def test_a_project_without_orders_has_no_cure(tmp_path: Path) -> None:
    assert edits(tmp_path, "loss = f(net(x), y)\n") == []
