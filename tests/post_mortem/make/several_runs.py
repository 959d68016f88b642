"""Directories: sweeps, restarts, ranks, one run spread over many formats, Hydra's layout, and nothing at all."""

# ruff: noqa: E501 - lines of real logs are long

import csv
import json
import math
import random

from distributed_runs import launch
from fixture import EXPLODED, Clock, Page, cosine, decay, ends, numbered, run
from real import line_of, workshop
from tensorboard_runs import Board

HAND = "written after the format: a program's own files, curves simulated"
GOOD = ["none/healthy", "none/completed", "none/converged", "none/slow-but-learning"]


def member(folder, config, losses, accuracy=None, done=True):
    """One run of a sweep: its configuration, JSON lines and a log."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1))
    rows = [{"step": i * 10, "loss": round(v, 5) if math.isfinite(v) else math.nan} for i, v in enumerate(losses)]
    if accuracy:
        rows.append({"step": len(losses) * 10, "test_acc": accuracy})
    (folder / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "train.log").write_text(f"config {config}\n" + ("training finished\n" if done else ""))


@run(
    "sweep-of-six",
    about="six runs over rate, width and precision; the two with fp16 go to NaN, whatever their rate; the four with bf16 learn",
    source=HAND,
    status=["suspected"],
    causes=["num/half-precision", "num/overflow", *EXPLODED],
    symptoms=["loss-nonfinite"],
    not_symptoms=["overfitting"],
    formats=["jsonl", "json", "text"],
    shared_by_failing=["precision=fp16"],
)
def sweep(out):
    grid = [
        (1e-4, 256, "bf16"),
        (1e-4, 512, "fp16"),
        (3e-4, 256, "bf16"),
        (3e-4, 512, "bf16"),
        (1e-3, 256, "fp16"),
        (1e-3, 512, "bf16"),
    ]
    runs = {}
    for i, (rate, width, precision) in enumerate(grid):
        losses = decay(120, 5.5, 1.6 + 0.05 * i, 20, 0.02, 120 + i)
        bad = precision == "fp16"
        if bad:
            losses = losses[: 70 + 5 * i] + [math.nan] * (50 - 5 * i)
        name = f"run_{i:02d}"
        member(out / name, {"lr": rate, "width": width, "precision": precision, "seed": 0, "steps": 1200}, losses)
        runs[name] = (
            {
                "status": ["suspected"],
                "causes": ["num/half-precision", "num/overflow", *EXPLODED],
                "nonfinite_step": (70 + 5 * i) * 10,
            }
            if bad
            else {"status": ["clear"], "causes": GOOD}
        )
    return {"runs": runs}


@run(
    "sweep-of-four-seeds-healthy",
    about="the same configuration with four seeds: final accuracies 0.913 to 0.919, nothing to explain",
    source=HAND,
    status=["clear"],
    causes=["none/seed-noise", *GOOD],
    not_symptoms=["overfitting", "loss-diverging", "crash"],
    formats=["jsonl", "json", "text"],
)
def seeds(out):
    for seed, accuracy in enumerate((0.9132, 0.9171, 0.9155, 0.9188)):
        member(
            out / f"seed{seed}",
            {"lr": 3e-4, "seed": seed, "steps": 1200},
            decay(120, 2.3, 0.3, 20, 0.03, 130 + seed),
            accuracy,
        )
    return {"runs": {f"seed{seed}": {"status": ["clear"], "causes": GOOD} for seed in range(4)}}


@run(
    "restarts-then-finished",
    about="preempted twice, requeued by Slurm, each attempt resumes where its checkpoint was; the third one finishes",
    source="written after the format: Slurm, own prints",
    status=["clear"],
    causes=GOOD,
    completed=True,
    not_symptoms=["loss-spike", "loss-diverging", "crash"],
    formats=["text", "slurm"],
    last_step=2990,
)
def restarts(out):
    losses, clock = decay(300, 6.2, 1.9, 40, 0.012, 140), Clock("2026-08-20 06:00:00")
    for attempt, (first, last) in enumerate(((0, 1130), (1100, 2240), (2200, 3000))):
        page = Page()
        page.say(f"attempt {attempt} of job 60144 on n{attempt + 3:02d}")
        page.say(
            "starting from scratch"
            if not first
            else f"resumed from ckpt/step_{first}.pt, optimizer and scheduler restored"
        )
        for step in range(first, last, 10):
            clock.tick(6)
            page.log(
                "{t} step {step} loss {loss:.4f} lr {lr:.2e}",
                "",
                t=clock.show(),
                step=step,
                loss=losses[step // 10],
                lr=cosine(step, 3000, 3e-4, 100),
            )
        if last < 3000:
            page.say(
                f"slurmstepd: error: *** JOB 60144 ON n{attempt + 3:02d} CANCELLED AT {clock.show('%Y-%m-%dT%H:%M:%S')} DUE TO PREEMPTION, "
                "REQUEUED ***"
            )
        else:
            page.say(f"{clock.show()} training finished at step 3000")
        clock.tick(1800)
        page.save(out / f"slurm-60144_{attempt}.out")


@run(
    "restart-loop-first-failure-counts",
    about="rank 0 raises at step 12; torchrun restarts twice and those attempts only fail to connect: the first failure is the cause",
    source="real: torch 2.13 torchrun, gloo",
    status=["established"],
    causes=["env/exception"],
    symptoms=["crash"],
    not_symptoms=["overfitting", "loss-diverging"],
    formats=["text", "torchrun"],
    ranks=2,
)
def restart_loop(out):
    with workshop() as folder:
        source, text = launch(
            folder,
            """
        if step == 12 and rank == 0:
            raise RuntimeError("tokenizer has 32000 entries, model expects 32064")""",
            "--max-restarts=2",
            "--monitor-interval=0.5",
        )
    (out / "torchrun.log").write_text(text)
    return {"where": f"train.py:{line_of(source, 'raise RuntimeError')}"}


def spread(out, losses, seed):
    """The same run through TensorBoard, CSV, stdout, a YAML configuration and a checkpoint."""
    import torch

    (out / "config.yaml").write_text(
        "model:\n  name: unet\n  channels: [32, 64]\noptimizer: {name: adamw, lr: 0.0008}\nsteps: 2400\nseed: 3\n"
    )
    board, dice, page, clock = Board(out / "tb"), random.Random(seed), Page(), Clock("2026-03-11 14:02:11")
    with (out / "metrics.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["step", "loss", "grad_norm", "seconds"])
        for step, loss in numbered(losses, 10):
            norm = abs(dice.gauss(0.8, 0.1)) * (1.25 ** max(0, step // 10 - 175) if math.isnan(losses[-1]) else 1)
            norm = norm if math.isfinite(loss) else math.nan
            clock.tick(2)
            board.scalar("train/loss", loss, step, new_style=True)
            board.scalar("train/grad_norm", norm, step, new_style=True)
            writer.writerow([step, f"{loss:.6f}", f"{norm:.5f}", f"{step * 0.2:.1f}"])
            if step % 100 == 0:
                page.log("{t} [train] step {step:>5} loss {loss:.4f}", "", t=clock.show(), step=step, loss=loss)
    board.close()
    (out / "checkpoints").mkdir()
    for step in (1000, 1500):
        torch.manual_seed(step)
        torch.save(
            {"model": {"w": torch.randn(30, 30), "b": torch.zeros(30)}, "step": step},
            out / "checkpoints" / f"{step}.pt",
        )
    return page, {
        "last_step": (len(losses) - 1) * 10,
        "series": {
            "train/loss": board.series("train/loss")["train/loss"],
            "loss": ends([float(f"{v:.6f}") for v in losses]),
        },
    }


@run(
    "spread-nan",
    about="one run in TensorBoard, CSV, stdout, YAML and checkpoints: gradients grow from step 1750, NaN at 2050, ran to the end as NaN",
    source="real: SummaryWriter, csv, torch.save; curves simulated",
    status=["suspected"],
    causes=EXPLODED,
    symptoms=["loss-nonfinite"],
    not_symptoms=["overfitting", "crash"],
    formats=["tensorboard", "csv", "text", "yaml", "checkpoint-pt"],
    nonfinite_step=2050,
)
def spread_nan(out):
    losses = decay(240, 1.9, 0.3, 40, 0.02, 150)
    losses = [v * (1.04 ** max(0, i - 175)) for i, v in enumerate(losses[:205])] + [math.nan] * 35
    page, truth = spread(out, losses, 150)
    page.save(out / "stdout.log")
    return truth


@run(
    "spread-healthy",
    about="the same layout, all well: five formats, one run, finished",
    source="real: SummaryWriter, csv, torch.save; curves simulated",
    status=["clear"],
    causes=GOOD,
    completed=True,
    not_symptoms=["overfitting", "crash", "loss-nonfinite", "loss-flat"],
    formats=["tensorboard", "csv", "text", "yaml", "checkpoint-pt"],
)
def spread_healthy(out):
    page, truth = spread(out, decay(240, 1.9, 0.3, 40, 0.02, 151), 151)
    page.say("done: 2400 steps, final loss 0.31")
    page.save(out / "stdout.log")
    return truth


@run(
    "hydra-key-missing",
    about="Hydra's output folder: a key that the configuration does not have, in epoch 3; overrides and config beside the log",
    source="written after the format: Hydra, OmegaConf",
    status=["established"],
    causes=["env/exception"],
    symptoms=["crash"],
    not_symptoms=["overfitting", "loss-diverging", "killed"],
    formats=["text", "yaml"],
    where="train.py:58",
    last_step=3,
)
def hydra(out):
    folder = out / "outputs" / "2026-03-11" / "14-02-11"
    (folder / ".hydra").mkdir(parents=True)
    (folder / ".hydra" / "config.yaml").write_text(
        "lr: 0.1\nepochs: 20\nmodel:\n  name: wrn\n  depth: 28\neval:\n  every: 3\n"
    )
    (folder / ".hydra" / "overrides.yaml").write_text("- lr=0.1\n- model.depth=28\n")
    (folder / ".hydra" / "hydra.yaml").write_text(
        "hydra:\n  job:\n    name: train\n    chdir: true\n  runtime:\n    version: 1.3.2\n    cwd: /home/mira/proj\n"
    )
    page, clock = Page(), Clock()
    for epoch, loss in numbered(decay(3, 2.1, 0.6, 2, 0.01, 160), 1, 1):
        clock.tick(48)
        page.log(
            "[{t}][__main__][INFO] - epoch {e} train_loss {loss:.4f} lr 0.1",
            "loss>train_loss",
            t=clock.milli(),
            e=epoch,
            loss=loss,
        )
    page.say("""Error executing job with overrides: ['lr=0.1', 'model.depth=28']
Traceback (most recent call last):
  File "/home/mira/proj/train.py", line 71, in main
    train(cfg)
  File "/home/mira/proj/train.py", line 58, in train
    evaluate(model, loader, topk=cfg.eval.topk)
                                 ^^^^^^^^^^^^^
omegaconf.errors.ConfigAttributeError: Key 'topk' is not in struct
    full_key: eval.topk
    object_type=dict

Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.""")
    return page.save(folder / "train.log")


@run(
    "straggler-rank",
    about="four rank logs: rank 2 computes for 1.9 s a step, the others for 0.4 s and then wait 1.5 s for it",
    source=HAND,
    status=["suspected"],
    causes=["dist/straggler", "env/gpu-fault", "env/slow-storage", "env/input-bound"],
    symptoms_any=["slow-training", "hang"],
    not_symptoms=["loss-nonfinite", "overfitting", "crash"],
    formats=["text"],
    ranks=4,
    last_step=199,
)
def straggler(out):
    losses = decay(200, 4.2, 1.5, 35, 0.015, 161)
    for rank in range(4):
        page, dice = Page(), random.Random(162 + rank)
        page.say(f"rank {rank} of 4 on n{rank // 2 + 1:02d}, local gpu {rank % 2}")
        for step, loss in enumerate(losses):
            compute = (1.9 if rank == 2 else 0.4) + dice.gauss(0, 0.02)
            page.log(
                "step={step} loss={loss:.4f} compute={c:.3f}s allreduce_wait={w:.3f}s",
                "",
                step=step,
                loss=loss,
                c=compute,
                w=max(0.01, 1.93 - compute),
            )
        page.save(out / f"rank_{rank}.log")


@run(
    "nothing-to-read",
    about="an empty log, a configuration, and a note without numbers: there is no signal",
    source=HAND,
    status=["unknown"],
    causes=[],
    not_symptoms=["crash", "killed", "loss-flat", "loss-nonfinite"],
    formats=["yaml"],
)
def nothing(out):
    (out / "train.log").touch()
    (out / "config.yaml").write_text("lr: 0.001\nmodel: mlp\n")
    (out / "README.txt").write_text("baseline for the workshop, ask Jo before deleting\n")
