"""TensorBoard event files by torch's SummaryWriter: old and new scalars, several files, a cut tail."""

# ruff: noqa: E501 - lines of real logs are long

import math
import random

from fixture import EXPLODED, around, cosine, decay, ends, numbered, run

REAL = "real: torch.utils.tensorboard SummaryWriter, curves simulated"
START = 1773237731


class Board:
    """A SummaryWriter with a fixed clock, whose file gets a neutral name at the end."""

    def __init__(self, folder, second=2.0, start=START, **options):
        from torch.utils.tensorboard import SummaryWriter

        self.folder, self.second, self.start = folder, second, start
        before = set(folder.glob("events.*")) if folder.exists() else set()
        self.writer = SummaryWriter(str(folder), **options)
        self.file = next(path for path in folder.glob("events.*") if path not in before)
        self.values = {}

    def scalar(self, tag, value, step, **options):
        self.writer.add_scalar(tag, value, step, walltime=self.start + step * self.second, **options)
        self.values.setdefault(tag, []).append(value)

    def close(self, pid=4711, number=0):
        self.writer.close()
        name = self.folder / f"events.out.tfevents.{self.start}.node-07.{pid}.{number}"
        self.file.rename(name)
        return name

    def series(self, *tags):
        import struct

        def stored(value):  # a scalar is kept as float32
            return struct.unpack("f", struct.pack("f", value))[0]

        return {tag: ends([stored(value) for value in self.values[tag]]) for tag in tags}


@run(
    "tensorboard-healthy",
    about="image classification, old-style scalars, with histograms, text and hyperparameters in the same file; all well",
    source=REAL,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/converged"],
    formats=["tensorboard"],
    not_symptoms=["overfitting", "loss-flat", "metric-stuck"],
    last_step=3980,
)
def healthy(out):
    import torch

    board = Board(out / "runs" / "resnet18_lr0.1")
    train = decay(200, 2.31, 0.35, 28, 0.04, 80)
    for step, loss in numbered(train, 20):
        board.scalar("train/loss", loss, step)
        board.scalar("train/lr", cosine(step, 4000, 0.1), step)
        if step % 400 == 380:
            board.scalar("val/loss", 0.42 + 1.6 * math.exp(-step / 900), step)
            board.scalar("val/acc", 0.91 - 0.6 * math.exp(-step / 900), step)
            board.writer.add_histogram("fc/weight", torch.linspace(-1, 1, 50), step, walltime=START + step)
    board.writer.add_text("note", "baseline, nothing changed")
    board.close()
    return {"series": board.series("train/loss", "train/lr", "val/loss", "val/acc")}


@run(
    "tensorboard-new-style-diverging",
    about="scalars as tensors; the loss turns at step 600 and climbs from 1.4 to 900 without ever being NaN",
    source=REAL,
    status=["suspected"],
    causes=[*EXPLODED, "train/missing-zero-grad"],
    symptoms=["loss-diverging"],
    not_symptoms=["loss-nonfinite", "overfitting"],
    formats=["tensorboard"],
    last_step=1490,
)
def diverging(out):
    board = Board(out / "logs")
    dice = random.Random(81)
    for step, loss in numbered(decay(150, 4.1, 1.3, 15, 0.03, 81), 10):
        if step > 600:
            loss *= math.exp((step - 600) / 140) * math.exp(dice.gauss(0, 0.05))
        board.scalar("loss", loss, step, new_style=True)
        board.scalar("grad_norm", abs(dice.gauss(1, 0.1)) * max(1, loss / 1.6), step, new_style=True)
    board.close()
    return {"series": board.series("loss", "grad_norm")}


@run(
    "tensorboard-nan-cut-tail",
    about="the gradient norm doubles every eight steps from 300 on, NaN at 340; the process died and the file ends inside a record",
    source=REAL,
    status=["suspected"],
    causes=EXPLODED,
    symptoms=["loss-nonfinite"],
    not_symptoms=["overfitting", "loss-flat"],
    formats=["tensorboard"],
    nonfinite_step=340,
    last_step=378,
)
def nan_cut(out):
    board = Board(out)
    dice = random.Random(82)
    losses = decay(380, 8.2, 3.0, 60, 0.015, 82)
    for step in range(380):
        bad = step >= 340
        grow = 2 ** max(0, (step - 300) / 8)
        board.scalar("loss/train", math.nan if bad else losses[step] * (1 + 0.02 * (grow - 1)), step)
        board.scalar("optim/grad_norm", math.nan if bad else abs(dice.gauss(0.9, 0.1)) * grow, step)
    path = board.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-61])  # the last two records: one is cut in the middle, one is gone
    found = board.series("loss/train", "optim/grad_norm")
    for name in found:
        found[name]["count"] = 379
    return {"series": found}


@run(
    "tensorboard-resumed-healthy",
    about="two files in one folder: preempted at 1470, resumed from 1200 with purge_step; the curves meet; finished at 3000",
    source=REAL,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/slow-but-learning"],
    formats=["tensorboard"],
    not_symptoms=["loss-spike", "loss-diverging"],
    last_step=2990,
)
def resumed(out):
    losses = decay(300, 9.3, 2.7, 25, 0.012, 83)
    first = Board(out)
    for step in range(0, 1480, 10):
        first.scalar("train_loss", losses[step // 10], step)
    first.close()
    second = Board(out, start=START + 9000, purge_step=1200)
    for step in range(1200, 3000, 10):
        second.scalar("train_loss", losses[step // 10], step)
    second.close(pid=5120)
    found = second.series("train_loss")["train_loss"]
    return {
        "series": {
            "train_loss": {
                "count": 300,
                "first": first.series("train_loss")["train_loss"]["first"],
                "last": found["last"],
            }
        }
    }


@run(
    "tensorboard-train-and-validation-folders",
    about="the same tag in train/ and validation/: training goes to 0.01, validation turns at epoch 12 and climbs: overfitting",
    source=REAL,
    status=["suspected"],
    causes=["hp/overfitting", "data/too-little"],
    symptoms=["overfitting"],
    not_symptoms=["loss-nonfinite", "loss-flat"],
    formats=["tensorboard"],
    last_step=49,
)
def two_folders(out):
    train, valid = Board(out / "train", 60), Board(out / "validation", 60)
    dice = random.Random(84)
    for epoch, loss in numbered(decay(50, 1.1, 0.003, 7, 0.02, 84)):
        train.scalar("epoch_loss", loss, epoch, new_style=True)
        valid.scalar(
            "epoch_loss",
            0.52 + 0.55 * math.exp(-epoch / 3.5) + 0.021 * max(0, epoch - 11) + dice.gauss(0, 0.008),
            epoch,
            new_style=True,
        )
    train.close()
    valid.close(number=1)


@run(
    "tensorboard-vanishing-gradients",
    about="twelve sigmoid layers: the first layers' gradients are 1e-9 of the last one's, the loss barely leaves ln 10",
    source=REAL,
    status=["suspected"],
    causes=["arch/vanishing-gradients"],
    symptoms_any=["gradients-vanishing", "loss-flat"],
    not_symptoms=["loss-nonfinite", "overfitting", "loss-diverging"],
    formats=["tensorboard"],
    last_step=1180,
)
def vanishing(out):
    board = Board(out)
    dice = random.Random(85)
    for step, loss in numbered(around(60, 2.304, 0.004, 85), 20):
        board.scalar("loss", loss, step)
        for layer in (0, 3, 6, 9, 11):
            board.scalar(
                f"grad_norm/layer{layer}", 0.3 * 10 ** ((layer - 11) * 0.82) * math.exp(dice.gauss(0, 0.1)), step
            )
    board.close()
    return {"series": board.series("loss", "grad_norm/layer0", "grad_norm/layer11")}
