"""A program that is started from a process with torch imported does what it does on its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.judge import running
from bench.judge.preloaded import Preloaded, fits

PROGRAM = """import random, sys
import numpy as np
import torch
from beside import scale
random.seed(0); np.random.seed(1); torch.manual_seed(2)
w = torch.nn.Parameter(torch.randn(3))
opt = torch.optim.SGD([w], lr=0.1)
for step in range(5):
    opt.zero_grad()
    loss = ((w - scale) ** 2).sum() + random.random() + np.random.rand() + np.random.default_rng(3).random()
    loss.backward()
    opt.step()
    print(step, loss.item())
print(sys.argv, __name__)
sys.exit(int(sys.argv[1]))
"""


@pytest.fixture
def started() -> Iterator[Preloaded]:
    one = Preloaded()
    yield one
    one.close()


def test_output_and_exit_code_are_those_of_a_process_of_its_own(tmp_path: Path, started: Preloaded) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "beside.py").write_text("scale = 2.0\n")
    for command, offset in ((("train.py", "0"), 0), (("train.py", "3"), 1000), (("-m", "train", "0"), 0)):
        own = running.run(("python", *command), tmp_path, seconds=120, offset=offset)
        shared = started.run(("python", *command), tmp_path, seconds=120, offset=offset)
        assert (shared.code, shared.output.replace(str(tmp_path), "")) == (
            own.code,
            own.output.replace(str(tmp_path), ""),
        )
    assert own.code == 0


def test_a_program_that_fails_or_hangs_leaves_the_next_one_alone(tmp_path: Path, started: Preloaded) -> None:
    (tmp_path / "fails.py").write_text("raise KeyError('lr')\n")
    (tmp_path / "hangs.py").write_text("import time\nwhile True:\n    time.sleep(1)\n")
    (tmp_path / "fine.py").write_text("print('fine')\n")
    failed = started.run(("python", "fails.py"), tmp_path, seconds=120)
    assert failed.code == 1 and "KeyError: 'lr'" in failed.output
    assert started.run(("python", "hangs.py"), tmp_path, seconds=1).code is None
    fine = started.run(("python", "fine.py"), tmp_path, seconds=120)
    assert (fine.code, fine.output) == (0, "fine\n")


def test_what_is_no_python_is_run_as_it_is() -> None:
    assert fits(("python", "train.py", "--lr", "1")) and fits(("python", "-m", "pkg.train"))
    assert not fits(("bash", "run.sh")) and not fits(("python", "-c", "1"))
