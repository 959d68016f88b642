"""Tracebacks in a log: the one that counts, those of each rank, what they were chained to, and what follows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from stetho.artifact import artifact_at
from stetho.facts import Crash, Fact, ThreadFailure, Tracebacks
from stetho.reader import Reading
from stetho.readers.text_log import text_log

HEAD = "Traceback (most recent call last):\n"
OWN = '  File "/home/me/train.py", line 12, in main\n    step(batch)\n'
LIBRARY = '  File "/opt/lib/python3.11/site-packages/torch/nn/module.py", line 99, in f\n    g()\n'


def facts(tmp_path: Path, text: str) -> list[Fact]:
    file = tmp_path / "log"
    file.write_text(text)
    artifact = artifact_at(file)
    assert artifact is not None
    return [piece.fact for piece in text_log.function(artifact) if isinstance(piece, Reading)]


def crash(tmp_path: Path, text: str) -> Crash:
    (found,) = [fact for fact in facts(tmp_path, text) if isinstance(fact, Crash)]
    return found


def test_the_users_innermost_line_is_where(tmp_path: Path) -> None:
    found = crash(tmp_path, HEAD + OWN + LIBRARY + "RuntimeError: shapes\n")
    assert str(found.where) == "/home/me/train.py:12" and found.message == "shapes"


def test_a_message_goes_on_over_indented_lines(tmp_path: Path) -> None:
    text = HEAD + OWN + "RuntimeError: Error(s) in loading state_dict for Net:\n\tsize mismatch for fc.weight: a\n\n"
    assert crash(tmp_path, text).message == "Error(s) in loading state_dict for Net: size mismatch for fc.weight: a"


def test_a_chain_tells_what_led_to_it(tmp_path: Path) -> None:
    between = "\nThe above exception was the direct cause of the following exception:\n\n"
    found = crash(tmp_path, HEAD + OWN + "KeyError: 'lr'\n" + between + HEAD + OWN + "ValueError: bad config\n")
    assert (found.exception, found.chain) == ("ValueError", ("KeyError: 'lr'",))


def test_a_workers_own_traceback_is_the_one(tmp_path: Path) -> None:
    inner = '  File "/home/me/data.py", line 8, in __getitem__\n    return self.rows[i]\n'
    text = HEAD + OWN + "KeyError: Caught KeyError in DataLoader worker process 0.\nOriginal " + HEAD + inner
    found = crash(tmp_path, text + "KeyError: 5\n")
    assert (found.message, str(found.where)) == ("5", "/home/me/data.py:8")
    assert found.chain == ("KeyError: Caught KeyError in DataLoader worker process 0.",)


def ranked(rank: int, text: str) -> list[str]:
    return [f"[rank{rank}]: {line}" for line in text.splitlines()]


def test_interleaved_ranks_are_told_apart_and_the_first_to_fall_counts(tmp_path: Path) -> None:
    one = ranked(1, HEAD + OWN + "ValueError: bad label")
    other = ranked(0, HEAD + OWN + "torch.distributed.DistBackendError: Connection closed by remote peer")
    mixed = [line for pair in zip(one, other, strict=True) for line in pair]
    launcher = HEAD + LIBRARY + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
    found = facts(tmp_path, "\n".join(mixed) + "\n" + launcher)
    (fell,) = [fact for fact in found if isinstance(fact, Crash)]
    (several,) = [fact for fact in found if isinstance(fact, Tracebacks)]
    assert (fell.exception, fell.rank, fell.lines_after) == ("ValueError", "rank 1", 0)
    assert several.count == 3 and [entry.run for entry in several.by_rank] == ["rank 1", "rank 0"]


def test_farewells_are_no_output_after_the_end(tmp_path: Path) -> None:
    after = "wandb: Waiting for W&B process to finish...\nsrun: error: node01: task 0: Exited with exit code 1\n"
    assert crash(tmp_path, HEAD + OWN + "KeyError: 1\n" + after * 10).lines_after == 0
    assert crash(tmp_path, HEAD + OWN + "KeyError: 1\n" + "epoch 2\n" * 10).lines_after == 10


def test_a_group_of_exceptions_names_what_is_in_it(tmp_path: Path) -> None:
    text = (
        "  + Exception Group Traceback (most recent call last):\n"
        '  |   File "/home/me/train.py", line 3, in <module>\n  |     raise g\n'
        "  | ExceptionGroup: two (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n"
        '    | Traceback (most recent call last):\n    |   File "/home/me/train.py", line 9, in f\n    |     x\n'
        "    | ValueError: a\n    +------------------------------------\n"
    )
    found = crash(tmp_path, text)
    assert (found.exception, str(found.where)) == ("ValueError", "/home/me/train.py:9")


def test_a_box_of_rich_is_read(tmp_path: Path) -> None:
    text = (
        "╭───────── Traceback (most recent call last) ─────────╮\n"
        "│ /home/me/train.py:12 in main                        │\n│                                │\n"
        "╰─────────────────────────────────────────────────────╯\nKeyError: 'lr'\n"
    )
    assert str(crash(tmp_path, text).where) == "/home/me/train.py:12"


@pytest.mark.parametrize("text", ["KeyError: is mentioned\n", "see Traceback in the docs\n", HEAD, HEAD + OWN])
def test_what_is_no_whole_traceback_is_no_crash(tmp_path: Path, text: str) -> None:
    assert not [fact for fact in facts(tmp_path, text) if isinstance(fact, Crash)]


IGNORED = "Exception ignored in: <function Pipe.__del__ at 0x7f00>\n"


@pytest.mark.parametrize("said", [IGNORED, f"[rank1]: {IGNORED}", "Error in atexit._run_exitfuncs:\n"])
def test_what_python_cannot_raise_ends_no_program(tmp_path: Path, said: str) -> None:
    rank = "[rank1]: " if said.startswith("[") else ""
    text = said + "".join(rank + line for line in (HEAD + OWN + "AttributeError: _handle\n").splitlines(keepends=True))
    assert not [fact for fact in facts(tmp_path, text) if isinstance(fact, Crash)]


def test_an_exception_that_was_raised_before_or_after_an_ignored_one_counts(tmp_path: Path) -> None:
    ignored = IGNORED + HEAD + LIBRARY + "AttributeError: _handle\n"
    raised = HEAD + OWN + "KeyError: 'lr'\n"
    assert crash(tmp_path, raised + ignored).exception == "KeyError"
    assert crash(tmp_path, ignored + raised).exception == "KeyError"
    assert crash(tmp_path, raised + ignored).lines_after == 0


THREAD = "Exception in thread Thread-3 (feed):\n" + HEAD + OWN + "OSError: gone\n"


def test_an_exception_in_a_thread_is_not_the_programs(tmp_path: Path) -> None:
    found = facts(tmp_path, "step 1 loss 2.0\n" + THREAD)
    assert not any(isinstance(fact, Crash) for fact in found)
    (failed,) = [fact for fact in found if isinstance(fact, ThreadFailure)]
    assert (failed.thread, failed.exception, str(failed.where)) == (
        "Thread-3 (feed)",
        "OSError",
        "/home/me/train.py:12",
    )


def test_a_threads_exception_that_the_program_outlives_is_forgotten(tmp_path: Path) -> None:
    more = "".join(f"step {i} loss 2.0\n" for i in range(9))
    assert not any(isinstance(fact, (Crash, ThreadFailure)) for fact in facts(tmp_path, THREAD + more))


def test_what_the_program_raises_after_a_thread_is_its_end(tmp_path: Path) -> None:
    assert crash(tmp_path, THREAD + HEAD + OWN + "RuntimeError: the feed has gone\n").exception == "RuntimeError"


@pytest.mark.parametrize(
    "announced",
    [
        "--- Logging error ---\n" + HEAD + LIBRARY + "TypeError: format\nCall stack:\n" + OWN + "Message: 'x'\n",
        "Task exception was never retrieved\nfuture: <Task finished>\n" + HEAD + OWN + "ValueError: x\n",
    ],
)
def test_what_python_only_reports_ends_nothing(tmp_path: Path, announced: str) -> None:
    assert not any(isinstance(fact, Crash) for fact in facts(tmp_path, "step 1 loss 2.0\n" + announced))


def test_a_shells_trace_is_no_part_of_a_message_and_nothing_that_the_program_says(tmp_path: Path) -> None:
    found = crash(tmp_path, HEAD + OWN + "KeyError: 'x'\n+ cleanup\n++ date\n+ rm -r a\n+ echo b\n+ exit 1\n")
    assert (found.message, found.lines_after) == ("'x'", 0)


DUMP = """Fatal Python error: Aborted

Thread 0x00007f11 (most recent call first):
  File "/usr/lib/python3.12/threading.py", line 359 in wait
  File "/home/me/watch.py", line 4 in watch

Current thread 0x00007f22 [main] (most recent call first):
  File "/opt/lib/python3.11/site-packages/torch/autograd/graph.py", line 769 in backward
  File "/home/me/train.py", line 90 in step
  File "/home/me/train.py", line 130 in <module>

Extension modules: numpy.random, torch._C (total: 2)
"""


def test_a_fatal_error_is_told_at_the_users_line_of_the_thread_that_met_it(tmp_path: Path) -> None:
    found = crash(tmp_path, "step 1 loss 2.0\n" + DUMP + "run.sh: line 2: 17 Aborted  python train.py\n")
    assert (found.exception, found.message) == ("Fatal Python error", "Aborted")
    assert str(found.where) == "/home/me/train.py:90" and found.lines_after <= 1
    assert [str(frame) for frame in found.frames] == ["/home/me/train.py:130", "/home/me/train.py:90"]
    assert found.calls[-1].endswith("torch/autograd/graph.py backward")


def test_a_loaders_fatal_error_gives_way_to_what_the_program_raises(tmp_path: Path) -> None:
    assert crash(tmp_path, DUMP + HEAD + OWN + "RuntimeError: worker is killed\n").exception == "RuntimeError"
