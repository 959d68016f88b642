"""What the numbers of a line are: its measures by name, its step and its epoch; and what is none of them."""

from __future__ import annotations

import pytest

from stetho.text import grammar
from stetho.text.even import even
from stetho.text.extraction import Extraction

NAMED = [
    ("iter 100: loss 2.34, time 123.45ms, mfu 12.3%", {"loss": 2.34, "time": 123.45, "mfu": 12.3}, 100, None),
    ("step 250: train loss 2.3, val loss 2.4", {"train loss": 2.3, "val loss": 2.4}, 250, None),
    ("{'loss': 0.51, 'learning_rate': 4.9e-05, 'epoch': 0.01}", {"loss": 0.51, "learning_rate": 4.9e-05}, None, 0.01),
    ("{'loss': '0.51', 'grad_norm': '1.2', 'epoch': '2.5'}", {"loss": 0.51, "grad_norm": 1.2}, None, 2.5),
    (" 45%|████▌  | 450/1000 [00:12<00:15, 36.50it/s, loss=0.123]", {"it/s": 36.5, "loss": 0.123}, 450, None),
    (
        "12/100 ━━━━━━ 3s 20ms/step - accuracy: 0.10 - loss: 2.30",
        {"ms/step": 20, "accuracy": 0.1, "loss": 2.3},
        12,
        None,
    ),
    (
        "[7]\tvalidation_0-rmse:0.48\tvalidation_1-rmse:0.5",
        {"validation_0-rmse": 0.48, "validation_1-rmse": 0.5},
        7,
        None,
    ),
    ("[10]\ttraining's l2: 0.24\tvalid_1's l1: 0.1", {"training's l2": 0.24, "valid_1's l1": 0.1}, 10, None),
    ("0:\tlearn: 0.6812\ttest: 0.6834\ttotal: 50.2ms", {"learn": 0.6812, "test": 0.6834}, 0, None),
    (" iteration  10/  500 | lm loss: 6.91E+00 | global batch size:   256 |", {"lm loss": 6.91}, 10, None),
    ("step=10, skipped=0, lr=[0.001, 0.001], mom=[(0.9, 0.999)]", {"lr": 0.001, "mom": 0.9}, 10, None),
    ("step: 10  loss:  8.12  memory:  5.2GiB(10.9%)  tps: 1,234", {"loss": 8.12, "memory": 5.2, "tps": 1234}, 10, None),
    ("eta: 0:01:00  iter: 19  total_loss: 1.2  lr: 1.0e-05", {"total_loss": 1.2, "lr": 1e-05}, 19, None),
    ("| epoch 001:     10 / 100 loss=7.1, ppl=139.2, num_updates=10", {"loss": 7.1, "ppl": 139.2}, 10, 1),
    ("Epoch(train)  [1][ 50/1879]  lr: 1.0e-04  loss: 1.2", {"lr": 1e-4, "loss": 1.2}, 50, 1),
    ("Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.3", {"Loss": 2.3}, 640, 1),
    ("Epoch [3/10], Step [100/600], Loss: 0.5", {"Loss": 0.5}, 100, 3),
    (
        "Test set: Average loss: 0.03, Accuracy: 9890/10000 (99%)",
        {"val/Average loss": 0.03, "val/Accuracy": 0.989},
        None,
        None,
    ),
    ("[epoch 3][120/500] loss 0.5", {"loss": 0.5}, 120, 3),
    ("loss: tensor(0.5123, device='cuda:0')", {"loss": 0.5123}, None, None),
    ("step 10 loss -inf", {"loss": float("-inf")}, 10, None),
    ("[Epoch 3] validation: loss=0.5 acc=0.7", {"val/loss": 0.5, "val/acc": 0.7}, None, 3),
]
NAMELESS = [
    "torch version 2.1.0+cu121, CUDA 12.1, port 29500, 8 GPUs, seed 42",
    "Listening on 127.0.0.1:8080",
    '  File "/home/me/train.py", line 37, in main',
    "model has 124.44M parameters, batch_size: 32",
    "training took 12.3 seconds",
    "GPU 0: NVIDIA A100-SXM4-80GB, 81920 MiB, driver 535.104.05",
    "Loading checkpoint shards: 100%|██████████| 3/3 [00:06<00:00]",
    "trainable params: 4,194,304 || all params: 6,742,609,920 || trainable%: 0.0622",
    "0.512 0.612 0.712",
    "wandb: Run data is saved locally in /home/x/wandb/run-20240501_120000-abc",
    "2024-05-01 12:00:00,123 INFO nothing to see",
]


def read(line: str) -> tuple[dict[str, float], float, float]:
    shown = even(line.encode())
    plan = grammar.read(shown)
    rows, names = Extraction(shown, plan).read([line.encode()])
    said = [metric.name.decode() for metric in plan.metrics] if names is None else names[0]
    prefixed = [(m.prefix.decode() + "/" if m.prefix else "") + n for m, n in zip(plan.metrics, said, strict=True)]
    return dict(zip(prefixed, rows[0].tolist(), strict=False)), float(rows[0][-5]), float(rows[0][-3])


@pytest.mark.parametrize(("line", "metrics", "step", "epoch"), NAMED)
def test_numbers_with_a_name_are_read(
    line: str, metrics: dict[str, float], step: int | None, epoch: float | None
) -> None:
    named, at_step, at_epoch = read(line)
    assert named == pytest.approx(metrics, nan_ok=True)
    assert (at_step == step) if step is not None else at_step != at_step
    assert (at_epoch == epoch) if epoch is not None else at_epoch != at_epoch


@pytest.mark.parametrize("line", NAMELESS)
def test_counts_sizes_versions_and_addresses_are_no_measures(line: str) -> None:
    assert grammar.read(even(line.encode())).metrics == ()
