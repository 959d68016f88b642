"""Real runs of several processes with torchrun and gloo: one fails, one is killed, one has a NaN, or all is well."""

import re
import shutil

from fixture import ends, run
from real import execute, line_of, neutral, program, workshop

REAL = "real: torch 2.13 torchrun, gloo"
STEADY = ["loss-diverging", "overfitting", "loss-flat"]

RANKS = """
    import os
    import sys

    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.distributed.elastic.multiprocessing.errors import record
    from torch.nn.parallel import DistributedDataParallel


    def step_loss(model, step, rank):
        x = torch.randn(32, 10, generator=torch.Generator().manual_seed(step * 2 + rank))
        y = x[:, :1] - 2 * x[:, 1:2]
{trouble}
        return (model(x) - y).square().mean()


    @record
    def main():
        dist.init_process_group("gloo")
        rank = dist.get_rank()
        torch.manual_seed(0)
        model = DistributedDataParallel(nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1)))
        optimizer = torch.optim.SGD(model.parameters(), 0.02)
        for step in range({steps}):
            loss = step_loss(model, step, rank)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print({line}, flush=True)
        print(f"rank {{rank}} finished\\n", end="", flush=True)
        dist.destroy_process_group()


    if __name__ == "__main__":
        main()
"""
LINE = 'f"[rank {rank}] step {step} loss {loss.item():.4f}"'
# torchrun's children write the line's end apart from the line; in one piece, two ranks cannot mix.
WHOLE = LINE[:-1] + '\\n", end=""'


def last(text):
    return max(int(step) for step in re.findall(r"step (\d+) loss", text))


def launch(folder, trouble, *options, steps=40, line=LINE, ranks=2):
    source = program(
        folder,
        RANKS.replace("{trouble}", trouble)
        .replace("{steps}", str(steps))
        .replace("{line}", line)
        .replace("{{", "{")
        .replace("}}", "}"),
    )
    text, _ = execute(folder, "torchrun", "--standalone", f"--nproc-per-node={ranks}", *options, "train.py")
    return source, text


@run(
    "torchrun-one-rank-raises",
    about="rank 1 raises a ValueError at step 20; rank 0 is taken down; torchrun prints its failure summary",
    source=REAL,
    status=["established"],
    causes=["env/exception"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text", "torchrun"],
    ranks=2,
)
def one_raises(out):
    with workshop() as folder:
        source, text = launch(
            folder,
            """
        if rank == 1 and step == 20:
            raise ValueError(f"shard-1 ends after {step} batches, expected 40")""",
        )
    (out / "train.log").write_text(text)
    return {"where": f"train.py:{line_of(source, 'raise ValueError')}", "last_step": last(text)}


@run(
    "torchrun-rank-sigkilled",
    about="rank 1 got SIGKILL at step 25 (nothing says from whom); torchrun reports signal 9",
    source=REAL,
    status=["established", "suspected"],
    causes=["env/killed", "env/host-oom"],
    symptoms=["killed"],
    not_symptoms=STEADY,
    formats=["text", "torchrun"],
    ranks=2,
)
def sigkilled(out):
    with workshop() as folder:
        _, text = launch(
            folder,
            """
        if rank == 1 and step == 25:
            os.kill(os.getpid(), 9)""",
        )
    (out / "slurm-7712.out").write_text(text)
    return {"last_step": last(text)}


@run(
    "torchrun-log-directory",
    about="each rank's streams in their own files, error.json beside them: rank 1 read a shard with a wrong header",
    source=REAL,
    status=["established"],
    causes=["env/exception"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text", "torchrun", "json"],
    ranks=2,
)
def log_directory(out):
    with workshop() as folder:
        source, text = launch(
            folder,
            """
        if rank == 1 and step == 30:
            raise RuntimeError("shard_0001.bin: magic number mismatch, 0x00000000 instead of 0x0134d6b7")""",
            "--log-dir=logs",
            "--redirects=3",
            "--max-restarts=0",
        )
        for path in (folder / "logs").rglob("*"):
            if path.is_file():
                path.write_text(neutral(path.read_text(), folder))
        attempt = next((folder / "logs").glob("*/attempt_0"))
        shutil.copytree(attempt, out / "logs" / "job-0_u8k2x1qd" / "attempt_0")
    (out / "launcher.log").write_text(text)
    return {"where": f"train.py:{line_of(source, 'raise RuntimeError')}", "last_step": 29}


@run(
    "four-ranks-interleaved-tracebacks",
    about="all four ranks fail on the same missing file at once and their tracebacks are printed through each other",
    source=REAL,
    status=["established"],
    causes=["env/exception"],
    symptoms=["crash"],
    not_symptoms=[*STEADY, "killed"],
    formats=["text", "torchrun"],
    ranks=4,
)
def interleaved(out):
    with workshop() as folder:
        source, text = launch(
            folder,
            """
        if step == 5:
            open(f"data/shard_{rank:02d}.bin")""",
            "--tee=3",
            ranks=4,
        )
    (out / "out.log").write_text(text)
    return {"where": f"train.py:{line_of(source, 'open(f')}", "last_step": last(text)}


@run(
    "gloo-different-collectives",
    about="rank 0 waits in all_reduce while rank 1 is in all_gather: the collectives do not match, gloo times out",
    source=REAL,
    status=["established", "suspected"],
    causes=["dist/collective-mismatch", "env/hang"],
    symptoms_any=["hang", "crash"],
    not_symptoms=STEADY,
    formats=["text", "torchrun"],
    ranks=2,
)
def gloo_mismatch(out):
    with workshop() as folder:
        program(
            folder,
            """
    import datetime

    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=6))
    rank = dist.get_rank()
    total = torch.zeros(1)
    for step in range(30):
        loss = torch.tensor([2.0 / (1 + 0.1 * step)])
        if step == 22 and rank == 1:
            print("[rank 1] no more batches, waiting for the others", flush=True)
            parts = [torch.zeros(1000) for _ in range(2)]
            dist.all_gather(parts, torch.zeros(1000))
        dist.all_reduce(loss)
        if rank == 0:
            print(f"step {step} loss {loss.item() / 2:.4f}", flush=True)
    """,
        )
        text, _ = execute(folder, "torchrun", "--standalone", "--nproc-per-node=2", "train.py")
    (out / "train.log").write_text(text)
    return {"last_step": last(text)}


def by_rank(out, text):
    """One file for each rank, as many people redirect them."""
    for rank in (0, 1):
        lines = [line.split("] ", 1)[1] for line in text.splitlines() if line.startswith(f"[rank {rank}] ")]
        (out / f"rank{rank}.log").write_text("\n".join([f"world size 2, rank {rank}", *lines, ""]))


@run(
    "one-rank-nonfinite",
    about="rank 1 reads a NaN at step 30: its loss is NaN there, and from step 31 on both ranks have nothing else",
    source=REAL,
    status=["suspected", "established"],
    causes=["dist/one-rank-nonfinite", "data/nonfinite-values"],
    symptoms=["loss-nonfinite"],
    not_symptoms=STEADY,
    formats=["text"],
    ranks=2,
    nonfinite_step=30,
    last_step=49,
)
def one_rank_nan(out):
    with workshop() as folder:
        _, text = launch(
            folder,
            """
        if rank == 1 and step == 30:
            x[3, 4] = float("nan")""",
            steps=50,
            line=WHOLE,
        )
    by_rank(out, text)


@run(
    "two-ranks-healthy",
    about="two ranks with their own logs; their losses differ because their batches do, as they should; both finish",
    source=REAL,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/converged"],
    not_symptoms=["crash", "hang", "loss-flat"],
    formats=["text"],
    ranks=2,
    last_step=79,
)
def two_healthy(out):
    with workshop() as folder:
        _, text = launch(folder, "", steps=80, line=WHOLE)
    by_rank(out, text)
    first = [float(v) for v in re.findall(r"^\[rank 0\] step \d+ loss ([\d.]+)", text, re.M)]
    assert len(first) == 80
    return {"series": {"loss": ends(first)}}
