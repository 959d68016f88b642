"""Small programs that really fail, or finish, under torch: their output is kept."""

# ruff: noqa: E501 - lines of real logs are long

import re
import shutil
import signal
import subprocess
import sys

from fixture import ends, run
from real import environment, execute, line_of, neutral, program, workshop

REAL = "real: torch 2.13, the program's own prints"
STEADY = ["loss-diverging", "overfitting", "loss-flat"]

TRAIN = """
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    rule = torch.randn(20, 10)
"""


def losses(text: str, pattern: str = r"loss[ =:]+([-+.\deE]+|nan|inf)") -> list[float]:
    return [float(value) for value in re.findall(pattern, text)]


@run(
    "label-out-of-range",
    about="labels run from 1 to 10 for ten classes; the first batch that holds a 10 fails in cross_entropy",
    source=REAL,
    status=["established"],
    causes=["data/label-encoding"],
    symptoms=["crash"],
    not_symptoms=[*STEADY, "killed"],
    formats=["text"],
)
def label_range(out):
    with workshop() as folder:
        source = program(
            folder,
            TRAIN
            + """
    def train():
        for step in range(100):
            x = torch.randn(4, 20)
            y = (x @ rule).argmax(1) + 1
            loss = criterion(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(f"step {step} loss {loss.item():.4f}")


    if __name__ == "__main__":
        train()
    """,
        )
        text, _ = execute(folder)
    (out / "train.log").write_text(text)
    seen = losses(text)
    return {
        "where": f"train.py:{line_of(source, 'criterion(model(x), y)')}",
        "last_step": len(seen) - 1,
        "series": {"loss": ends(seen)},
    }


@run(
    "shape-mismatch",
    about="the last, smaller image breaks the flattened size: an ordinary shape error in the forward pass",
    source=REAL,
    status=["established"],
    causes=["env/exception"],
    symptoms=["crash"],
    not_symptoms=[*STEADY, "killed"],
    formats=["text"],
)
def shape(out):
    with workshop() as folder:
        source = program(
            folder,
            """
    import torch
    from torch import nn


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 4, 3)
            self.head = nn.Linear(4 * 26 * 26, 10)

        def forward(self, x):
            x = torch.relu(self.conv(x))
            return self.head(x.flatten(1))


    torch.manual_seed(0)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    templates = torch.randn(10, 1, 28, 28)
    for step in range(41):
        y = torch.randint(0, 10, (32,))
        x = templates[y] + 0.5 * torch.randn(32, 1, 28, 28)
        if step == 40:
            x = x[:, :, :27, :27]
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        print({"step": step, "loss": round(loss.item(), 4)})
    """,
        )
        text, _ = execute(folder)
    (out / "log.txt").write_text(text)
    return {"where": f"train.py:{line_of(source, 'self.head(x.flatten')}", "last_step": 39}


@run(
    "file-not-found",
    about="an image named in the index is not there; the dataset raises in the second epoch, in the main process",
    source=REAL,
    status=["established"],
    causes=["env/exception"],
    symptoms=["crash"],
    not_symptoms=[*STEADY, "killed"],
    formats=["text"],
)
def file_missing(out):
    with workshop() as folder:
        data = """
    import torch


    class Images(torch.utils.data.Dataset):
        def __len__(self):
            return 64

        def __getitem__(self, i):
            if torch.rand(()) < 0.006:
                open(f"data/images/{i:05d}.png", "rb")
            y = i % 4
            return torch.randn(8) + y, y
    """
        program(
            folder,
            """
    import logging

    import torch
    from data import Images
    from torch import nn

    logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
    log = logging.getLogger("train")
    torch.manual_seed(3)
    model = nn.Linear(8, 4)
    opt = torch.optim.SGD(model.parameters(), 0.02)
    for epoch in range(10):
        total = 0.0
        for x, y in torch.utils.data.DataLoader(Images(), batch_size=16, shuffle=True):
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() / 4
        log.info("epoch %d mean_loss=%.4f", epoch, total)
    """,
            data__py=data,
        )
        text, _ = execute(folder)
        where = line_of((folder / "data.py").read_text(), "open(f")
    (out / "stderr.log").write_text(text)
    seen = losses(text, r"mean_loss=([\d.]+)")
    return {"where": f"data.py:{where}", "last_step": len(seen) - 1, "series": {"mean_loss": ends(seen)}}


@run(
    "json-config-broken",
    about="a trailing comma in config.json: it ends before the first step",
    source="real: Python",
    status=["established"],
    causes=["env/exception"],
    symptoms=["crash"],
    not_symptoms=[*STEADY, "killed"],
    formats=["text"],
)
def config_broken(out):
    with workshop() as folder:
        source = program(
            folder,
            """
    import argparse
    import json


    def read(path):
        with open(path) as file:
            return json.load(file)


    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="config.json")
    config = read(parser.parse_args().config)
    """,
            config__json='{\n  "model": "mlp",\n  "lr": 0.001,\n  "epochs": 20,\n}\n',
        )
        text, _ = execute(folder)
        shutil.copy(folder / "config.json", out / "config.json")
    (out / "job.err").write_text(text)
    return {"where": f"train.py:{line_of(source, 'return json.load')}"}


@run(
    "chained-exceptions",
    about="a KeyError for a missing class name, handled wrongly, becomes a ValueError: two tracebacks, one chain",
    source=REAL,
    status=["established"],
    causes=["env/exception", "data/label-encoding"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text"],
)
def chained(out):
    with workshop() as folder:
        names = """
    INDEX = {"cat": 0, "dog": 1, "bird": 2}


    def encode(name):
        try:
            return INDEX[name]
        except KeyError as error:
            raise ValueError(f"unknown class {name!r}, known: {sorted(INDEX)}") from error
    """
        source = program(
            folder,
            """
    from names import encode


    def labels(rows):
        return [encode(row.split(",")[1]) for row in rows]


    for epoch, rows in enumerate((["1,cat", "2,dog"], ["3,bird"], ["4,Cat"])):
        print(f"epoch {epoch} loss {1.1 - 0.2 * epoch:.3f} labels {labels(rows)}")
    """,
            names__py=names,
        )
        text, _ = execute(folder)
        inner = line_of((folder / "names.py").read_text(), "raise ValueError")
        key = line_of((folder / "names.py").read_text(), "return INDEX")
    (out / "train.log").write_text(text)
    assert source
    return {"where": [f"names.py:{inner}", f"names.py:{key}"], "last_step": 1}


@run(
    "disk-full",
    about="no space left on the device while a checkpoint is being written; the cut checkpoint stays behind",
    source=REAL,
    status=["established"],
    causes=["env/disk-full"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text", "checkpoint-pt"],
)
def disk_full(out):
    with workshop() as folder:
        (folder / "ckpt").mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", str(folder / "ckpt")], check=True)
        try:
            source = program(
                folder,
                TRAIN
                + """
    for step in range(200):
        x = torch.randn(64, 20)
        loss = criterion(model(x), (x @ rule).argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"[{step:4d}] loss={loss.item():.4f}")
        if step % 50 == 49:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}
            with open(f"ckpt/step_{step + 1}.pt", "wb") as file:
                torch.save(state, file)
    """,
            )
            text, _ = execute(folder)
            shutil.copytree(folder / "ckpt", out / "ckpt")
        finally:
            subprocess.run(["umount", str(folder / "ckpt")], check=True)
    (out / "train.log").write_text(text)
    return {
        "where": f"train.py:{line_of(source, 'torch.save(state')}",
        "last_step": int(re.findall(r"\[ *(\d+)\] loss", text)[-1]),
    }


def resume(out, width, cut):
    """Saves three checkpoints, cuts the last one, and resumes from it."""
    with workshop() as folder:
        source = program(
            folder,
            TRAIN
            + """
    def main():
        print("resuming from ckpt/step_300.pt")
        state = torch.load("ckpt/step_300.pt")
        model.load_state_dict(state["model"])


    main()
    """,
        )
        (folder / "ckpt").mkdir()
        code = (
            "import torch\nfrom torch import nn\ntorch.manual_seed(0)\n"
            f"m = nn.Sequential(nn.Linear(20, {width}), nn.ReLU(), nn.Linear({width}, 10))\n"
            "for s in (200, 300): torch.save({'model': m.state_dict(), 'step': s}, f'ckpt/step_{s}.pt')\n"
        )
        execute(folder, sys.executable, "-c", code)
        whole = (folder / "ckpt/step_300.pt").read_bytes()
        (folder / "ckpt/step_300.pt").write_bytes(whole[: round(len(whole) * cut)])
        text, _ = execute(folder)
        shutil.copytree(folder / "ckpt", out / "ckpt")
    (out / "resume.log").write_text(text)
    return {"where": f"train.py:{line_of(source, 'torch.load(')}"}


@run(
    "resume-from-truncated-checkpoint",
    about="the last checkpoint was cut off when the node died; the resumed run fails in torch.load: no central directory",
    source=REAL,
    status=["established"],
    causes=["env/checkpoint-corrupt"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text", "checkpoint-pt"],
)
def resume_truncated(out):
    return resume(out, 700, 0.86)


@run(
    "resume-from-truncated-small-checkpoint",
    about="the same with a file under 64 KB, for which torch only says 'Invalid argument': the file itself is the proof",
    source=REAL,
    status=["established"],
    causes=["env/checkpoint-corrupt"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text", "checkpoint-pt"],
)
def resume_truncated_small(out):
    return resume(out, 64, 0.62)


@run(
    "loader-worker-killed",
    about="a loader worker got SIGKILL (nothing says from whom); the trainer ends with DataLoader's message",
    source=REAL,
    status=["established"],
    causes=["env/worker-crash"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text"],
)
def worker_killed(out):
    with workshop() as folder:
        source = program(
            folder,
            """
    import os
    import signal
    import time

    import torch


    class Rows(torch.utils.data.Dataset):
        def __len__(self):
            return 4000

        def __getitem__(self, i):
            if i == 1500:
                time.sleep(2)
                os.kill(os.getpid(), signal.SIGKILL)
            x = torch.randn(8)
            return x, x.sum()


    def main():
        torch.manual_seed(0)
        model = torch.nn.Linear(8, 1)
        opt = torch.optim.SGD(model.parameters(), 0.01)
        loader = torch.utils.data.DataLoader(Rows(), batch_size=20, num_workers=2)
        for step, (x, y) in enumerate(loader):
            loss = (model(x).squeeze(1) - y).square().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            print(f"{step}: loss={loss.item():.4f}")


    if __name__ == "__main__":
        main()
    """,
        )
        text, _ = execute(folder)
    (out / "train.log").write_text(text)
    steps = re.findall(r"^(\d+): loss", text, re.M)
    return {"where": f"train.py:{line_of(source, 'in enumerate(loader)')}", "last_step": int(steps[-1])}


@run(
    "exception-in-loader-worker",
    about="a row of the CSV has a text where a number belongs: a ValueError inside a loader worker, re-raised in the trainer",
    source=REAL,
    status=["established"],
    causes=["env/exception"],
    symptoms=["crash"],
    not_symptoms=STEADY,
    formats=["text"],
)
def worker_exception(out):
    with workshop() as folder:
        dataset = """
    import torch


    class Table(torch.utils.data.Dataset):
        def __init__(self, path):
            self.rows = open(path).read().splitlines()

        def __len__(self):
            return len(self.rows)

        def __getitem__(self, i):
            *x, y = (float(cell) for cell in self.rows[i].split(","))
            return torch.tensor(x), torch.tensor(y)
    """
        rows = "\n".join("0.1,0.2,0.9" if i != 333 else "0.1,n/a,0.9" for i in range(500))
        program(
            folder,
            """
    import torch
    from dataset import Table
    from torch.utils.data import DataLoader

    model = torch.nn.Linear(2, 1)
    opt = torch.optim.Adam(model.parameters(), 0.01)
    for step, (x, y) in enumerate(DataLoader(Table("rows.csv"), batch_size=10, num_workers=2)):
        loss = (model(x).squeeze(1) - y).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print("step", step, "loss", round(loss.item(), 5))
    """,
            dataset__py=dataset,
            rows__csv=rows,
        )
        text, _ = execute(folder)
        where = line_of((folder / "dataset.py").read_text(), "float(cell)")
    (out / "train.log").write_text(text)
    return {"where": f"dataset.py:{where}", "last_step": int(re.findall(r"^step (\d+)", text, re.M)[-1])}


def interrupted(out, number, log, source, after):
    """Starts the program, waits until it has printed the line, sends it the signal."""
    with workshop() as folder:
        program(folder, source)
        process = subprocess.Popen(
            [sys.executable, "train.py"],
            cwd=folder,
            env=environment(HOME=str(folder)),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        text = b""
        for line in process.stdout:
            text += line
            if after in line:
                process.send_signal(number)
                break
        text += process.stdout.read()
        process.wait()
        (out / log).write_text(neutral(text.decode(), folder))
    return neutral(text.decode(), folder)


LOOP = (
    TRAIN
    + """
    import time


    def main():
        for step in range(5000):
            x = torch.randn(64, 20)
            loss = criterion(model(x), (x @ rule).argmax(1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(f"step={step} loss={loss.item():.4f}")
            time.sleep(0.01)


    main()
"""
)


@run(
    "keyboard-interrupt",
    about="somebody pressed ctrl-C",
    source=REAL,
    status=["established"],
    causes=["env/killed"],
    symptoms_any=["killed", "crash"],
    not_symptoms=STEADY,
    formats=["text"],
)
def ctrl_c(out):
    text = interrupted(out, signal.SIGINT, "train.log", LOOP, b"step=150 ")
    steps = re.findall(r"step=(\d+) ", text)
    return {"last_step": int(steps[-1])}


@run(
    "segmentation-fault",
    about="native code dereferences a null pointer at step 60; faulthandler's stack, the shell's line and the kernel's line",
    source="real: Python faulthandler, torch, bash; kernel line written after the format",
    status=["established", "suspected", "unknown"],
    symptoms_any=["crash", "killed"],
    causes=["env/killed", "env/exception", "env/version-mismatch", "env/gpu-fault", "other/unlisted"],
    not_symptoms=STEADY,
    formats=["text", "dmesg"],
)
def segfault(out):
    with workshop() as folder:
        program(
            folder,
            TRAIN
            + """
    import ctypes
    import faulthandler

    faulthandler.enable()
    for step in range(100):
        x = torch.randn(64, 20)
        loss = criterion(model(x), (x @ rule).argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step={step} loss={loss.item():.4f}")
        if step == 60:
            ctypes.string_at(0)
    """,
            run__sh="ulimit -c 0\npython train.py\n",
        )
        text, _ = execute(folder, "/bin/bash", "run.sh")
    (out / "train.log").write_text(text)
    (out / "dmesg.txt").write_text(
        "[81211.002114] python[20117]: segfault at 0 ip 00007f1c2f9e8b4d sp 00007ffd3a1b6e58 error 4 in libc.so.6[7f1c2f862000+195000] "
        "likely on CPU 3 (core 3, socket 0)\n"
        "[81211.002131] Code: 84 00 00 00 00 00 0f 1f 00 f3 0f 1e fa 89 f8 48 89 fa c5 f9 ef c0 25 ff 0f 00 00 3d e0 0f 00 00 0f 87 33 01 00 00\n"
    )
    return {"last_step": 60}


@run(
    "anomaly-log-of-zero",
    about="log(p) with p = 0 under a mask: anomaly detection names LogBackward0",
    source=REAL,
    status=["established", "suspected"],
    causes=["num/log-of-zero"],
    symptoms_any=["crash", "loss-nonfinite"],
    not_symptoms=[*STEADY, "killed"],
    formats=["text"],
)
def anomaly_log(out):
    with workshop() as folder:
        source = program(
            folder,
            """
    import torch

    weights = torch.linspace(0.3, 0.8, 6, requires_grad=True)
    optimizer = torch.optim.SGD([weights], lr=0.002)
    torch.autograd.set_detect_anomaly(True)


    def penalty(p):
        logs = torch.log(p)
        return torch.where(p > 0, logs, torch.zeros_like(p)).sum()


    for step in range(200):
        p = torch.relu(weights)
        loss = penalty(p)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: loss = {loss.item():.5f}")
    """,
        )
        text, _ = execute(folder)
    (out / "train.log").write_text(text)
    last = int(re.findall(r"^step (\d+):", text, re.M)[-1])
    return {
        "last_step": last,
        "where": [f"train.py:{line_of(source, 'torch.log(p)')}", f"train.py:{line_of(source, 'loss.backward()')}"],
    }


@run(
    "anomaly-sqrt-at-zero",
    about="a distance sqrt(d2) whose d2 becomes exactly 0: anomaly detection names SqrtBackward0",
    source=REAL,
    status=["established", "suspected"],
    causes=["num/sqrt-at-zero"],
    symptoms_any=["crash", "loss-nonfinite"],
    not_symptoms=[*STEADY, "killed"],
    formats=["text"],
)
def anomaly_sqrt(out):
    with workshop() as folder:
        source = program(
            folder,
            """
    import torch

    torch.manual_seed(0)
    points = torch.randn(8, 2, requires_grad=True)
    optimizer = torch.optim.SGD([points], lr=0.02)


    def spread(p):
        i, j = torch.triu_indices(8, 8, 1)
        d2 = (p[i] - p[j]).square().sum(-1)
        return torch.sqrt(torch.relu(d2 - 0.05))


    with torch.autograd.detect_anomaly():
        for step in range(300):
            close = spread(points)
            loss = (close * (close > 0)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print("step", step, "loss", f"{loss.item():.5f}")
    """,
        )
        text, _ = execute(folder)
    (out / "train.log").write_text(text)
    seen = re.findall(r"^step (\d+)", text, re.M)
    return {
        "where": [f"train.py:{line_of(source, 'torch.sqrt(')}", f"train.py:{line_of(source, 'loss.backward()')}"],
        **({"last_step": int(seen[-1])} if seen else {}),
    }


@run(
    "assert-finite-after-divergence",
    about="a warm-up that ends far too high drives a real network away; the program's own assertion stops it at the first NaN",
    source=REAL,
    status=["suspected", "established", "unknown"],
    symptoms=["loss-nonfinite", "crash"],
    formats=["text"],
    causes=["hp/lr-too-high", "num/exploding-gradients", "hp/no-warmup", "num/overflow"],
    not_symptoms=["overfitting", "loss-flat", "killed"],
)
def assert_finite(out):
    with workshop() as folder:
        source = program(
            folder,
            """
    import torch
    from torch import nn

    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(10, 64), nn.LeakyReLU(), nn.Linear(64, 64), nn.LeakyReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    x = torch.randn(512, 10)
    y = 3 * x[:, :1] * x[:, 1:2] + x[:, 2:3]
    for step in range(400):
        rate = optimizer.param_groups[0]["lr"] = 0.001 * (step + 1)
        i = torch.randint(0, 512, (32,))
        loss = (model(x[i]) - y[i]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), float("inf"))
        print(f"step={step} loss={loss.item():.6g} grad_norm={norm.item():.4g} lr={rate:.3f}")
        assert torch.isfinite(loss), f"loss is {loss.item()} at step {step}"
        optimizer.step()
    """,
        )
        text, _ = execute(folder)
    (out / "train.log").write_text(text)
    seen = losses(text.split("Traceback")[0], r" loss=(\S+)")
    return {
        "where": f"train.py:{line_of(source, 'assert torch.isfinite')}",
        "last_step": len(seen) - 1,
        "nonfinite_step": len(seen) - 1,
        "series": {"loss": ends(seen)},
    }


@run(
    "categorical-got-nan",
    about="a policy's logits are NaN: the distribution refuses them; the curves before it fine, then a NaN value loss",
    source=REAL,
    status=["suspected", "established", "unknown"],
    symptoms_any=["crash", "loss-nonfinite"],
    formats=["text"],
    causes=[
        "num/exploding-gradients",
        "hp/lr-too-high",
        "num/overflow",
        "rl/reward-scale",
        "data/nonfinite-values",
        "rl/observations-unnormalized",
        "num/division-by-zero",
        "num/log-of-zero",
        "env/exception",
        "other/unlisted",
    ],
    not_symptoms=["overfitting", "killed"],
)
def categorical(out):
    with workshop() as folder:
        source = program(
            folder,
            """
    import torch
    from torch import nn

    torch.manual_seed(0)
    policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)


    def act(obs):
        return torch.distributions.Categorical(logits=policy(obs))


    for update in range(60):
        obs = torch.randn(64, 4)
        dist = act(obs)
        actions = dist.sample()
        rewards = (actions == (obs[:, 0] > 0)).float()
        if update >= 38:
            rewards = torch.ones(64)  # solved: every return the same
        advantage = (rewards - rewards.mean()) / rewards.std() if update >= 38 else rewards - rewards.mean()
        loss = -(dist.log_prob(actions) * advantage).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"update {update} | mean_reward {rewards.mean():.3f} | policy_loss {loss.item():.4f}")
    """,
        )
        text, _ = execute(folder)
    (out / "ppo.log").write_text(text)
    last = int(re.findall(r"^update (\d+)", text, re.M)[-1])
    return {"where": f"train.py:{line_of(source, 'Categorical(logits')}", "last_step": last, "nonfinite_step": last}


@run(
    "tqdm-healthy",
    about="a real small training under tqdm: carriage returns, postfix with the loss, two bars one after the other",
    source="real: torch 2.13, tqdm",
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/converged"],
    not_symptoms=["loss-flat", "crash", "killed", "loss-oscillating"],
    formats=["text"],
    completed=True,
)
def tqdm_healthy(out):
    with workshop() as folder:
        program(
            folder,
            TRAIN
            + """
    from tqdm import tqdm

    for epoch in range(4):
        bar = tqdm(range(150), desc=f"epoch {epoch}", ncols=100, mininterval=0.0, miniters=5, colour="green", ascii=False)
        for step in bar:
            x = torch.randn(128, 20)
            loss = criterion(model(x), (x @ rule).argmax(1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            bar.set_postfix(loss=f"{loss.item():.4f}", refresh=False)
    print("training finished")
    """,
        )
        text, _ = execute(folder)
    (out / "nohup.out").write_bytes(text.encode())


@run(
    "tqdm-killed-mid-bar",
    about="SIGKILL in the middle of a bar: the last frame is at 61 %, no newline, no message",
    source="real: torch 2.13, tqdm",
    status=["unknown", "suspected"],
    causes=["env/killed", "env/host-oom", "env/hang", "other/unlisted", "env/exception", "env/disk-full"],
    not_symptoms=["loss-nonfinite", "loss-diverging", "overfitting", "loss-flat"],
    formats=["text"],
)
def tqdm_killed(out):
    with workshop() as folder:
        program(
            folder,
            TRAIN
            + """
    import os

    from tqdm import tqdm

    bar = tqdm(range(500), desc="train", ncols=90, mininterval=0.0, miniters=3)
    for step in bar:
        x = torch.randn(128, 20)
        loss = criterion(model(x), (x @ rule).argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bar.set_postfix(loss=f"{loss.item():.4f}", refresh=False)
        if step == 306:
            os.kill(os.getpid(), 9)
    """,
        )
        text, _ = execute(folder)
    (out / "train.out").write_bytes(text.encode())


@run(
    "numpy-loader-noisy-json-healthy",
    about="a real logistic regression that writes JSON lines with the logging module's prefix; converges and says so",
    source=REAL,
    status=["clear"],
    causes=["none/converged", "none/completed", "none/healthy"],
    completed=True,
    not_symptoms=["loss-flat", "metric-stuck", "overfitting"],
    formats=["text"],
)
def logistic(out):
    with workshop() as folder:
        program(
            folder,
            """
    import json
    import logging

    import torch

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-8s %(message)s")
    torch.manual_seed(5)
    x = torch.randn(2000, 12)
    y = ((x @ torch.randn(12)) + 0.8 * torch.randn(2000) > 0).float()
    w = torch.zeros(12, requires_grad=True)
    opt = torch.optim.LBFGS([w], max_iter=1)


    def closure():
        opt.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(x @ w, y)
        loss.backward()
        return loss


    for i in range(40):
        loss = opt.step(closure)
        logging.info(json.dumps({"iteration": i, "loss": round(loss.item(), 6), "grad_norm": round(w.grad.norm().item(), 8)}))
    logging.info("converged: gradient below tolerance, stopping")
    """,
        )
        text, _ = execute(folder)
    (out / "fit.log").write_text(text)
    seen = losses(text, r'"loss": ([\d.]+)')
    return {"last_step": 39, "series": {"loss": ends(seen)}}


@run(
    "numpy-log-of-zero",
    about="a hand-written logistic regression: the sigmoid saturates at exactly 1, numpy warns of log(0), the loss is NaN from there on",
    source="real: numpy",
    status=["suspected", "established"],
    causes=["num/log-of-zero"],
    symptoms=["loss-nonfinite"],
    not_symptoms=["crash", "overfitting", "killed"],
    formats=["text"],
)
def numpy_log(out):
    with workshop() as folder:
        program(
            folder,
            """
    import numpy as np

    g = np.random.default_rng(0)
    x = g.normal(size=(200, 5)).astype(np.float32)
    y = (x[:, 0] > 0).astype(np.float32)
    w = np.zeros(5, np.float32)
    for step in range(120):
        p = 1 / (1 + np.exp(-(x @ w)))
        loss = -(y * np.log(p) + (1 - y) * np.log(1 - p)).mean()
        w -= 6.0 * x.T @ (p - y) / len(y)
        print(f"step {step} loss {loss:.6f}")
    """,
        )
        text, _ = execute(folder)
    (out / "fit.log").write_text(text)
    seen = losses(text, r"step \d+ loss (\S+)")
    bad = next(i for i, value in enumerate(seen) if value != value or value in (float("inf"), float("-inf")))
    return {"last_step": len(seen) - 1, "nonfinite_step": bad, "series": {"loss": ends(seen)}}
