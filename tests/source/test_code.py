"""Edits change what they mean to and no other character, whatever the file's text, indentation and line ends."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from stetho.source.code import Code, imported_names, last_name, mentions, read, root_name

ENDS = pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])


def code(folder: Path, text: str | bytes) -> Code:
    file = folder / "train.py"
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    found = read(str(file))
    assert found is not None
    return found


def named(found: Code, name: str) -> ast.Call:
    [call] = [n for n in ast.walk(found.tree) if isinstance(n, ast.Call) and last_name(n.func) == name]
    return call


def segments(found: Code, line: int) -> list[str]:
    return [found.segment(call) for call in found.calls_at(line)]


# --- reading -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [b"def f(:\n", b"x = '\xff'\n", b"x = 1\x00\n", b"(" * 300], ids=repr)
def test_what_does_not_parse_is_none(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "train.py").write_bytes(text)
    assert read(str(tmp_path / "train.py")) is None


def test_what_cannot_be_read_is_none(tmp_path: Path) -> None:
    assert read(str(tmp_path / "nowhere.py")) is None
    assert read(str(tmp_path)) is None


def test_the_text_is_kept_as_it_is(tmp_path: Path) -> None:
    text = "# é\r\nx = 1\n\ty = 2\r".replace("\ty", "y")
    assert code(tmp_path, text).text == text


@pytest.mark.parametrize("data", [b"\xef\xbb\xbfloss = f(x)\n", b"# -*- coding: latin-1 -*-\nx = '\xe9'\n"])
def test_a_file_that_is_not_plain_utf8_is_left_alone(tmp_path: Path, data: bytes) -> None:
    """An edit would have to keep its mark or encoding; no edit is offered instead of a wrong one."""
    (tmp_path / "train.py").write_bytes(data)
    assert read(str(tmp_path / "train.py")) is None


# --- segments ------------------------------------------------------------------------------------------------


@ENDS
def test_a_segment_is_counted_in_bytes_as_the_tree_does(tmp_path: Path, end: str) -> None:
    text = end.join(["größe = '日本語'", "if größe:", "\tverlust = 'é' + f('ß', größe)  # 😀", ""])
    found = code(tmp_path, text)
    assert found.segment(named(found, "f")) == "f('ß', größe)"
    assert found.segment(found.tree.body[0]) == "größe = '日本語'"


@ENDS
def test_a_segment_over_several_lines_keeps_them(tmp_path: Path, end: str) -> None:
    lines = ["loss = F.cross_entropy(", "\tmodel(x),  # 日本", "\ty,", ")"]
    found = code(tmp_path, "é = 1" + end + end.join(lines) + end)
    assert found.segment(named(found, "cross_entropy")) == end.join(lines).removeprefix("loss = ")


@pytest.mark.parametrize("separator", ["\x0c", "\x0b", "\u2028", "\x85", "\x1c"], ids=ascii)
def test_what_only_looks_like_a_line_end_is_none(tmp_path: Path, separator: str) -> None:
    found = code(tmp_path, f"s = 'a{separator}b'\nloss = f(x)\n")
    assert found.segment(named(found, "f")) == "f(x)"
    assert found.replaced((named(found, "f"), "g")) == f"s = 'a{separator}b'\nloss = g\n"


# --- replacing -----------------------------------------------------------------------------------------------


@ENDS
def test_a_node_is_replaced_and_nothing_else(tmp_path: Path, end: str) -> None:
    text = end.join(["é = 'ü'", "def step():", "\tp = softmax('日', h )  # keep  this ", "\treturn  p", ""])
    found = code(tmp_path, text)
    assert found.replaced((named(found, "softmax"), "h")) == text.replace("softmax('日', h )", "h")
    assert found.text == text


@pytest.mark.parametrize("turn", [1, -1])
def test_several_nodes_are_replaced_in_any_order(tmp_path: Path, turn: int) -> None:
    found = code(tmp_path, "a = f('é'); b = g(2)\nc = h(3)\n")
    changes = [(named(found, "f"), "longer than before"), (named(found, "g"), ""), (named(found, "h"), "ß")][::turn]
    assert found.replaced(*changes) == "a = longer than before; b = \nc = ß\n"


def test_nothing_to_replace_leaves_the_text(tmp_path: Path) -> None:
    assert code(tmp_path, "x = 1").replaced() == "x = 1"


# --- one line more -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("pad", ["    ", "\t", "  \t"], ids=repr)
def test_a_line_is_inserted_with_the_indent_of_the_line_it_stands_before(tmp_path: Path, end: str, pad: str) -> None:
    lines = ["for x in 'é':", f"{pad}backward()", f"{pad}step()", "done()", ""]
    found = code(tmp_path, end.join(lines))
    after = found.with_line(2, len(pad), "zero_grad()")
    assert after == end.join([lines[0], f"{pad}zero_grad()", *lines[1:]])
    compile(after, "", "exec")


@pytest.mark.parametrize(
    ("line", "expected"), [(1, "new()\na()\nb()\n"), (2, "a()\nnew()\nb()\n"), (3, "a()\nb()\nnew()\n")]
)
def test_a_line_is_inserted_anywhere(tmp_path: Path, line: int, expected: str) -> None:
    assert code(tmp_path, "a()\nb()\n").with_line(line, 0, "new()") == expected


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_last_line_without_an_end_gets_one(tmp_path: Path, end: str) -> None:
    found = code(tmp_path, f"a(){end}b()")
    assert found.with_line(3, 0, "new()") == f"a(){end}b(){end}new(){end}"


def test_a_deeper_line_than_the_next_is_padded_with_blanks(tmp_path: Path) -> None:
    found = code(tmp_path, "for x in y:\n    step()\ndone()\n")
    assert found.with_line(3, 4, "new()") == "for x in y:\n    step()\n    new()\ndone()\n"


@pytest.mark.parametrize("rest", ["", "done()\n"], ids=["end of file", "end of block"])
def test_a_line_at_the_end_of_a_block_indented_with_tabs(tmp_path: Path, rest: str) -> None:
    found = code(tmp_path, "for x in y:\n\tbackward()\n\tstep()\n" + rest)
    after = found.with_line(4, 1, "new()")
    compile(after, "", "exec")
    assert after == "for x in y:\n\tbackward()\n\tstep()\n\tnew()\n" + rest


@pytest.mark.parametrize("separator", ["\x0c", "\u2028"], ids=ascii)
def test_a_line_is_inserted_where_python_counts_it(tmp_path: Path, separator: str) -> None:
    found = code(tmp_path, f"a()  # {separator} section\nb()\nc()\n")
    assert found.with_line(3, 0, "new()") == f"a()  # {separator} section\nb()\nnew()\nc()\n"


# --- finding -------------------------------------------------------------------------------------------------

LOOP = """\
import torch

def train(model, loader):
    for x, y in loader(
        batch(8),
    ):
        if check(x):
            loss = F.cross_entropy(
                model(x),
                y,
            )
        with scope(1), other(2):
            a(); b(c(3))
    return done(
        x)
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (1, []),
        (2, []),
        (4, ["loader(\n        batch(8),\n    )"]),
        (5, ["loader(\n        batch(8),\n    )", "batch(8)"]),
        (7, ["check(x)"]),
        (8, ["F.cross_entropy(\n                model(x),\n                y,\n            )", "model(x)"]),
        (9, ["F.cross_entropy(\n                model(x),\n                y,\n            )", "model(x)"]),
        (11, ["F.cross_entropy(\n                model(x),\n                y,\n            )", "model(x)"]),
        (12, ["scope(1)", "other(2)"]),
        (14, ["done(\n        x)"]),
        (15, ["done(\n        x)"]),
        (99, []),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_the_calls_of_a_line_are_those_of_its_statement(
    tmp_path: Path, line: int, expected: list[str], end: str
) -> None:
    found = code(tmp_path, LOOP.replace("\n", end))
    assert segments(found, line) == [text.replace("\n", end) for text in expected]


def test_a_line_with_two_statements_has_the_calls_of_one(tmp_path: Path) -> None:
    """Which of the two a line means cannot be told; the calls of both would be safer, those of one are found."""
    assert segments(code(tmp_path, LOOP), 13) in (["a()"], ["b(c(3))", "c(3)"])


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("async def f():\n    async for x in g():\n        h(x)\n", 2, ["g()"]),
        ("match f(x):\n    case 1:\n        g(2)\n", 1, ["f(x)"]),
    ],
)
def test_the_calls_of_a_header_are_not_those_of_its_body(
    tmp_path: Path, text: str, line: int, expected: list[str]
) -> None:
    assert segments(code(tmp_path, text), line) == expected


def test_the_smallest_statement_at_a_line(tmp_path: Path) -> None:
    found = code(tmp_path, LOOP)
    kinds = {line: type(found.statement_at(line)) for line in (1, 3, 5, 7, 10, 12, 15)}
    assert kinds == {
        1: ast.Import, 3: ast.FunctionDef, 5: ast.For, 7: ast.If, 10: ast.Assign, 12: ast.With, 15: ast.Return,
    }  # fmt: skip
    assert found.statement_at(2) is None


def test_the_function_at_a_line_is_the_innermost(tmp_path: Path) -> None:
    found = code(tmp_path, "x = 1\ndef f():\n    def g():\n        return 1\n    return g\n")
    names = [getattr(found.function_at(line), "name", None) for line in range(1, 6)]
    assert names == [None, "f", "g", "g", "f"]


def test_nodes_on_a_line_come_outermost_first(tmp_path: Path) -> None:
    found = code(tmp_path, "x = f(g(h(1)))\n")
    assert [last_name(call.func) for call in found.on_line(1, ast.Call)] == ["f", "g", "h"]


def test_every_block_of_statements_is_found(tmp_path: Path) -> None:
    text = """
for a in b:
    c1()
else:
    c2()
try:
    c3()
except E:
    c4()
finally:
    c5()
if x: c6()
"""
    blocks = [ast.unparse(statement) for block in code(tmp_path, text).bodies() for statement in block]
    assert {f"c{n}()" for n in range(1, 7)} <= set(blocks)


# --- names ---------------------------------------------------------------------------------------------------


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("f", "f", "f"),
        ("F.softmax", "F", "softmax"),
        ("torch.nn.functional.softmax", "torch", "softmax"),
        ("self.net(x).softmax", "", "softmax"),
        ("a[0].b", "", "b"),
        ("'text'.join", "", "join"),
        ("f(x)", "", ""),
        ("1", "", ""),
    ],
)
def test_first_and_last_part_of_a_dotted_name(text: str, first: str, last: str) -> None:
    assert (root_name(expression(text)), last_name(expression(text))) == (first, last)


def test_imported_names() -> None:
    text = """
import torch, torch.nn.functional as F
import a.b.c
from x import y, z as w
def later():
    import numpy as np
"""
    assert imported_names(ast.parse(text)) == {"torch", "F", "a", "y", "w", "np"}


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("self.opt.step()", "self.opt", True),
        ("f(x, opt)", "opt", True),
        ("optimizer.step()", "opt", False),
        ("self.opt2.step()", "self.opt", False),
        ("'opt'", "opt", False),
        ("x.opt", "opt", False),
    ],
)
def test_whether_a_name_occurs(text: str, name: str, expected: bool) -> None:
    assert mentions(expression(text), name) is expected
