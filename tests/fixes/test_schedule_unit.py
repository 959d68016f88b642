from pathlib import Path

from stetho.evidence import Place
from stetho.facts import CallOrder, SchedulerUse
from stetho.fixes import Grounds, cures

NESTED = """\
for epoch in range(10):
    for x, y in loader:
        loss(x, y).backward()
        opt.step()
        sched.step()
    print(epoch)
"""


def after(tmp_path: Path, text: str, line: int, unit: str = "step") -> list[str]:
    file = tmp_path / "train.py"
    file.write_text(text)
    one = SchedulerUse("StepLR", None, None, unit, 99, 1.0, stepped_at=Place(str(file), line))
    order = CallOrder("SGD", 100, (), 1, schedulers=(one,))
    grounds = Grounds({CallOrder: order}, ("python", str(file)), str(tmp_path))
    return [cure.edits[0].after for cure in cures("train/scheduler-unit", grounds)]


def test_the_call_moves_behind_the_loop_over_batches(tmp_path: Path) -> None:
    [text] = after(tmp_path, NESTED, 5)
    assert text == NESTED.replace("        sched.step()\n", "").replace("    print", "    sched.step()\n    print")


def test_a_loop_at_the_end_of_a_file_without_a_newline(tmp_path: Path) -> None:
    [text] = after(tmp_path, "for x in data:\n    sched.step()\n    opt.step()", 2)
    assert text == "for x in data:\n    opt.step()\nsched.step()\n"


def test_nothing_is_moved_where_a_value_is_given_or_the_call_is_once_an_epoch(tmp_path: Path) -> None:
    assert after(tmp_path, NESTED.replace("sched.step()", "sched.step(val)"), 5) == []
    assert after(tmp_path, NESTED, 5, unit="epoch") == []
    assert after(tmp_path, NESTED, 3) == []
