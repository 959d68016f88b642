"""Checkpoints by the real writers: whole, cut off, empty, unfinished, with NaN inside, not really loaded."""

# ruff: noqa: E501 - lines of real logs are long

import math
import re
import shutil
import sys

from fixture import EXPLODED, Clock, Page, decay, ends, numbered, run
from real import execute, line_of, program, workshop

STEADY = ["loss-diverging", "overfitting", "loss-flat"]


def small_model():
    import torch
    from torch import nn

    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 10))


def state_of(model, step):
    return {"model": model.state_dict(), "step": step, "lr": 1e-3}


def plain_log(page, n, seed, every=50, clock=None):
    clock = clock or Clock("2026-10-01 12:00:00")
    for step, loss in numbered(decay(n, 2.4, 0.5, n / 6, 0.02, seed), every, every):
        clock.tick(20)
        page.log("{t} step {step} loss {loss:.4f}", "loss", t=clock.show(), step=step, loss=loss)
        if step % 1000 == 0:
            page.say(f"{clock.show()} saved ckpt/step_{step}.pt")
    return n * every


@run(
    "checkpoint-with-nan-weights",
    about="the log prints every 50 steps and looks well; the weights of the last checkpoint are NaN: it broke after the last print",
    source="real: torch.save; log written by hand",
    status=["suspected", "unknown", "established"],
    causes=[
        *EXPLODED,
        "num/overflow",
        "num/half-precision",
        "data/nonfinite-values",
        "num/log-of-zero",
        "num/division-by-zero",
        "num/sqrt-at-zero",
        "other/unlisted",
    ],
    not_symptoms=STEADY,
    formats=["text", "checkpoint-pt"],
)
def nan_weights(out):
    import torch

    page, model = Page(), small_model()
    last = plain_log(page, 40, 110)
    (out / "ckpt").mkdir()
    for step in (1000, 2000):
        if step == 2000:
            with torch.no_grad():
                for parameter in model.parameters():
                    parameter.fill_(math.nan)
        torch.save(state_of(model, step), out / "ckpt" / f"step_{step}.pt")
    return page.save(out / "train.log") | {"last_step": last}


@run(
    "checkpoint-empty",
    about="the node died while it saved: step_2000.pt has no bytes, the log ends at the message that it is being written",
    source="real: torch.save; log written by hand",
    status=["established", "suspected"],
    causes=["env/checkpoint-corrupt", "env/killed"],
    not_symptoms=STEADY,
    formats=["text", "checkpoint-pt"],
)
def empty(out):
    import torch

    page = Page()
    last = plain_log(page, 40, 111)
    page.lines[-1] = page.lines[-1].replace("saved ckpt", "saving ckpt")
    (out / "ckpt").mkdir()
    torch.save(state_of(small_model(), 1000), out / "ckpt" / "step_1000.pt")
    (out / "ckpt" / "step_2000.pt").touch()
    return page.save(out / "train.log") | {"last_step": last}


@run(
    "safetensors-truncated",
    about="a copy of the base model was cut off; loading it fails before the first step",
    source="real: safetensors 0.8",
    status=["established"],
    causes=["env/checkpoint-corrupt"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text", "safetensors"],
)
def safetensors_cut(out):
    from safetensors.torch import save_file

    with workshop() as folder:
        source = program(
            folder,
            """
    from safetensors.torch import load_file

    print("loading base/model-00002-of-00002.safetensors")


    def load():
        weights = load_file("base/model-00001-of-00002.safetensors")
        weights |= load_file("base/model-00002-of-00002.safetensors")
        return weights


    load()
    """,
        )
        (folder / "base").mkdir()
        for i in (1, 2):
            save_file(
                {k: v.clone() for k, v in small_model().state_dict().items()},
                folder / "base" / f"model-0000{i}-of-00002.safetensors",
            )
        cut = folder / "base" / "model-00002-of-00002.safetensors"
        cut.write_bytes(cut.read_bytes()[:-1500])
        text, _ = execute(folder)
        shutil.copytree(folder / "base", out / "base")
    (out / "finetune.log").write_text(text)
    return {"where": f"train.py:{line_of(source, 'weights |= load_file')}"}


@run(
    "dcp-without-metadata",
    about="a distributed checkpoint whose save did not finish (no .metadata) is resumed from: the load fails; the one before is whole",
    source="real: torch.distributed.checkpoint",
    status=["established"],
    causes=["env/checkpoint-corrupt"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text", "dcp"],
)
def dcp(out):
    import torch.distributed.checkpoint as dcp

    with workshop() as folder:
        source = program(
            folder,
            """
    import torch
    import torch.distributed.checkpoint as dcp
    from torch import nn

    model = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 10))
    print("resuming from ckpt/step_200")
    state = {"model": model.state_dict()}
    dcp.load(state, checkpoint_id="ckpt/step_200")
    """,
        )
        for step in (100, 200):
            dcp.save(
                {"model": small_model().state_dict()}, checkpoint_id=str(folder / "ckpt" / f"step_{step}"), no_dist=True
            )
        (folder / "ckpt" / "step_200" / ".metadata").unlink()
        text, _ = execute(folder, sys.executable, "-W", "ignore", "train.py")
        shutil.copytree(folder / "ckpt", out / "ckpt")
    (out / "resume.log").write_text(text)
    return {"where": f"train.py:{line_of(source, 'dcp.load')}"}


@run(
    "checkpoints-whole-healthy",
    about="three whole checkpoints with optimizer, a smaller best_weights.pt, a safetensors export and a leftover .tmp of an atomic save; finished",
    source="real: torch.save, safetensors; log written by hand",
    status=["clear"],
    causes=["none/completed", "none/healthy", "none/converged"],
    not_symptoms=[*STEADY, "crash", "killed"],
    formats=["text", "checkpoint-pt", "safetensors"],
    completed=True,
)
def whole(out):
    import torch
    from safetensors.torch import save_file

    page, model = Page(), small_model()
    last = plain_log(page, 60, 112)
    page.say("training finished, exported model.safetensors")
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.randn(4, 20)).sum().backward()
    optimizer.step()
    (out / "ckpt").mkdir()
    for step in (1000, 2000, 3000):
        torch.save(state_of(model, step) | {"optimizer": optimizer.state_dict()}, out / "ckpt" / f"step_{step}.pt")
    torch.save(model.state_dict(), out / "ckpt" / "best_weights.pt")
    part = (out / "ckpt" / "step_1000.pt").read_bytes()
    (out / "ckpt" / "step_1000.pt.tmp").write_bytes(part[: len(part) // 3])
    save_file({k: v.clone() for k, v in model.state_dict().items()}, out / "model.safetensors")
    return page.save(out / "train.log") | {"last_step": last}


@run(
    "weights-not-loaded",
    about="load_state_dict(strict=False) of a DataParallel checkpoint: every key missing, every 'module.' key unexpected; starts at ln 10",
    source="real: torch 2.13",
    status=["suspected", "established"],
    causes=["train/weights-not-loaded"],
    not_symptoms=["crash", "overfitting"],
    formats=["text"],
)
def not_loaded(out):
    with workshop() as folder:
        program(
            folder,
            """
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(20, 48), nn.ReLU(), nn.Linear(48, 10))
    pretrained = {"module." + key: value + 1 for key, value in model.state_dict().items()}
    print("loading pretrained weights:", model.load_state_dict(pretrained, strict=False))
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    rule = torch.randn(20, 10)
    for step in range(100):
        x = torch.randn(64, 20)
        loss = nn.functional.cross_entropy(model(x), (x @ rule).argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"finetune step {step}: loss {loss.item():.4f}")
    """,
        )
        text, _ = execute(folder)
    (out / "finetune.log").write_text(text)
    seen = [float(value) for value in re.findall(r"loss ([\d.]+)", text)]
    return {"last_step": 99, "series": {"loss": ends(seen)}}


@run(
    "new-head-warning-healthy",
    about="transformers' warning that the classifier head is newly initialised, as it always is before a fine-tune; learns well",
    source="written after the format: transformers",
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/converged"],
    completed=True,
    not_symptoms=["crash", "overfitting", "loss-flat"],
    formats=["text"],
)
def new_head(out):
    page = Page()
    page.say(
        "Some weights of RobertaForSequenceClassification were not initialized from the model checkpoint at roberta-base and are newly "
        "initialized: ['classifier.dense.bias', 'classifier.dense.weight', 'classifier.out_proj.bias', 'classifier.out_proj.weight']\n"
        "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference."
    )
    for step, loss in numbered(decay(80, 0.69, 0.15, 14, 0.03, 113), 25, 25):
        page.log(
            "step {step:5d} | loss {loss:.4f} | lr {lr:.2e}", "loss", step=step, loss=loss, lr=2e-5 * (1 - step / 2001)
        )
    page.say("training done: eval accuracy 0.941 (chance 0.5)")
    return page.save(out / "train.log") | {"last_step": 2000}
