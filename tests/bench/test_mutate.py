"""Mutants: every operator does what its example says, nothing else of a program changes, and ids say everything."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from bench.judge import case
from bench.judge.mutate import plan, show, tables
from bench.judge.mutate.operator import EFFECTS, Operator, operators
from bench.judge.mutate.program import Edit, Mutation, Program, read

CAUSES = set((case.ROOT / "tests" / "vocabulary.txt").read_text(encoding="utf-8").split())
EVERY = pytest.mark.parametrize("operator", [pytest.param(one, id=one.id) for one in operators()])


@pytest.fixture(scope="module")
def mutants() -> list[plan.Mutant]:
    return plan.planned()


def laid(files: str | Mapping[str, str], folder: Path) -> Path:
    for name, text in files.items() if isinstance(files, Mapping) else [("train.py", files)]:
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def applied(program: Program, mutation: Mutation, folder: Path) -> dict[str, str]:
    """All files after a mutation, as text."""
    before = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    made = {one.file: one.make().decode() for one in mutation.rewrites}
    return before | program.apply(mutation) | made


@EVERY
def test_an_operator_does_what_its_example_says(operator: Operator, tmp_path: Path) -> None:
    program = read(laid(operator.before, tmp_path), ("python", "train.py"))
    found = next(operator.mutations(program), None)
    assert found is not None, "the example has no site"
    wanted = operator.after if isinstance(operator.after, Mapping) else {"train.py": operator.after}
    assert applied(program, found, tmp_path) == wanted


@EVERY
def test_an_operator_is_declared_as_it_should_be(operator: Operator) -> None:
    assert operator.effect in EFFECTS and operator.story
    assert operator.accepted <= CAUSES
    assert operator.preserving or operator.family in operator.accepted
    assert operator.preserving == (operator.effect == "none")


@EVERY
def test_an_operator_has_a_site_in_the_corpus(operator: Operator, mutants: list[plan.Mutant]) -> None:
    of_data = isinstance(operator.before, Mapping)
    if of_data and not any(one.makes_data for one in plan.bases()):
        pytest.skip("no healthy case has data on disk")
    assert any(one.operator is operator for one in mutants)


def test_a_mutant_is_a_whole_program_that_differs_where_its_edits_are(mutants: list[plan.Mutant]) -> None:
    for mutant in mutants:
        for file, text in mutant.program.apply(mutant.mutation).items():
            compile(text, file, "exec")
            edits = [edit for edit in mutant.mutation.edits if edit.file == file]
            whole = mutant.program.sources[file].text
            assert undone(text, edits, whole) == whole, mutant.id


def undone(text: str, edits: list[Edit], whole: str) -> str:
    """A mutated text with every edit taken back, the last one first."""
    ordered = sorted(edits, key=lambda edit: (edit.begin, edit.end))
    shifts = list(accumulate((len(one.text) - (one.end - one.begin) for one in ordered), initial=0))
    for edit, shift in reversed(list(zip(ordered, shifts, strict=False))):
        begin = edit.begin + shift
        assert text[begin : begin + len(edit.text)] == edit.text
        text = text[:begin] + whole[edit.begin : edit.end] + text[begin + len(edit.text) :]
    return text


def test_every_place_is_in_the_mutated_program(mutants: list[plan.Mutant]) -> None:
    for mutant in mutants:
        texts = {file: source.text for file, source in mutant.program.sources.items()}
        texts |= mutant.program.apply(mutant.mutation)
        assert mutant.places, mutant.id
        for place in mutant.places:
            if place.line is not None:
                assert texts[place.file].splitlines()[place.line - 1].strip(), mutant.id


def test_an_id_says_everything(mutants: list[plan.Mutant], tmp_path: Path) -> None:
    assert len({one.id for one in mutants}) == len(mutants)
    plan.program_of.cache_clear()
    again = plan.planned()
    assert [(one.id, one.digest()) for one in again] == [(one.id, one.digest()) for one in mutants]
    chosen = mutants[len(mutants) // 2]
    assert plan.find(chosen.id).digest() == chosen.digest()
    with pytest.raises(case.Wrong):
        plan.find(f"{chosen.base.name}~{chosen.operator.id}~99")


def test_a_first_part_of_the_plan_covers_operators_and_bases(mutants: list[plan.Mutant]) -> None:
    count = len({one.operator.id for one in mutants})
    first = mutants[:count]
    assert len({one.operator.id for one in first}) == count
    assert len({one.base.name for one in first}) > 10


def test_a_mutant_is_laid_out_as_its_case_with_the_change(mutants: list[plan.Mutant], tmp_path: Path) -> None:
    chosen = next(one for one in mutants if one.mutation.edits and not one.base.makes_data)
    plan.lay(chosen, tmp_path / "one")
    changed = chosen.program.apply(chosen.mutation)
    for path in (tmp_path / "one").rglob("*"):
        name = path.relative_to(tmp_path / "one").as_posix()
        if path.is_file():
            assert name not in case.HIDDEN
            assert path.read_bytes() == changed.get(name, "").encode() or name not in changed
    assert show.difference(chosen).startswith("--- a/")


def test_only_code_that_the_command_reaches_is_changed() -> None:
    sources = {"train.py": "from net import Net\n", "net.py": "import torch\n", "old.py": "import net\n"}
    assert list(Program(sources).sources) == ["train.py", "net.py"]
    package = {"p/train.py": "from .net import Net\n", "p/net.py": "x = 1\n", "p/__init__.py": "", "q.py": ""}
    assert set(Program(package, command=("python", "-m", "p.train")).sources) == {"p/train.py", "p/net.py"}


def test_tables_are_read_and_written_in_all_forms(tmp_path: Path) -> None:
    np.savez(tmp_path / "train.npz", x=np.arange(6.0).reshape(3, 2), y=np.array([0, 1, 2]))
    (tmp_path / "valid.jsonl").write_text('{"a": 1.5, "label": 0}\n{"a": 2.5, "label": 1}\n', encoding="utf-8")
    program = read(tmp_path, ("python", "train.py"))
    arrays, rows = tables.tables(program)
    assert (arrays.label, list(arrays.features)) == ("y", ["x[:, 0]", "x[:, 1]"])
    with np.load(io.BytesIO(arrays.changed({"y": [2, 0, 1], "x[:, 1]": [9.0, 9.0, 9.0]}))) as found:
        assert found["y"].tolist() == [2, 0, 1] and found["x"].tolist() == [[0, 9], [2, 9], [4, 9]]
    assert arrays.changed({}) == arrays.changed({})
    lines = rows.changed({"label": [1, 0]}).decode().splitlines()
    assert [json.loads(line)["label"] for line in lines] == [1, 0]
    assert tables.for_judging(program) == [rows] or tables.for_judging(program)[0].file == "valid.jsonl"
