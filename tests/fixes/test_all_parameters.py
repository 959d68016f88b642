"""The optimizer is given what it lacks: by its argument, by a list that registers, or by being made later."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho.evidence import Place
from stetho.facts import Coverage
from stetho.fixes import Grounds, cures

CAUSE = "train/params-not-optimized"


def edits(folder: Path, text: str, **found: object) -> list[str]:
    """The texts that the cures would give; places are written as (line, key)."""
    file = folder / "train.py"
    file.write_bytes(text.encode("utf-8"))

    def place(value: object) -> object:
        return Place(str(file), value[0], key=value[1]) if isinstance(value, tuple) else value

    body = {k: tuple(map(place, v)) if isinstance(v, list) else place(v) for k, v in found.items()}
    fact = Coverage(100, 90, optimizer="SGD", **body)  # type: ignore[arg-type]
    texts = []
    for cure in cures(CAUSE, Grounds({Coverage: fact}, ("python", "train.py"), str(folder))):
        [edit] = cure.edits
        assert (edit.file, edit.before) == (str(file), text)
        assert cure.where
        compile(edit.after, "train.py", "exec")
        texts.append(edit.after)
    return texts


# --- another argument ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argument", ["net.head.parameters()", "net.head.named_parameters()", "self.größe.parameters()"]
)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_the_parameters_of_the_module_that_has_them_all(tmp_path: Path, argument: str, end: str) -> None:
    text = end.join(["# é", "opt = torch.optim.SGD(", f"\t{argument}, lr=0.1)", ""])
    assert edits(tmp_path, text, covering=[(2, "net")]) == [text.replace(argument, "net.parameters()")]


def test_an_argument_of_another_form_is_replaced_whole(tmp_path: Path) -> None:
    text = "opt = SGD([p for p in net.head.parameters() if p.dim() > 1], lr=0.1)\n"
    assert edits(tmp_path, text, covering=[(1, "net")]) == [
        text.replace("net.head.parameters()", "net.parameters()"),
        text.replace("[p for p in net.head.parameters() if p.dim() > 1]", "net.parameters()"),
    ]


def test_an_argument_that_names_no_parameters_is_replaced(tmp_path: Path) -> None:
    text = "opt = SGD(chosen, lr=0.1)\n"
    assert edits(tmp_path, text, covering=[(1, "self.net")]) == [text.replace("chosen", "self.net.parameters()")]


def test_where_the_caller_chooses_its_argument_is_replaced(tmp_path: Path) -> None:
    """The optimizer is made in a helper; the module is known by name at the line that calls it."""
    text = "def make(ps):\n    return SGD(ps, lr=0.1)\nopt = make(net.head.parameters())\n"
    assert edits(tmp_path, text, covering=[(3, "net")]) == [text.replace("net.head.parameters()", "net.parameters()")]


def test_what_is_right_already_is_left_alone(tmp_path: Path) -> None:
    assert edits(tmp_path, "opt = make(net.parameters())\n", covering=[(1, "net")]) == []


# --- more of them --------------------------------------------------------------------------------------------


def test_the_modules_it_lacks_are_added(tmp_path: Path) -> None:
    text = "opt = torch.optim.SGD(head.parameters(), lr=0.1)\n"
    assert edits(tmp_path, text, extra=[(1, "body"), (1, "stem"), (1, "body")]) == [
        text.replace("head.parameters()", "list(head.parameters()) + list(body.parameters())"),
        text.replace(
            "head.parameters()", "list(head.parameters()) + list(body.parameters()) + list(stem.parameters())"
        ),
    ]


def test_a_list_of_parameters_is_added_to(tmp_path: Path) -> None:
    text = "opt = SGD(params, lr=0.1)\n"
    assert edits(tmp_path, text, extra=[(1, "self.body")]) == [
        text.replace("params", "list(params) + list(self.body.parameters())")
    ]


def test_an_optimizer_given_by_keyword(tmp_path: Path) -> None:
    text = "opt = SGD(params=head.parameters(), lr=0.1)\n"
    assert edits(tmp_path, text, extra=[(1, "body")]) == [
        text.replace("head.parameters()", "list(head.parameters()) + list(body.parameters())")
    ]


# --- a list that registers -----------------------------------------------------------------------------------

NET = """\
import torch
from torch import nn

class Netz(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.größe = n
        self.layers = LAYERS

    def forward(self, x):
        return self.layers[0](x)
"""


@pytest.mark.parametrize(
    ("layers", "kind"),
    [
        ("[nn.Linear(4, 4) for _ in range(n)]", "ModuleList"),
        ("[\n            nn.Linear(4, 4),  # é\n            nn.Linear(4, 4),\n        ]", "ModuleList"),
        ("make_layers(n)", "ModuleList"),
        ("{'a': nn.Linear(4, 4)}", "ModuleDict"),
        ("{k: nn.Linear(4, 4) for k in 'ab'}", "ModuleDict"),
    ],
)
def test_layers_in_a_plain_list_or_dict_are_registered(tmp_path: Path, layers: str, kind: str) -> None:
    text = NET.replace("LAYERS", layers)
    assert edits(tmp_path, text, unregistered=[(5, "layers")]) == [text.replace(layers, f"nn.{kind}({layers})")]


def test_the_module_is_called_as_the_file_calls_it(tmp_path: Path) -> None:
    text = NET.replace("LAYERS", "[a]").replace("from torch import nn\n", "").replace("nn.Module)", "torch.nn.Module)")
    assert edits(tmp_path, text, unregistered=[(4, "layers")]) == [text.replace("[a]", "torch.nn.ModuleList([a])")]
    unknown = text.replace("import torch\n", "import keras as torch_\n")
    assert edits(tmp_path, unknown, unregistered=[(4, "layers")]) == []


def test_an_annotated_attribute_is_registered(tmp_path: Path) -> None:
    text = NET.replace("self.layers = LAYERS", "self.layers: list[nn.Module] = [a]")
    assert edits(tmp_path, text, unregistered=[(5, "layers")]) == [text.replace("= [a]", "= nn.ModuleList([a])")]


def test_another_attribute_is_left_alone(tmp_path: Path) -> None:
    assert edits(tmp_path, NET.replace("LAYERS", "[a]"), unregistered=[(5, "parts")]) == []


# --- later ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_an_optimizer_made_too_early_is_made_just_before_it_is_used(tmp_path: Path, end: str) -> None:
    made = ["opt = SGD(", "    net.parameters(), lr=0.1)  # é"]
    text = end.join(
        ["net = build()", *made, "net.head = Linear(4, 2)", "print(net)", "for x in data:", "    opt.step()", ""]
    )
    moved = end.join(
        ["net = build()", "net.head = Linear(4, 2)", "print(net)", *made, "for x in data:", "    opt.step()", ""]
    )
    assert edits(tmp_path, text, made_after=True, optimizer_at=(3, "main")) == [moved]


def test_it_is_made_before_a_decorated_function_that_uses_it(tmp_path: Path) -> None:
    text = "opt = SGD(ps)\nnet.head = Linear(4, 2)\n@cached\ndef step():\n    opt.step()\n"
    assert edits(tmp_path, text, made_after=True, optimizer_at=(1, "main")) == [
        "net.head = Linear(4, 2)\nopt = SGD(ps)\n@cached\ndef step():\n    opt.step()\n"
    ]


def test_an_optimizer_that_is_used_at_once_cannot_move(tmp_path: Path) -> None:
    text = "opt = SGD(ps)\nsched = StepLR(opt, 3)\nnet.head = Linear(4, 2)\n"
    assert edits(tmp_path, text, made_after=True, optimizer_at=(1, "main")) == []


TRAINER = """\
class Trainer:
    def __init__(self, net):
        self.opt = SGD(net.parameters(), lr=0.1)
        self.net = net
        self.net.head = Linear(4, 2)
"""


def test_an_attribute_is_made_at_the_end_of_its_function(tmp_path: Path) -> None:
    first, second, made, *rest = TRAINER.splitlines(keepends=True)
    moved = "".join([first, second, *rest, made])
    after = "\n    def step(self):\n        self.opt.step()\n"
    assert edits(tmp_path, TRAINER + after, made_after=True, optimizer_at=(3, "__init__")) == [moved + after]


def test_a_file_without_a_last_line_end(tmp_path: Path) -> None:
    first, second, made, *rest = TRAINER.splitlines(keepends=True)
    text = TRAINER.rstrip("\n")
    found = edits(tmp_path, text, made_after=True, optimizer_at=(3, "__init__"))
    assert [t.rstrip("\n") for t in found] == ["".join([first, second, *rest, made]).rstrip("\n")]


LATE = """\
class Trainer:
    def __init__(self, net):
        self.net = net
        self.opt = SGD(net.parameters(), lr=0.1)
        sched = StepLR(self.opt, 3)

    def widen(self):
        self.net.head = Linear(4, 2)
        RETURN
"""
JOINED = "self.opt.add_param_group({'params': list(self.net.head.parameters())})"


@pytest.mark.parametrize(
    ("last", "expected"),
    [("return self.net", f"{JOINED}\n        return self.net"), ("print(self)", f"print(self)\n        {JOINED}")],
)
def test_a_layer_built_later_joins_at_the_end_of_the_function_that_builds_it(
    tmp_path: Path, last: str, expected: str
) -> None:
    text = LATE.replace("RETURN", last)
    found = edits(tmp_path, text, made_after=True, optimizer_at=(4, "__init__"), made_at=[(8, "widen")])
    assert found == [LATE.replace("RETURN", expected)]


def test_a_local_name_means_nothing_in_another_function(tmp_path: Path) -> None:
    text = "def make(net):\n    opt = SGD(net)\n    s = S(opt)\ndef widen(net):\n    net.head = Linear(4, 2)\n"
    assert edits(tmp_path, text, made_after=True, optimizer_at=(2, "make"), made_at=[(5, "widen")]) == []


# --- order and absence ---------------------------------------------------------------------------------------


def test_what_hides_them_is_mended_before_the_argument(tmp_path: Path) -> None:
    text = NET.replace("LAYERS", "[nn.Linear(4, 4)]") + "opt = SGD(net.head.parameters())\n"
    found = edits(tmp_path, text, unregistered=[(5, "layers")], covering=[(12, "net")])
    assert found == [
        text.replace("[nn.Linear(4, 4)]", "nn.ModuleList([nn.Linear(4, 4)])"),
        text.replace("net.head.parameters()", "net.parameters()"),
    ]


def test_without_facts_or_places_there_is_no_cure(tmp_path: Path) -> None:
    assert list(cures(CAUSE, Grounds({}, (), str(tmp_path)))) == []
    assert edits(tmp_path, "opt = SGD(ps)\n") == []
    gone = Coverage(100, 90, covering=(Place(str(tmp_path / "gone.py"), 1, key="net"),), optimizer="SGD")
    assert list(cures(CAUSE, Grounds({Coverage: gone}, (), str(tmp_path)))) == []
