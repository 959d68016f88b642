"""Experiment trackers without a server: W&B offline, MLflow's file store and sqlite, Trackio."""

# ruff: noqa: E501 - lines of real logs are long

import contextlib
import json
import math
import os
import random
import shutil
import sqlite3
import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

from fixture import EXPLODED, STUCK, around, cosine, decay, ends, run
from real import execute, neutral, workshop

WANDB = "real: wandb 0.31 offline, curves simulated"
MLFLOW = "real: mlflow 3.17, curves simulated"
TRACKIO = "real: trackio 0.43's own storage layer, curves simulated"
START = 1773237731

WANDB_PROGRAM = """
import json, os, sys, time
import wandb

rows = json.load(open("rows.json"))
run = wandb.init(project="{project}", name="{name}", config={config}, settings=wandb.Settings(
    host="node-07", username="mira", program="train.py", x_executable="/home/mira/venv/bin/python", x_disable_machine_info=True,
    x_disable_meta=True, disable_git=True, save_code=False, x_stats_sampling_interval=0.5, console="wrap", run_id="{run_id}"))
for step, row in rows:
    run.log({{key: float(value) for key, value in row.items()}}, step=step)
    if step % 50 == 0:
        print("step", step, {{key: round(float(value), 4) for key, value in row.items()}}, flush=True)
{ending}
"""

DIE = """
time.sleep(3)
me = os.getpid()
for child in open(f"/proc/{me}/task/{me}/children").read().split():
    os.kill(int(child), 9)
os.kill(me, 9)
"""


def wandb_run(out: Path, rows: list, name: str, run_id: str, config: dict, ending: str = "run.finish()") -> dict:
    """Logs the rows in another process, offline, and keeps the run's folder."""
    with workshop() as folder:
        (folder / "rows.json").write_text(
            json.dumps([[step, {k: str(v) for k, v in row.items()}] for step, row in rows])
        )
        (folder / "train.py").write_text(
            WANDB_PROGRAM.format(project="demo", name=name, run_id=run_id, config=config, ending=ending)
        )
        execute(
            folder,
            sys.executable,
            "train.py",
            env={"WANDB_MODE": "offline", "WANDB_SILENT": "true", "HOME": str(folder), "WANDB_DISABLE_GIT": "true"},
        )
        made = next((folder / "wandb").glob("offline-run-*"))
        target = out / "wandb" / made.name
        shutil.copytree(made, target, symlinks=False)
        for path in target.rglob("*"):
            if path.suffix in (".log", ".yaml", ".json", ".txt"):
                path.write_text(neutral(path.read_text(), folder))
    if ending == DIE:
        rows = rows[:-1]  # a row is written when the next step begins, or at the end
    series: dict[str, list[float]] = {}
    for _, row in rows:
        for key, value in row.items():
            series.setdefault(key, []).append(value)
    return {"series": {key: ends(values) for key, values in series.items()}, "last_step": rows[-1][0]}


@run(
    "wandb-healthy",
    about="an ordinary offline run, finished and closed",
    source=WANDB,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/converged"],
    formats=["wandb"],
    completed=True,
    not_symptoms=["loss-flat", "overfitting", "killed"],
)
def wandb_healthy(out):
    train = decay(300, 2.3, 0.4, 45, 0.03, 90)
    rows = []
    for step in range(300):
        row = {"train/loss": train[step], "lr": cosine(step, 300, 3e-4, 20)}
        if step % 50 == 49:
            row["val/loss"] = 0.47 + 1.5 * math.exp(-step / 60)
        rows.append([step, row])
    return wandb_run(out, rows, "baseline", "k3v9x2qa", {"lr": 3e-4, "batch_size": 64, "epochs": 3})


@run(
    "wandb-nan-and-died",
    about="NaN at step 210 after a run-up in grad_norm; the process was killed: the file has no exit record",
    source=WANDB,
    status=["suspected"],
    causes=[*EXPLODED, "env/killed"],
    symptoms=["loss-nonfinite"],
    formats=["wandb"],
    not_symptoms=["overfitting", "loss-flat"],
    nonfinite_step=210,
)
def wandb_nan(out):
    dice = random.Random(91)
    losses = decay(240, 6.4, 2.1, 35, 0.02, 91)
    rows = []
    for step in range(240):
        grow = 1.13 ** max(0, step - 170)
        bad = step >= 210
        rows.append(
            [
                step,
                {
                    "loss": math.nan if bad else losses[step] * (1 + 0.01 * (grow - 1)),
                    "grad_norm": math.nan if bad else abs(dice.gauss(1, 0.1)) * grow,
                },
            ]
        )
    return wandb_run(out, rows, "wide-lr3e-3", "a81mzp0d", {"lr": 3e-3, "clip": None}, DIE)


@run(
    "wandb-learning-rate-collapsed",
    about="ReduceLROnPlateau with patience 1 on a noisy loss: the rate is 1e-9 after a fifth of the run and nothing moves any more",
    source=WANDB,
    status=["suspected"],
    causes=["train/lr-collapsed", "train/scheduler-unit"],
    formats=["wandb"],
    completed=True,
    symptoms_any=["loss-slow", "loss-flat", "metric-stuck"],
    not_symptoms=["loss-nonfinite", "overfitting", "loss-diverging"],
)
def wandb_collapsed(out):
    dice = random.Random(92)
    rate, loss, rows = 1e-3, 4.6, []
    for step in range(400):
        if step > 20 and step % 6 == 0 and rate > 1e-9:
            rate *= 0.3
        loss += (1.2 - loss) * 0.03 * (rate / 1e-3)
        rows.append([step, {"train_loss": loss + dice.gauss(0, 0.05), "learning_rate": rate}])
    return wandb_run(
        out,
        rows,
        "plateau-scheduler",
        "zq04c7hn",
        {"lr": 1e-3, "scheduler": {"name": "ReduceLROnPlateau", "patience": 1}},
    )


def mlflow_here(folder: Path, uri: str):
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    os.environ["MLFLOW_ENABLE_ASYNC_LOGGING"] = "false"
    from mlflow.tracking import MlflowClient

    return MlflowClient(tracking_uri=uri)


def mlflow_log(
    client, run_id: str, params: dict, columns: dict[str, list[float]], second: float, every: int = 1
) -> dict:
    from mlflow.entities import Metric, Param

    client.log_batch(run_id, params=[Param(key, str(value)) for key, value in params.items()])
    metrics = [
        Metric(name, value, int((START + i * second) * 1000), i * every)
        for name, values in columns.items()
        for i, value in enumerate(values)
    ]
    for i in range(0, len(metrics), 900):
        client.log_batch(run_id, metrics=metrics[i : i + 900])
    return {name: ends(values) for name, values in columns.items()}


TAGS = {"mlflow.user": "mira", "mlflow.source.name": "train.py", "mlflow.source.type": "LOCAL"}


@run(
    "mlflow-files-overfitting",
    about="a file store with one run, marked FINISHED: training accuracy 1.0, validation loss turned at epoch 9 and tripled",
    source=MLFLOW,
    status=["suspected"],
    causes=["hp/overfitting", "data/too-little"],
    symptoms=["overfitting"],
    not_symptoms=["loss-nonfinite", "loss-flat"],
    formats=["mlflow-files"],
    last_step=39,
    completed=True,
)
def mlflow_files(out):
    dice = random.Random(93)
    with workshop() as folder:
        client = mlflow_here(folder, f"file://{folder}/mlruns")
        made = client.create_run("0", start_time=START * 1000, run_name="convnet-small", tags=TAGS)
        columns = {
            "train_loss": decay(40, 1.6, 0.001, 4, 0.02, 93),
            "train_acc": [1 - 0.6 * math.exp(-e / 4) for e in range(40)],
            "val_loss": [
                0.62 + 0.9 * math.exp(-e / 2.5) + 0.045 * max(0, e - 8) + dice.gauss(0, 0.01) for e in range(40)
            ],
            "val_acc": [0.78 - 0.4 * math.exp(-e / 2.5) - 0.0008 * max(0, e - 8) for e in range(40)],
        }
        series = mlflow_log(
            client, made.info.run_id, {"lr": 0.001, "train_samples": 800, "dropout": 0.0, "epochs": 40}, columns, 9
        )
        client.set_terminated(made.info.run_id, end_time=(START + 400) * 1000)
        shutil.copytree(folder / "mlruns", out / "mlruns", ignore=shutil.ignore_patterns(".trash", "models"))
        for path in (out / "mlruns").rglob("meta.yaml"):
            path.write_text(neutral(path.read_text(), folder))
    return {"series": series}


def mlflow_database(out: Path, name: str, params: dict, columns: dict, status: str, second=2.0, every=1) -> dict:
    with workshop() as folder:
        client = mlflow_here(folder, f"sqlite:///{folder}/mlflow.db")
        experiment = client.create_experiment("vision", artifact_location="/home/mira/proj/mlartifacts")
        made = client.create_run(experiment, start_time=START * 1000, run_name=name, tags=TAGS)
        series = mlflow_log(client, made.info.run_id, params, columns, second, every)
        if status != "RUNNING":
            client.set_terminated(made.info.run_id, status=status, end_time=(START + 3600) * 1000)
        with contextlib.closing(sqlite3.connect(folder / "mlflow.db")) as database:
            for table in ("experiments", "runs"):
                for column in ("artifact_location", "artifact_uri"):
                    with contextlib.suppress(sqlite3.OperationalError):
                        database.execute(
                            f"UPDATE {table} SET {column} = replace({column}, ?, '/home/mira/proj')", (str(folder),)
                        )
                        database.execute(
                            f"UPDATE {table} SET {column} = replace({column}, ?, '/home/mira/proj')", (os.getcwd(),)
                        )
            database.commit()
            database.execute("PRAGMA page_size=512")  # many tables, most of them empty
            database.execute("VACUUM")
        shutil.copy(folder / "mlflow.db", out / "mlflow.db")
    steps = max(len(values) for values in columns.values())
    return {"series": series, "last_step": (steps - 1) * every}


@run(
    "mlflow-sqlite-healthy",
    about="a detector's fine-tune in mlflow.db, FINISHED; noisy, and learning to the end",
    source=MLFLOW,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/slow-but-learning", "none/converged"],
    not_symptoms=["loss-oscillating", "loss-flat", "overfitting"],
    formats=["mlflow-sqlite"],
    completed=True,
)
def mlflow_healthy(out):
    return mlflow_database(
        out,
        "detector-ft",
        {"lr": 2e-4, "batch": 8},
        {"loss": decay(200, 3.1, 0.9, 40, 0.12, 94), "map50": [0.61 - 0.5 * math.exp(-i / 50) for i in range(200)]},
        "FINISHED",
    )


@run(
    "mlflow-sqlite-failed-flat",
    about="marked FAILED by the tracker; the loss never left 4.605 (100 classes): nothing says why it was ended",
    source=MLFLOW,
    status=["suspected", "unknown"],
    causes=[*STUCK, "env/killed", "env/exception"],
    symptoms=["loss-flat"],
    not_symptoms=["loss-nonfinite", "overfitting"],
    formats=["mlflow-sqlite"],
)
def mlflow_failed(out):
    return mlflow_database(
        out,
        "cifar100",
        {"lr": 0.05, "num_classes": 100},
        {
            "train_loss": around(120, 4.6052, 0.006, 95),
            "train_acc": [max(0.0, v) for v in around(120, 0.01, 0.003, 96)],
        },
        "FAILED",
        every=25,
    )


def trackio_database(out: Path, runs: dict[str, tuple[dict, list[dict]]], every: int = 1) -> dict:
    with workshop() as folder:
        os.environ["TRACKIO_DIR"] = str(folder)
        import trackio.sqlite_storage as storage
        import trackio.utils

        for module in (storage, trackio.utils):
            module.TRACKIO_DIR = folder
        for name, (config, rows) in runs.items():
            begin = datetime.fromtimestamp(START, timezone.utc)
            storage.SQLiteStorage.bulk_log(
                "demo",
                name,
                rows,
                steps=[i * every for i in range(len(rows))],
                run_id=f"{name}-7f3a",
                config=config,
                timestamps=[(begin + timedelta(seconds=3 * i)).isoformat() for i in range(len(rows))],
            )
        with contextlib.suppress(AttributeError):
            storage._close_all_persistent_connections()
        with contextlib.closing(sqlite3.connect(folder / "demo.db")) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            database.execute("PRAGMA journal_mode=DELETE")
            database.execute("PRAGMA page_size=512")
            database.execute("VACUUM")
        shutil.copy(folder / "demo.db", out / "demo.db")
    return {}


@run(
    "trackio-healthy",
    about="one run in Trackio's database: a reward that is negative all the time and rises, a value loss that grows with it; fine",
    source=TRACKIO,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/slow-but-learning"],
    formats=["trackio"],
    not_symptoms=["loss-diverging", "loss-nonfinite", "metric-stuck"],
    last_step=2990,
)
def trackio_healthy(out):
    dice = random.Random(97)
    rows = [
        {
            "rollout/ep_rew_mean": -180 * math.exp(-i / 120) - 22 + dice.gauss(0, 6),
            "train/value_loss": 0.4 + 1.3 * i / 300 + abs(dice.gauss(0, 0.15)),
            "train/entropy": 1.36 - 0.5 * i / 300 + dice.gauss(0, 0.01),
        }
        for i in range(300)
    ]
    trackio_database(out, {"hopper-s1": ({"lr": 3e-4, "gamma": 0.99}, rows)}, 10)
    return {"series": {key: ends([row[key] for row in rows]) for key in ("rollout/ep_rew_mean", "train/value_loss")}}


@run(
    "trackio-entropy-collapse",
    about="the policy's entropy is 0.01 after a tenth of the run and the reward stays at its first level: exploration ended",
    source=TRACKIO,
    status=["suspected", "unknown"],
    causes=["rl/no-exploration", "rl/advantage", "rl/reward-scale", "rl/value-not-learning"],
    symptoms_any=["metric-stuck", "loss-flat"],
    not_symptoms=["loss-nonfinite", "overfitting"],
    formats=["trackio"],
    last_step=2490,
)
def trackio_entropy(out):
    dice = random.Random(98)
    rows = [
        {
            "rollout/ep_rew_mean": 21.5 + dice.gauss(0, 0.9),
            "train/entropy_loss": -(1.38 * math.exp(-i / 9) + 0.008 + abs(dice.gauss(0, 0.001))),
            "train/explained_variance": dice.gauss(0.02, 0.03),
        }
        for i in range(250)
    ]
    trackio_database(out, {"maze-s3": ({"lr": 1e-3, "ent_coef": 0.0}, rows)}, 10)
    return {"series": {key: ends([row[key] for row in rows]) for key in rows[0]}}
