"""Curves that mislead, and faults that only a curve shows. Real small trainings where the shape needs one, else simulated."""

# ruff: noqa: E501 - lines of real logs are long

import math
import random

from fixture import Clock, Page, cosine, decay, run

REAL = "real: torch 2.13 trainings, the program's own prints"
HAND = "written after the format: a program's own prints, curves simulated"
GOOD = ["none/healthy", "none/completed", "none/converged", "none/slow-but-learning"]


class Task:
    """Ten classes from a fixed random teacher; small enough that a thousand steps take a few seconds."""

    def __init__(self, seed=0, noise=0.3, width=64):
        import torch

        self.torch = torch
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.rule = torch.randn(20, 10)
        self.noise = noise
        self.model = torch.nn.Sequential(torch.nn.Linear(20, width), torch.nn.ReLU(), torch.nn.Linear(width, 10))
        self.pool = self.batch(4000)

    def batch(self, n):
        x = self.torch.randn(n, 20)
        return x, (x @ self.rule + self.noise * self.torch.randn(n, 10)).argmax(1)

    def loss(self, x, y):
        return self.torch.nn.functional.cross_entropy(self.model(x), y)

    def sgd(self, rate, momentum=0.9):
        return self.torch.optim.SGD(self.model.parameters(), rate, momentum=momentum)

    def step(self, optimizer, x, y, clip=None):
        """One step; returns the loss and the norm of the gradient before clipping."""
        loss = self.loss(x, y)
        optimizer.zero_grad()
        loss.backward()
        norm = self.torch.nn.utils.clip_grad_norm_(self.model.parameters(), clip or float("inf"))
        optimizer.step()
        return loss.item(), norm.item()

    def accuracy(self, n=2000):
        x, y = self.batch(n)
        return (self.model(x).argmax(1) == y).float().mean().item()


@run(
    "cyclic-rate-healthy",
    about="warm restarts: the loss rises and falls with each of five cycles of the rate, and each cycle ends lower",
    source=REAL,
    status=["clear"],
    causes=GOOD,
    not_symptoms=["loss-oscillating", "loss-diverging", "loss-spike"],
    formats=["text"],
    completed=True,
)
def cyclic(out):
    task, page = Task(1), Page()
    optimizer = task.sgd(0.0)
    for step in range(1000):
        rate = optimizer.param_groups[0]["lr"] = cosine(step % 200, 200, 0.12)
        loss, _ = task.step(optimizer, *task.batch(64))
        if step % 5 == 0:
            page.log("step {step} loss {loss:.4f} lr {lr:.4f}", "loss lr", step=step, loss=loss, lr=rate)
    page.say(f"finished, accuracy {task.accuracy():.3f}")
    return page.save(out / "sgdr.log") | {"last_step": 995}


@run(
    "step-decay-stairs-healthy",
    about="the rate is divided by ten twice; the loss waits on a step of the stairs and falls at each drop",
    source=REAL,
    status=["clear"],
    causes=GOOD,
    not_symptoms=["loss-flat", "metric-stuck", "overfitting"],
    formats=["text"],
    completed=True,
)
def stairs(out):
    task, page = Task(2, noise=1.0), Page()
    optimizer = task.sgd(0.2)
    for epoch in range(45):
        optimizer.param_groups[0]["lr"] = 0.2 * 0.1 ** ((epoch >= 20) + (epoch >= 33))
        mean = sum(task.step(optimizer, *task.batch(32))[0] for _ in range(60)) / 60
        page.log(
            "Epoch: [{e}] lr {lr:.4f} train_loss {loss:.4f} acc1 {acc:.4f}",
            "loss>train_loss acc>acc1 lr",
            e=epoch,
            lr=optimizer.param_groups[0]["lr"],
            loss=mean,
            acc=task.accuracy(),
        )
    page.say("training finished")
    return page.save(out / "train.log") | {"last_step": 44}


@run(
    "contrastive-late-start-healthy",
    about="a contrastive loss: at ln 64 for the first steps of a long warm-up, then it falls to a third",
    source=REAL,
    status=["clear"],
    causes=GOOD,
    not_symptoms=["loss-flat", "loss-diverging"],
    formats=["text"],
)
def contrastive(out):
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(3)
    page = Page()
    mix = torch.randn(24, 16)
    left = torch.nn.Sequential(torch.nn.Linear(24, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    right = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.ReLU(), torch.nn.Linear(64, 16))
    optimizer = torch.optim.AdamW([*left.parameters(), *right.parameters()], 0.0)
    for step in range(900):
        rate = optimizer.param_groups[0]["lr"] = 2e-3 * min(1, (step / 450) ** 3)
        x = torch.randn(64, 24)
        a, b = (torch.nn.functional.normalize(t, dim=1) for t in (left(x), right(x @ mix + torch.randn(64, 16))))
        loss = torch.nn.functional.cross_entropy(a @ b.T / 0.1, torch.arange(64))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 5 == 0:
            page.log("[{step:04d}] nce={loss:.4f} lr={lr:.2e}", "loss>nce", step=step, loss=loss.item(), lr=rate)
    return page.save(out / "clip.log") | {"last_step": 895}


@run(
    "samples-sorted-by-class",
    about="the data arrive class by class: within a class the loss goes to 0.0, at each new class it jumps to 8 or more, every epoch",
    source=REAL,
    status=["suspected"],
    causes=["data/not-shuffled", "hp/lr-too-high", "data/outlier-batch"],
    symptoms_any=["loss-oscillating", "loss-spike"],
    not_symptoms=["loss-nonfinite", "overfitting"],
    formats=["text"],
)
def sorted_by_class(out):
    task, page = Task(4), Page()
    optimizer = task.sgd(0.1)
    x, y = task.pool
    order = y.sort(stable=True).indices
    step = 0
    for epoch in range(3):
        for at in range(0, 4000, 32):
            chosen = order[at : at + 32]
            loss, _ = task.step(optimizer, x[chosen], y[chosen])
            page.log("epoch {e} step {step} loss {loss:.4f}", "loss", e=epoch, step=step, loss=loss)
            step += 1
        page.say(f"epoch {epoch} validation accuracy {task.accuracy():.4f}")
    return page.save(out / "train.log") | {"last_step": step - 1}


@run(
    "outlier-batch-every-epoch",
    about="three samples that cannot be decoded come as noise sixty times too large: the loss spikes at the same batch in every epoch and recovers",
    source=REAL,
    status=["suspected"],
    causes=["data/outlier-batch", "data/inputs-unnormalized", "hp/lr-too-high"],
    symptoms=["loss-spike"],
    not_symptoms=["loss-nonfinite", "overfitting", "loss-flat"],
    formats=["text"],
)
def outliers(out):
    task, page = Task(5), Page()
    optimizer = task.torch.optim.Adam(task.model.parameters(), 2e-3)
    x, y = task.pool
    step = 0
    for epoch in range(10):
        for at in range(0, 4000, 64):
            if at == 28 * 64:  # a file that cannot be decoded: another large noise each time
                x[at : at + 3] = 60 * task.torch.randn(3, 20)
            loss, norm = task.step(optimizer, x[at : at + 64], y[at : at + 64])
            page.log(
                "epoch={e} batch={b} step={step} loss={loss:.4f} grad_norm={g:.3f}",
                "loss g>grad_norm",
                e=epoch,
                b=at // 64,
                step=step,
                loss=loss,
                g=norm,
            )
            step += 1
    return page.save(out / "train.log") | {"last_step": step - 1}


@run(
    "clipped-at-every-step",
    about="gradients of norm 0.6 clipped to 0.01 at each step: the loss crawls from 2.3 to 2.2 in a thousand steps",
    source=REAL,
    status=["suspected", "unknown"],
    causes=["train/clip-too-tight", "hp/lr-too-low"],
    symptoms_any=["loss-slow", "loss-flat"],
    not_symptoms=["loss-nonfinite", "loss-diverging", "overfitting"],
    formats=["text"],
)
def clipped(out):
    task, page = Task(6), Page()
    optimizer = task.sgd(0.05, momentum=0.0)
    page.say("Namespace(lr=0.05, optimizer='sgd', max_grad_norm=0.01, batch_size=64, steps=1000)")
    for step in range(1000):
        loss, norm = task.step(optimizer, *task.batch(64), clip=0.01)
        if step % 4 == 0:
            page.log(
                "step={step} loss={loss:.4f} grad_norm={g:.4f} clipped=True",
                "loss g>grad_norm",
                step=step,
                loss=loss,
                g=norm,
            )
    return page.save(out / "train.log") | {"last_step": 996}


@run(
    "warmup-never-ends",
    about="a warm-up over ten million steps: the rate is 1e-8 after a thousand and the loss has not moved",
    source=REAL,
    status=["suspected", "unknown"],
    causes=["train/lr-collapsed", "train/scheduler-unit", "hp/lr-too-low"],
    symptoms_any=["loss-slow", "loss-flat"],
    not_symptoms=["loss-nonfinite", "loss-diverging", "overfitting"],
    formats=["text"],
)
def endless_warmup(out):
    task, page = Task(7), Page()
    optimizer = task.torch.optim.AdamW(task.model.parameters(), 0.0)
    for step in range(1000):
        rate = optimizer.param_groups[0]["lr"] = 1e-4 * step / 10_000_000
        loss, _ = task.step(optimizer, *task.batch(64))
        if step % 4 == 0:
            page.log("step {step:>5} | lr {lr:.3e} | loss {loss:.4f}", "lr loss", step=step, lr=rate, loss=loss)
    return page.save(out / "train.log") | {"last_step": 996}


@run(
    "validation-from-elsewhere",
    about="the validation columns are in another order: its loss rises from the first epoch on and the accuracy stays at chance",
    source=REAL,
    status=["suspected", "unknown"],
    causes=[
        "data/distribution-shift",
        "train/train-mode-in-eval",
        "hp/overfitting",
        "data/too-little",
        "data/labels-misaligned",
    ],
    not_symptoms=["loss-nonfinite", "loss-flat", "crash"],
    formats=["text"],
)
def elsewhere(out):
    task, page = Task(8), Page()
    optimizer = task.torch.optim.Adam(task.model.parameters(), 2e-3)
    x, y = task.batch(1000)
    far = x[:, task.torch.randperm(20)]
    for epoch in range(20):
        mean = sum(task.step(optimizer, *task.batch(64))[0] for _ in range(40)) / 40
        with task.torch.no_grad():
            val, same = task.loss(far, y).item(), (task.model(far).argmax(1) == y).float().mean().item()
        page.log(
            "epoch {e}: train_loss={a:.4f} val_loss={b:.4f} val_acc={acc:.3f}",
            "a>train_loss b>val_loss acc>val_acc",
            e=epoch,
            a=mean,
            b=val,
            acc=same,
        )
    return page.save(out / "train.log") | {"last_step": 19}


@run(
    "metric-cannot-follow",
    about="the loss falls by ten, the accuracy is 0.5000 in every epoch: it is computed on something else than the prediction",
    source=HAND,
    status=["suspected", "unknown"],
    causes=["loss/metric-mismatch", "data/class-imbalance", "arch/structural-ceiling"],
    symptoms=["metric-stuck"],
    not_symptoms=["loss-flat", "loss-nonfinite", "overfitting"],
    formats=["text"],
)
def metric_stuck(out):
    page = Page()
    train, val = decay(25, 0.69, 0.05, 4, 0.02, 170), decay(25, 0.68, 0.07, 4, 0.02, 171)
    for e in range(25):
        page.log(
            "[{e:02d}] loss={a:.4f} val_loss={b:.4f} val_accuracy={acc:.4f}",
            "a>loss b>val_loss acc>val_accuracy",
            e=e,
            a=train[e],
            b=val[e],
            acc=0.5,
        )
    return page.save(out / "train.log") | {"last_step": 24}


@run(
    "epoch-sawtooth-healthy",
    about="a fine-tune over three epochs: the loss drops at each epoch's border because the samples are known; validation keeps falling",
    source=HAND,
    status=["clear"],
    causes=GOOD,
    not_symptoms=["loss-spike", "loss-diverging", "overfitting"],
    formats=["text"],
    completed=True,
)
def sawtooth(out):
    page, dice = Page(), random.Random(172)
    for step in range(10, 1210, 10):
        epoch = (step - 1) // 400
        loss = (
            (1.42, 1.13, 0.93)[epoch]
            + (0.3 * math.exp(-step / 60) if epoch == 0 else 0)
            - 0.0001 * (step % 400)
            + dice.gauss(0, 0.02)
        )
        page.log("step {step:4d} epoch {e} loss {loss:.4f}", "loss", step=step, e=epoch, loss=loss)
        if step % 400 == 0:
            page.log("  eval_loss {v:.4f}", "v>eval_loss", v=(1.34, 1.27, 1.24)[epoch])
    page.say("training finished (3 epochs)")
    return page.save(out / "sft.log") | {"last_step": 1200}


@run(
    "curriculum-rise-healthy",
    about="the sequence length is doubled at 2000 as announced: the loss jumps from 2.6 to 3.3 and falls on below what it was",
    source=HAND,
    status=["clear"],
    causes=GOOD,
    not_symptoms=["loss-diverging", "loss-nonfinite", "crash"],
    formats=["text"],
    completed=True,
)
def curriculum(out):
    page, clock = Page(), Clock("2026-10-02 09:00:00")
    for step in range(0, 5000, 20):
        clock.tick(8)
        if step == 2000:
            page.say(f"{clock.show()} curriculum: sequence length 512 -> 1024")
        loss = decay(1, 1, 1, 1, 0.01, step)[0] * (
            2.5 + 6.5 * math.exp(-step / 380) if step < 2000 else 2.2 + 1.1 * math.exp(-(step - 2000) / 420)
        )
        page.log("{t} step {step} loss {loss:.4f}", "loss", t=clock.show(), step=step, loss=loss)
    page.say(f"{clock.show()} done, 5000 steps")
    return page.save(out / "train.log") | {"last_step": 4980}


@run(
    "diffusion-flat-looking-healthy",
    about="a diffusion model: the loss is at its noise level after two epochs, as always, while FID falls from 190 to 12",
    source=HAND,
    status=["clear"],
    causes=GOOD,
    not_symptoms=["loss-flat", "metric-stuck", "loss-oscillating"],
    formats=["text"],
    completed=True,
)
def diffusion(out):
    page, dice = Page(), random.Random(173)
    for e in range(80):
        page.log(
            "epoch {e} mse {loss:.5f} fid {fid:.2f}",
            "loss>mse fid",
            e=e,
            loss=0.0241 + 0.6 * math.exp(-e / 0.6) + abs(dice.gauss(0, 0.0007)),
            fid=11.5 + 180 * math.exp(-e / 17) + dice.gauss(0, 0.4),
        )
    page.say("training finished")
    return page.save(out / "ddpm.log") | {"last_step": 79}


@run(
    "vae-terms-healthy",
    about="a VAE with annealed weight: the KL term rises from 0 to 18 while reconstruction and the total fall",
    source=HAND,
    status=["clear"],
    causes=GOOD,
    not_symptoms=["loss-diverging", "overfitting", "loss-flat"],
    formats=["text"],
)
def vae(out):
    page, dice = Page(), random.Random(174)
    for e in range(60):
        recon, kl = 82 + 120 * math.exp(-e / 6) + dice.gauss(0, 0.4), 18 * (1 - math.exp(-e / 12)) + dice.gauss(0, 0.1)
        page.log(
            "ep {e} | elbo_loss {t:.3f} | recon {r:.3f} | kl {k:.3f} | beta {b:.2f}",
            "t>elbo_loss r>recon k>kl",
            e=e,
            t=recon + min(1, e / 20) * kl,
            r=recon,
            k=kl,
            b=min(1, e / 20),
        )
    return page.save(out / "vae.log") | {"last_step": 59}


@run(
    "dpo-negative-rewards-healthy",
    about="preference tuning: the loss starts at ln 2, the reward of the chosen answers falls below 0 as usual, the margin grows",
    source="written after the format: TRL on transformers 4 dict lines",
    status=["clear"],
    causes=GOOD,
    not_symptoms=["loss-flat", "loss-diverging", "metric-stuck"],
    formats=["text"],
    last_step=600,
)
def dpo(out):
    page, dice = Page(), random.Random(175)
    for i in range(1, 61):
        margin = 1.9 * (1 - math.exp(-i / 18)) + dice.gauss(0, 0.04)
        chosen = -0.7 * (1 - math.exp(-i / 15)) + dice.gauss(0, 0.03)
        row = {
            "loss": round(math.log(1 + math.exp(-margin)) + 0.02, 4),
            "grad_norm": round(abs(dice.gauss(7, 1)), 4),
            "learning_rate": round(5e-7 * (1 - i / 60), 12),
            "rewards/chosen": round(chosen, 4),
            "rewards/rejected": round(chosen - margin, 4),
            "rewards/accuracies": round(min(1.0, 0.5 + 0.32 * (1 - math.exp(-i / 12)) + dice.gauss(0, 0.02)), 4),
            "rewards/margins": round(margin, 4),
            "step": i * 10,
            "epoch": round(i / 60, 2),
        }
        page.values.setdefault("loss", []).append(row["loss"])
        page.values.setdefault("rewards/margins", []).append(row["rewards/margins"])
        page.say(repr(row))
    return page.save(out / "dpo.log")


@run(
    "grokking-healthy",
    about="modular addition: the training accuracy is 1 at epoch 100, the validation follows at epoch 2,400; at the end both are 1",
    source=HAND,
    status=["clear"],
    causes=GOOD,
    not_symptoms=["loss-diverging", "loss-nonfinite"],
    formats=["text"],
    completed=True,
)
def grokking(out):
    page, dice = Page(), random.Random(176)
    for epoch in range(0, 4001, 20):
        late = 1 / (1 + math.exp(-(epoch - 2400) / 130))
        page.log(
            "epoch {e} train_loss {a:.5f} val_loss {b:.5f} train_acc {ta:.3f} val_acc {va:.3f}",
            "a>train_loss b>val_loss va>val_acc",
            e=epoch,
            a=4.7 * math.exp(-epoch / 28) + 0.0004,
            b=(4.7 + 4.5 * (1 - math.exp(-epoch / 300))) * (1 - late) + 0.002 + abs(dice.gauss(0, 0.01)) * (1 - late),
            ta=1 - 0.99 * math.exp(-epoch / 30),
            va=0.01 + 0.99 * late,
        )
    page.say("finished: val_acc 1.000")
    return page.save(out / "grok.log") | {"last_step": 4000}
