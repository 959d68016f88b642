"""What probes read is parsed from recorded text, and no text of any kind makes a parser fail."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stetho import catalogue
from stetho.amounts import duration, size
from stetho.exit_codes import explained
from stetho.newest import Entry
from stetho.probe import Example
from stetho.probes.checkpoints import gather
from stetho.probes.disk import parse_mounts, parse_quota
from stetho.probes.gpus import MEGABYTE, parse_gpus, parse_users
from stetho.probes.limits import parse_groups, parse_limits
from stetho.probes.log_tail import LINES, LONGEST, last_lines
from stetho.probes.scheduler import clock, parse_sacct, parse_squeue, settings
from stetho.procfs import counts, whole
from stetho.relatives import mapped, parse_stat

SAMPLES = Path(__file__).parent / "samples"
PARSERS: list[Callable[[str], object]] = [
    parse_mounts, parse_quota, parse_gpus, parse_users, parse_groups, parse_limits, last_lines, parse_sacct,
    parse_squeue, counts, mapped, parse_stat, whole, clock,
]  # fmt: skip


def examples() -> Iterator[Any]:
    for one in catalogue.load().probes.values():
        for name, example in one.examples.items():
            yield pytest.param(example, id=f"{one.id}: {name}")


@pytest.mark.parametrize("example", list(examples()))
def test_a_mutated_or_cut_example_never_fails(example: Example) -> None:
    draw = random.Random(7)
    for _ in range(300):
        text = list(example.text[: draw.randrange(len(example.text) + 1)])
        for _ in range(draw.randrange(1, 12)):
            if text:
                text[draw.randrange(len(text))] = draw.choice("\0\n\r|,:;=()[]{}<> 09-.xé\x1b٣²")
        example.parser("".join(text))


@pytest.mark.parametrize("parser", PARSERS, ids=lambda one: one.__name__)
def test_no_text_makes_a_parser_fail(parser: Callable[[str], object]) -> None:
    draw = random.Random(11)
    pieces = [
        "0",
        "-1",
        "9" * 30,
        "max",
        "unlimited",
        " ",
        "\t",
        "\n",
        "|",
        ",",
        ":",
        "/",
        "(",
        ")",
        "0x",
        "[N/A]",
        "٣",
        "é",
        "\0",
    ]
    for _ in range(500):
        parser("".join(draw.choices(pieces, k=draw.randrange(60))))
    parser("")
    parser("x" * 300_000)
    parser("1|" * 100_000)


def test_devices_as_nvidia_smi_tells_them() -> None:
    idle, busy, broken = (gpu for _, gpu in parse_gpus((SAMPLES / "nvidia-smi.txt").read_text()))
    assert (idle.use, idle.memory_used, idle.throttled) == ((0,), 45678 * MEGABYTE, ())
    assert busy.throttled == ("sw-power",) and busy.power == 698.7
    assert (broken.use, broken.temperature, broken.power, broken.ecc_errors) == ((), None, None, 7)
    assert broken.throttled == ("hw-slowdown", "sw-thermal", "hw-thermal", "hw-power-brake")


def test_jobs_as_slurm_tells_them() -> None:
    jobs = {job.id: job for job in parse_sacct((SAMPLES / "sacct.txt").read_text())}
    assert jobs["991"].meaning == "was killed for want of memory; killed for want of memory (Slurm's signal 125)"
    assert jobs["991.batch"].highest == 251658240 * 1024
    assert jobs["992"].reason == "NodeDown" and jobs["992"].code == 1
    assert jobs["993_4"].limit is None and jobs["993_4"].meaning == "is running"
    assert jobs["994"].limit == 3600 and jobs["994"].meaning == "completed" and jobs["994"].highest == 1024**3


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1-02:03:04", 93784),
        ("12:34", 754),
        ("0:00", 0),
        ("1:00:00", 3600),
        ("UNLIMITED", None),
        ("INVALID", None),
        ("", None),
    ],
)
def test_slurms_clock(text: str, seconds: float | None) -> None:
    assert clock(text) == seconds


def test_of_an_environment_only_ranks_and_devices_are_taken() -> None:
    given = {"RANK": "3", "WORLD_SIZE": "8", "PATH": "/bin", "NCCL_DEBUG": "INFO", "SLURM_JOB_ID": "9"}
    given |= {"HF_TOKEN": "hf_x", "WANDB_API_KEY": "x", "ACCELERATE_API_KEY": "zzz"}
    assert [one.name for one in settings(given)] == ["NCCL_DEBUG", "RANK", "SLURM_JOB_ID", "WORLD_SIZE"]


@pytest.mark.parametrize(
    ("code", "signal", "says"),
    [
        (0, None, "ended well"), (137, None, "SIGKILL"), (None, 9, "SIGKILL"), (139, None, "SIGSEGV"), (134, 0, "NCCL"),
        (135, None, "/dev/shm"), (143, None, "SIGTERM"), (127, None, "not found"), (3, None, "code 3"),
        (255, None, "code 255"),
        (0, 125, "memory"), (None, 63, "signal 63"), (132, None, "instruction"),
    ],
)  # fmt: skip
def test_codes_and_signals_in_words(code: int | None, signal: int | None, says: str) -> None:
    assert says in explained(code, signal)


def test_the_last_lines_are_as_a_terminal_left_them() -> None:
    bars = "\r".join(f"{n}%|bar" for n in range(100))
    found = last_lines(f"first\n{bars}\n\x1b]0;title\x07\x1b[1mbold\x1b[0m\n" + "x" * 5000 + "\n\n\n")
    assert found == ("first", "99%|bar", "bold", "x" * LONGEST)
    assert len(last_lines("line\n" * 500)) == LINES


def test_checkpoints_are_grouped_by_what_belongs_together() -> None:
    def entry(path: str, size: int, modified: float) -> Entry:
        return Entry(f"/run/{path}", size, modified)

    found = gather(
        [
            entry("checkpoint-500/model.safetensors", 100, 900.0),
            entry("checkpoint-500/optimizer.pt", 200, 910.0),
            entry("checkpoint-500/trainer_state.json", 5, 911.0),
            entry("last.ckpt", 50, 950.0),
            entry("epoch=3.ckpt.tmp", 7, 990.0),
            entry("tmp-checkpoint-600/model.safetensors", 9, 995.0),
            entry("dcp/step_10/__0_0.distcp", 11, 800.0),
            entry("dcp/step_10/.metadata", 1, 801.0),
            entry("data/images.bin", 999, 100.0),
            entry("train.log", 10, 999.0),
        ],
        "/run",
        1000.0,
    )
    assert [(one.path, one.size, one.age, one.files) for one in found.newest] == [
        ("last.ckpt", 50, 50.0, 1),
        ("checkpoint-500", 305, 89.0, 3),
        ("dcp/step_10", 12, 199.0, 2),
    ]
    assert found.count == 3 and found.size == 367
    assert found.temporary == ("epoch=3.ckpt.tmp", "tmp-checkpoint-600/model.safetensors")


def test_sizes_and_times_as_people_say_them() -> None:
    assert [size(n) for n in (0, 2048, 1536 * 1024, 3 << 30, None)] == [
        "0 bytes",
        "2 KB",
        "1.5 MB",
        "3.0 GB",
        "unknown",
    ]
    assert [duration(n) for n in (0, 119, 600, 7200, 200_000)] == ["0 s", "119 s", "10 min", "2 h", "2 days"]
