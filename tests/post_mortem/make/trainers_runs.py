"""Real small trainings under the frameworks people use: HF Trainer, Lightning, Keras, Stable-Baselines3, XGBoost, LightGBM."""

# ruff: noqa: E501 - lines of real logs are long

import csv
import json
import re
import shutil
import sys

from fixture import EXPLODED, ends, run
from real import execute, line_of, neutral, program, workshop

HF = "real: transformers 5.22 Trainer"
LIGHTNING = "real: lightning 2.6"
KERAS = "real: keras 3.15, torch backend"
SB3 = "real: stable-baselines3 2.9"

HF_PROGRAM = """
    import torch
    from torch import nn
    from transformers import Trainer, TrainingArguments, set_seed

    set_seed(0)


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))

        def forward(self, x, labels):
            logits = self.body(x)
            return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


    rule = torch.randn(16, 4)


    def rows(n, seed, noise=0.0):
        g = torch.Generator().manual_seed(seed)
        x = torch.randn(n, 16, generator=g)
        y = (x @ rule).argmax(1)
        wrong = torch.rand(n, generator=g) < noise
        y[wrong] = torch.randint(0, 4, (int(wrong.sum()),), generator=g)
        return [{"x": a, "labels": b} for a, b in zip(x, y)]

"""


def history(folder, state="trainer_state.json"):
    return json.loads((folder / state).read_text())["log_history"]


def hf_run(out, body, keep_checkpoint=True):
    """Runs the program; keeps stdout and the last checkpoint's folder, paths made neutral."""
    with workshop() as folder:
        program(folder, HF_PROGRAM + body)
        text, _ = execute(folder)
        (out / "train.log").write_bytes(text.encode())
        last = max((folder / "out").glob("checkpoint-*"), key=lambda path: int(path.name.split("-")[1]))
        if keep_checkpoint:
            shutil.copytree(last, out / "out" / last.name, ignore=shutil.ignore_patterns("training_args.bin"))
        else:
            (out / "out" / last.name).mkdir(parents=True)
            shutil.copy(last / "trainer_state.json", out / "out" / last.name)
        state = out / "out" / last.name / "trainer_state.json"
        state.write_text(neutral(state.read_text(), folder))
    rows = history(state.parent)
    series = {}
    for name in ("loss", "eval_loss", "grad_norm"):
        found = [float(row[name]) for row in rows if name in row]
        if found:
            series[name] = ends(found)
    return {"series": series, "last_step": json.loads(state.read_text())["global_step"]}


@run(
    "hf-trainer-healthy",
    about="Trainer 5: string values in the dict lines, trainer_state.json, a whole checkpoint; learns, evaluates, finishes",
    source=HF,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/slow-but-learning", "none/converged"],
    completed=True,
    not_symptoms=["loss-flat", "overfitting", "crash"],
    formats=["text", "trainer-state", "safetensors", "checkpoint-pt"],
)
def hf_healthy(out):
    return hf_run(
        out,
        """
    args = TrainingArguments("out", num_train_epochs=5, per_device_train_batch_size=16, learning_rate=5e-3, logging_steps=10,
                             eval_strategy="epoch", save_strategy="epoch", save_total_limit=1, report_to=[], use_cpu=True)
    Trainer(Net(), args, train_dataset=rows(1600, 1), eval_dataset=rows(200, 2)).train()
    """,
    )


@run(
    "hf-trainer-overfitting",
    about="48 samples, a third of them mislabelled: the training loss goes to 0, eval_loss turns early and climbs; only the state file is left",
    source=HF,
    status=["suspected"],
    causes=["hp/overfitting", "data/too-little", "data/labels-noisy"],
    symptoms=["overfitting"],
    not_symptoms=["loss-nonfinite", "loss-flat"],
    formats=["trainer-state"],
)
def hf_overfitting(out):
    truth = hf_run(
        out,
        """
    args = TrainingArguments("out", num_train_epochs=40, per_device_train_batch_size=8, learning_rate=6e-3, logging_strategy="epoch",
                             eval_strategy="epoch", save_strategy="steps", save_steps=240, report_to=[], use_cpu=True, weight_decay=0.0)
    Trainer(Net(), args, train_dataset=rows(48, 1, 0.33), eval_dataset=rows(300, 2, 0.33)).train()
    """,
        keep_checkpoint=False,
    )
    (out / "train.log").unlink()
    return truth


@run(
    "hf-trainer-nan",
    about="SGD with a rate of 60 and no clipping: real NaN within a few steps; the Trainer goes on to the end and saves NaN weights",
    source=HF,
    status=["suspected"],
    causes=[*EXPLODED, "num/overflow"],
    symptoms=["loss-nonfinite"],
    not_symptoms=["overfitting", "crash"],
    formats=["text", "trainer-state", "safetensors", "checkpoint-pt"],
)
def hf_nan(out):
    truth = hf_run(
        out,
        """
    args = TrainingArguments("out", max_steps=60, per_device_train_batch_size=16, learning_rate=60.0, logging_steps=1, optim="sgd",
                             lr_scheduler_type="constant", max_grad_norm=0.0, logging_nan_inf_filter=False, save_steps=60, report_to=[],
                             use_cpu=True)


    class Squared(Net):
        def forward(self, x, labels):
            logits = self.body(x)
            return {"loss": (logits - nn.functional.one_hot(labels, 4)).square().mean(), "logits": logits}


    Trainer(Squared(), args, train_dataset=rows(1600, 1)).train()
    """,
    )
    state = next((out / "out").glob("*/trainer_state.json"))
    bad = [
        row["step"]
        for row in history(state.parent)
        if any(str(row.get(name)).lower() in ("nan", "inf", "infinity") for name in ("loss", "grad_norm"))
    ]
    return truth | {"nonfinite_step": bad[0]}


LIGHTNING_PROGRAM = """
    import lightning as L
    import torch
    from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
    from lightning.pytorch.loggers import CSVLogger
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    L.seed_everything(1)


    class Regressor(L.LightningModule):
        def __init__(self, lr=1e-2):
            super().__init__()
            self.save_hyperparameters()
            self.net = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))

        def training_step(self, batch, i):
            x, y = batch
            loss = (self.net(x) - y).square().mean()
            self.log("train_loss", loss, prog_bar=True)
{trouble}
            return loss

        def validation_step(self, batch, i):
            x, y = batch
            self.log("val_loss", (self.net(x) - y).square().mean(), prog_bar=True)

        def configure_optimizers(self):
            return {optimizer}


    x = torch.randn(640, 8)
    y = torch.sin(x[:, :1]) + 0.1 * torch.randn(640, 1)
    train, val = DataLoader(TensorDataset(x[:512], y[:512]), 32, shuffle=True), DataLoader(TensorDataset(x[512:], y[512:]), 64)
    trainer = L.Trainer(max_epochs={epochs}, accelerator="cpu", logger=CSVLogger(".", "logs"), log_every_n_steps=5, enable_model_summary=True,
                        callbacks=[EarlyStopping("val_loss", patience={patience}, verbose=True), ModelCheckpoint(monitor="val_loss")])
    trainer.fit(Regressor(), train, val)
"""
ADAM = "torch.optim.Adam(self.parameters(), self.hparams.lr)"


def lightning_run(out, trouble="", epochs=30, patience=3, optimizer=ADAM):
    with workshop() as folder:
        source = program(
            folder,
            LIGHTNING_PROGRAM.replace("{trouble}", trouble)
            .replace("{epochs}", str(epochs))
            .replace("{patience}", str(patience))
            .replace("{optimizer}", optimizer),
        )
        text, _ = execute(folder, sys.executable, "-W", "ignore", "train.py")
        shutil.copytree(folder / "logs", out / "logs")
    (out / "stdout.log").write_bytes(text.encode())
    rows = list(csv.DictReader((out / "logs" / "version_0" / "metrics.csv").open()))
    series = {}
    for name in ("train_loss", "val_loss"):
        found = [float(row[name]) for row in rows if row.get(name)]
        if found:
            series[name] = ends(found)
    return source, {"series": series, "last_step": max(int(row["step"]) for row in rows)}


@run(
    "lightning-early-stopped",
    about="CSVLogger and the progress bar; val_loss no longer improves and EarlyStopping ends the run, best checkpoint kept",
    source=LIGHTNING,
    status=["clear"],
    causes=["none/completed", "none/healthy", "none/converged"],
    completed=True,
    not_symptoms=["overfitting", "crash", "loss-flat"],
    formats=["text", "lightning-csv", "yaml", "checkpoint-pt"],
)
def lightning_early(out):
    return lightning_run(out)[1]


@run(
    "lightning-exception",
    about="a TypeError in training_step at global step 40; the bar's remains and the traceback on one stream",
    source=LIGHTNING,
    status=["established"],
    causes=["env/exception"],
    symptoms=["crash"],
    not_symptoms=["overfitting", "loss-flat", "killed"],
    formats=["text", "lightning-csv", "yaml", "checkpoint-pt"],
)
def lightning_exception(out):
    source, truth = lightning_run(
        out,
        """
            if self.global_step == 40:
                self.log("aux", batch["aux"].mean())""",
    )
    return truth | {"where": f"train.py:{line_of(source, 'batch[')}"}


@run(
    "lightning-not-finite",
    about="SGD with a rate of 3 on a squared error: the validation loss becomes NaN and EarlyStopping's finiteness check ends the run",
    source=LIGHTNING,
    status=["suspected"],
    causes=[*EXPLODED, "num/overflow"],
    symptoms=["loss-nonfinite"],
    not_symptoms=["overfitting", "crash"],
    formats=["text", "lightning-csv", "yaml", "checkpoint-pt"],
)
def lightning_nan(out):
    return lightning_run(out, optimizer="torch.optim.SGD(self.parameters(), 3.0)")[1] | {"nonfinite_step": 14}


KERAS_PROGRAM = """
    import os

    os.environ["KERAS_BACKEND"] = "torch"
    import keras
    import numpy as np

    keras.utils.set_random_seed(0)
    x = np.random.randn({n}, 12).astype("float32")
    y = {target}
    model = keras.Sequential([keras.layers.Input((12,)), keras.layers.Dense({width}, activation="relu"), keras.layers.Dense({outputs})])
    model.compile(optimizer={optimizer}, loss={loss}, metrics={metrics})
    model.fit(x, y, batch_size={batch}, epochs={epochs}, validation_split=0.25, verbose={verbose},
              callbacks=[keras.callbacks.CSVLogger("training.csv"), keras.callbacks.TerminateOnNaN()])
"""
KERAS_USUAL = {
    "n": "1200",
    "target": "(x[:, 0] * x[:, 1] > 0).astype('int32')",
    "width": "48",
    "outputs": "2",
    "optimizer": "keras.optimizers.Adam(5e-3)",
    "loss": "keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
    "metrics": "['accuracy']",
    "batch": "32",
    "epochs": "15",
    "verbose": "1",
}


def keras_run(out, **changed):
    with workshop() as folder:
        program(folder, re.sub(r"\{(\w+)\}", lambda m: (KERAS_USUAL | changed)[m[1]], KERAS_PROGRAM))
        text, _ = execute(folder, env={"KERAS_BACKEND": "torch"})
        shutil.copy(folder / "training.csv", out / "training.csv")
    (out / "fit.log").write_bytes(text.encode())
    rows = list(csv.DictReader((out / "training.csv").open()))
    found = (
        {name: [float(row[name]) for row in rows] for name in rows[0] if name in ("loss", "val_loss", "accuracy")}
        if rows
        else {}
    )
    return {
        "series": {name: ends(values) for name, values in found.items()},
        **({"last_step": int(rows[-1]["epoch"])} if rows else {}),
    }


@run(
    "keras-healthy",
    about="fit with progress bars (backspaces, carriage returns, colour) and CSVLogger; learns xor-like data",
    source=KERAS,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/converged"],
    not_symptoms=["loss-flat", "crash", "loss-diverging"],
    formats=["text", "csv"],
)
def keras_healthy(out):
    return keras_run(out)


@run(
    "keras-terminated-on-nan",
    about="SGD with a rate of 0.13 on targets in the hundreds: NaN within five batches, TerminateOnNaN ends the fit",
    source=KERAS,
    status=["suspected"],
    causes=[*EXPLODED, "num/overflow", "data/inputs-unnormalized"],
    symptoms=["loss-nonfinite"],
    not_symptoms=["overfitting", "crash"],
    formats=["text", "csv"],
)
def keras_nan(out):
    truth = keras_run(
        out,
        target="(100 * x[:, :1] + 3).astype('float32')",
        outputs="1",
        loss="'mse'",
        metrics="['mae']",
        optimizer="keras.optimizers.SGD(0.13)",
    )
    truth.pop("last_step", None)
    truth["series"].pop("val_loss", None)
    return truth


@run(
    "keras-one-line-overfitting",
    about="verbose=2 lines: 96 random labels learned by heart; accuracy 1.0, val_loss rises from the fifth epoch on",
    source=KERAS,
    status=["suspected"],
    causes=["hp/overfitting", "data/too-little", "data/labels-noisy", "data/labels-misaligned"],
    symptoms=["overfitting"],
    not_symptoms=["loss-nonfinite", "loss-flat", "crash"],
    formats=["text", "csv"],
)
def keras_overfitting(out):
    return keras_run(
        out,
        n="128",
        target="(x[:, 0] + 1.5 * np.random.randn(128) > 0).astype('int32')",
        width="256",
        epochs="45",
        verbose="2",
        batch="16",
    )


SB3_PROGRAM = """
    import gymnasium as gym
    import torch
    from stable_baselines3 import {algorithm}
    from stable_baselines3.common.logger import configure
    from stable_baselines3.common.monitor import Monitor

    torch.set_num_threads(1)
    env = Monitor({env})
    model = {algorithm}("MlpPolicy", env, verbose=1, seed=0, device="cpu", {options})
    model.set_logger(configure("logs", ["stdout", "csv", "json"]))
    model.learn({steps}, log_interval={interval})
"""


def sb3_run(out, algorithm, env, options, steps, interval, names):
    with workshop() as folder:
        chosen = {
            "algorithm": algorithm,
            "env": env,
            "options": options,
            "steps": str(steps),
            "interval": str(interval),
        }
        program(folder, re.sub(r"\{(\w+)\}", lambda m: chosen[m[1]], SB3_PROGRAM))
        text, _ = execute(folder, sys.executable, "-W", "ignore", "train.py", timeout=500)
        shutil.copytree(folder / "logs", out / "logs")
    (out / "stdout.txt").write_text(text)
    rows = list(csv.DictReader((out / "logs" / "progress.csv").open()))
    series = {name: ends([float(row[name]) for row in rows if row.get(name)]) for name in names}
    return {"series": series, "last_step": int(float(rows[-1]["time/total_timesteps"]))}


@run(
    "sb3-pendulum-healthy",
    about="SAC on Pendulum: all rewards negative and rising, critic and actor losses growing with the values; learns",
    source=SB3,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/slow-but-learning"],
    not_symptoms=["loss-diverging", "loss-nonfinite", "metric-stuck"],
    formats=["text", "sb3-csv", "sb3-json"],
)
def sb3_pendulum(out):
    return sb3_run(
        out,
        "SAC",
        "gym.make('Pendulum-v1')",
        "learning_rate=2e-3, policy_kwargs={'net_arch': [48, 48]}, batch_size=128, learning_starts=400",
        6000,
        2,
        ["rollout/ep_rew_mean", "train/critic_loss"],
    )


@run(
    "sb3-cartpole-healthy",
    about="PPO on CartPole: the reward rises from 22, the value loss is noisy, the entropy falls slowly",
    source=SB3,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/slow-but-learning"],
    not_symptoms=["loss-diverging", "loss-nonfinite", "loss-oscillating", "metric-stuck"],
    formats=["text", "sb3-csv", "sb3-json"],
)
def sb3_cartpole(out):
    return sb3_run(
        out,
        "PPO",
        "gym.make('CartPole-v1')",
        "n_steps=512, n_epochs=6",
        12800,
        1,
        ["rollout/ep_rew_mean", "train/value_loss"],
    )


@run(
    "sb3-reward-scale",
    about="the same with rewards multiplied by 10,000: value losses of 1e9 and an explained variance of 0",
    source=SB3,
    status=["suspected", "unknown"],
    causes=["rl/reward-scale", "rl/value-not-learning"],
    not_symptoms=["loss-nonfinite", "overfitting", "crash"],
    formats=["text", "sb3-csv", "sb3-json"],
)
def sb3_scale(out):
    return sb3_run(
        out,
        "PPO",
        "gym.wrappers.TransformReward(gym.make('CartPole-v1'), lambda r: 10_000.0 * r)",
        "n_steps=512, n_epochs=6",
        10240,
        1,
        ["rollout/ep_rew_mean", "train/value_loss"],
    )


BOOSTED = """
    import numpy as np

    g = np.random.default_rng(0)
    x = g.normal(size=(600, 20))
    y = x[:, 0] * 2 + np.sin(3 * x[:, 1]) + {noise} * g.normal(size=600)
"""


@run(
    "xgboost-early-stopped",
    about="XGBoost's eval lines for train and valid; early stopping after 20 rounds without improvement",
    source="real: xgboost 3.2",
    status=["clear"],
    causes=["none/completed", "none/healthy", "none/converged"],
    not_symptoms=["crash", "loss-flat", "loss-diverging"],
    formats=["text"],
)
def xgboost_early(out):
    with workshop() as folder:
        program(
            folder,
            BOOSTED.replace("{noise}", "0.4")
            + """
    import xgboost as xgb

    train, valid = xgb.DMatrix(x[:400], y[:400]), xgb.DMatrix(x[400:], y[400:])
    booster = xgb.train({"max_depth": 3, "eta": 0.1, "seed": 0, "nthread": 1}, train, 400, [(train, "train"), (valid, "valid")],
                        early_stopping_rounds=20)
    print(f"stopped early, best iteration {booster.best_iteration}, valid rmse {booster.best_score:.5f}")
    """,
        )
        text, _ = execute(folder)
    (out / "xgb.log").write_text(text)
    rows = re.findall(r"^\[(\d+)\]\ttrain-rmse:([\d.]+)\tvalid-rmse:([\d.]+)", text, re.M)
    return {
        "last_step": int(rows[-1][0]),
        "completed": True,
        "series": {"train-rmse": ends([float(r[1]) for r in rows]), "valid-rmse": ends([float(r[2]) for r in rows])},
    }


@run(
    "lightgbm-overfitting",
    about="LightGBM without early stopping on noise: training loss to nearly 0, validation turned after 30 rounds and climbs for 370",
    source="real: lightgbm",
    status=["suspected"],
    causes=["hp/overfitting", "data/too-little", "data/labels-noisy"],
    symptoms=["overfitting"],
    not_symptoms=["crash", "loss-nonfinite", "loss-flat"],
    formats=["text"],
)
def lightgbm_overfitting(out):
    with workshop() as folder:
        program(
            folder,
            BOOSTED.replace("{noise}", "1.5")
            + """
    import lightgbm as lgb

    label = (y > 0).astype(int)
    train = lgb.Dataset(x[:400], label[:400])
    valid = lgb.Dataset(x[400:], label[400:], reference=train)
    lgb.train({"objective": "binary", "learning_rate": 0.1, "num_leaves": 31, "min_data_in_leaf": 5, "seed": 0, "num_threads": 1, "verbosity": 1},
              train, 400, [train, valid], ["training", "valid_1"], callbacks=[lgb.log_evaluation(5)])
    """,
        )
        text, _ = execute(folder)
    (out / "lgb.log").write_text(text)
    rows = re.findall(
        r"^\[(\d+)\]\ttraining's binary_logloss: ([\d.e-]+)\tvalid_1's binary_logloss: ([\d.]+)", text, re.M
    )
    return {"last_step": int(rows[-1][0]), "series": {"valid_1's binary_logloss": ends([float(r[2]) for r in rows])}}
