"""Notebooks: what cells printed and raised, on the lines of the file; nothing of them is run or shown as markup."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stetho.artifact import artifact_at
from stetho.case import Request
from stetho.facts import Crash
from stetho.post_mortem import judge
from stetho.reader import Flaw, Piece, Reading
from stetho.readers.notebook import notebook
from stetho.series import Series
from stetho.verdict import Verdict

STEPS = [f"step {n} loss {3 - n * 0.01:.3f}\n" for n in range(120)]


def pieces(file: Path) -> list[Piece]:
    artifact = artifact_at(file)
    assert artifact is not None and notebook.recognises(artifact) > 0.9
    return list(notebook.function(artifact))


def stream(text: str | list[str]) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def error(*shown: str) -> dict[str, Any]:
    return {"output_type": "error", "ename": "ValueError", "evalue": "shapes\nbeside", "traceback": list(shown)}


def written(folder: Path, *outputs: dict[str, Any], indent: int | None = 1, name: str = "fit.ipynb") -> Path:
    cells = [{"cell_type": "code", "metadata": {}, "source": ["raise SystemExit"], "outputs": [o]} for o in outputs]
    file = folder / name
    file.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=indent))
    return file


def crash(file: Path) -> Crash:
    (found,) = [p.fact for p in pieces(file) if isinstance(p, Reading) and isinstance(p.fact, Crash)]
    return found


def verdict_on(tmp_path: Path, target: Path) -> Verdict:
    found = judge(tmp_path / ".stetho", Request((), str(tmp_path), 0, 60.0, None, False, 0.0), str(target))
    return found.runs[0].verdict


@pytest.mark.parametrize("text", [STEPS, "".join(STEPS)])
@pytest.mark.parametrize("indent", [1, 4, None])
def test_what_was_printed_is_a_log(tmp_path: Path, text: str | list[str], indent: int | None) -> None:
    found = [p for p in pieces(written(tmp_path, stream(text), indent=indent)) if isinstance(p, Series)]
    assert [(one.name, len(one)) for one in found] == [("loss", 120)]


def test_a_line_is_cited_where_it_stands(tmp_path: Path) -> None:
    file = written(tmp_path, stream(STEPS))
    (loss,) = [p for p in pieces(file) if isinstance(p, Series)]
    assert loss.at is not None and "step 7 loss" in file.read_text().split("\n")[int(loss.at[7]) - 1]


@pytest.mark.parametrize(
    ("shown", "where"),
    [
        (("Cell \x1b[32mIn[3]\x1b[39m, line 2\n      1 x\n----> 2 fit()\n",), "Cell In[3]:2"),
        (("Cell In[3], line 2\n----> 2 fit()", "File ~/w/fit.py:41, in fit(x)\n---> 41 y = x @ w"), "~/w/fit.py:41"),
        (("<ipython-input-3-a1b2> in <module>\n----> 1 fit()", "/home/me/w/fit.py in fit(x)\n---> 12 y"),
         "/home/me/w/fit.py:12"),
    ],
)  # fmt: skip
def test_an_exception_has_the_users_line(tmp_path: Path, shown: tuple[str, ...], where: str) -> None:
    library = "File /opt/lib/python3.11/site-packages/torch/nn/m.py:99, in Module.f(self)\n---> 99 g()"
    head = "ValueError     Traceback (most recent call last)"
    found = crash(written(tmp_path, stream(STEPS), error(head, *shown, library, "ValueError: shapes")))
    assert (found.exception, found.message, str(found.where)) == ("ValueError", "shapes beside", where)


def test_an_exception_that_later_cells_outlived_is_not_the_end(tmp_path: Path) -> None:
    file = written(tmp_path, error("Cell In[1], line 1\n----> 1 fti()"), stream(STEPS))
    assert verdict_on(tmp_path, file).status == "clear"


def test_a_notebook_that_trained_nothing_says_nothing_of_the_run_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "train.log").write_text("".join(STEPS) + "Training complete\n")
    written(folder, error("Cell In[1], line 1\n----> 1 plot()"), name="look.ipynb")
    found = verdict_on(tmp_path, folder)
    assert found.status == "clear" and not found.symptoms


def test_what_is_cut_off_or_harmful_costs_only_itself(tmp_path: Path) -> None:
    file = written(
        tmp_path, stream(STEPS), {"output_type": "display_data", "data": {"text/html": "<script>1</script>"}}
    )
    text = file.read_text()
    file.write_text(text[:-60])
    found = pieces(file)
    assert any(isinstance(p, Flaw) for p in found) and any(isinstance(p, Series) for p in found)
    assert "script" not in repr(found)
    file.write_text('{"cells": [{"cell_type": "code", "outputs": ' + "[" * 100_000)
    assert any(isinstance(p, Flaw) for p in pieces(file))
