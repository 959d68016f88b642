"""Logs that people print by hand: failing to learn, and learning, in many persons' styles. Standard library only."""

# ruff: noqa: E501 - lines of real logs are long

import csv
import json
import math
import random

from fixture import EXPLODED, STUCK, Clock, Page, cosine, decay, ends, numbered, run

HAND = "written after the format: a program's own prints, curves simulated"


@run(
    "kv-nan-after-gradient-runup",
    about="the gradient norm grows for 60 steps, the loss spikes, then NaN until the end; the program went on printing",
    source=HAND,
    status=["suspected"],
    causes=EXPLODED,
    symptoms=["loss-nonfinite"],
    not_symptoms=["overfitting", "killed"],
    formats=["text"],
)
def kv_nan(out):
    page, dice = Page(), random.Random(1)
    page.say("Namespace(batch_size=32, lr=0.003, layers=6, hidden=512, clip=None, seed=0, data='data/ptb', steps=600)")
    losses = decay(412, 6.9, 2.4, 70, 0.03, 1)
    for i in range(412):
        gnorm = abs(dice.gauss(1.1, 0.2))
        if i > 350:
            gnorm *= 1.095 ** (i - 350)
            losses[i] *= 1 + 0.0009 * (i - 350) ** 1.55
        page.log(
            "step={step} loss={loss:.4f} gnorm={gnorm:.3f} lr={lr:.6f}",
            "loss gnorm lr",
            step=i,
            loss=losses[i],
            gnorm=gnorm,
            lr=0.003,
        )
    for i in range(412, 600):
        page.log(
            "step={step} loss={loss:.4f} gnorm={gnorm:.3f} lr={lr:.6f}",
            "loss gnorm lr",
            step=i,
            loss=math.nan,
            gnorm=math.nan,
            lr=0.003,
        )
    return page.save(out / "out.txt") | {"last_step": 599, "nonfinite_step": 412}


@run(
    "colon-healthy-finished",
    about="a small classifier, 40 epochs, both losses fall, ends as announced",
    source=HAND,
    status=["clear"],
    causes=["none/completed", "none/healthy", "none/converged"],
    completed=True,
    not_symptoms=["overfitting", "loss-flat"],
    formats=["text"],
)
def colon_healthy(out):
    page = Page()
    page.say("device: cpu")
    page.say("parameters: 1,204,490")
    train, val = decay(40, 1.92, 0.31, 7, 0.02, 2), decay(40, 1.81, 0.37, 7, 0.02, 3)
    for e in range(40):
        page.log(
            "epoch: {epoch:3d} | train_loss: {train_loss:.4f} | val_loss: {val_loss:.4f} | val_acc: {val_acc:.3f}",
            "train_loss val_loss val_acc",
            epoch=e + 1,
            train_loss=train[e],
            val_loss=val[e],
            val_acc=0.89 - 0.27 * val[e] / 1.0 + 0.09,
        )
    page.say("Training finished. Best val_loss 0.39, model saved to model_best.pt")
    return page.save(out / "train.log") | {"last_step": 40}


@run(
    "logging-diverging",
    about="the loss leaves 2.3 upwards from the first hundred steps and reaches tens of thousands, finite to the end",
    source=HAND,
    status=["suspected"],
    symptoms=["loss-diverging"],
    not_symptoms=["loss-nonfinite", "overfitting"],
    causes=[*EXPLODED, "train/missing-zero-grad", "data/inputs-unnormalized", "loss/wrong-reduction"],
    formats=["text"],
)
def logging_diverging(out):
    page, clock, dice = Page(), Clock(), random.Random(3)
    page.say(f"{clock.milli()} INFO train: config {{'lr': 0.5, 'momentum': 0.9, 'batch': 128, 'arch': 'resnet18'}}")
    for step in range(10, 1510, 10):
        clock.tick(1.83 + dice.random() * 0.1)
        loss = 2.31 * math.exp(max(0, step - 90) / 150) * math.exp(dice.gauss(0, 0.12))
        page.log(
            "{t} INFO train: step {step} loss {loss:.3f} ({ms:.0f} ms/step)",
            "loss",
            t=clock.milli(),
            step=step,
            loss=loss,
            ms=183 + dice.random() * 9,
        )
    return page.save(out / "train.log") | {"last_step": 1500}


@run(
    "jsonl-flat-at-ln10",
    about="ten classes, the loss stays at ln 10 and the accuracy at 0.1 from the first step to the last",
    source=HAND,
    status=["suspected", "unknown"],
    causes=STUCK,
    symptoms=["loss-flat"],
    not_symptoms=["overfitting", "loss-diverging", "loss-nonfinite"],
    formats=["jsonl", "json"],
)
def jsonl_flat(out):
    dice = random.Random(4)
    (out / "config.json").write_text(json.dumps({"model": "cnn", "num_classes": 10, "lr": 1e-3, "epochs": 6}, indent=2))
    rows = []
    for step in range(0, 3000, 20):
        rows.append(
            {
                "step": step,
                "loss": round(2.3026 + dice.gauss(0, 0.006), 5),
                "acc": round(0.1 + dice.gauss(0, 0.022), 4),
                "time": round(1773237731 + step * 0.21, 2),
            }
        )
    (out / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return {
        "last_step": 2980,
        "series": {"loss": ends([r["loss"] for r in rows]), "acc": ends([r["acc"] for r in rows])},
    }


@run(
    "csv-overfitting",
    about="the training loss goes to 0.02 while the validation loss turns up at epoch 18 and doubles",
    source=HAND,
    status=["suspected"],
    causes=["hp/overfitting", "data/too-little"],
    symptoms=["overfitting"],
    not_symptoms=["loss-flat", "loss-nonfinite", "killed"],
    formats=["csv"],
)
def csv_overfitting(out):
    train = decay(60, 0.69, 0.004, 9, 0.03, 5)
    dice = random.Random(6)
    val = [0.36 + 0.32 * math.exp(-e / 5) + (0.011 * max(0, e - 14)) ** 1.05 + dice.gauss(0, 0.008) for e in range(60)]
    with (out / "history.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["epoch", "train_loss", "val_loss", "val_f1", "lr"])
        for e in range(60):
            writer.writerow([e, f"{train[e]:.5f}", f"{val[e]:.5f}", f"{0.86 - 0.4 * math.exp(-e / 5):.4f}", "0.001"])
    return {
        "last_step": 59,
        "series": {
            "train_loss": ends([float(f"{v:.5f}") for v in train]),
            "val_loss": ends([float(f"{v:.5f}") for v in val]),
        },
    }


@run(
    "dashes-converged",
    about="a regression reaches its noise floor at epoch 25 of 100 and stays there: flat because it is done",
    source=HAND,
    status=["clear"],
    causes=["none/converged", "none/completed", "none/healthy"],
    completed=True,
    not_symptoms=["loss-flat", "overfitting", "metric-stuck"],
    formats=["text"],
)
def dashes_converged(out):
    page = Page()
    losses = [0.0102 + 1.4 * math.exp(-e / 3.2) for e in range(100)]
    dice = random.Random(7)
    for e, loss in enumerate(losses):
        page.log(
            "Epoch {e}/100 - {s}s - loss: {loss:.4f} - val_loss: {val_loss:.4f} - r2: {r2:.4f}",
            "loss val_loss r2",
            e=e + 1,
            s=12 + (e % 3 == 0),
            loss=loss + dice.gauss(0, 0.00015),
            val_loss=loss * 1.04 + dice.gauss(0, 0.00025),
            r2=1 - loss / 1.43,
        )
    page.say("done in 20m41s, weights in out/final.pt")
    return page.save(out / "train.out") | {"last_step": 100}


@run(
    "schedule-in-wrong-unit",
    about="a polynomial decay over 50 epochs is stepped per batch: the rate is 0 after 50 batches and the loss stops there",
    source=HAND,
    status=["suspected"],
    causes=["train/scheduler-unit", "train/lr-collapsed"],
    symptoms_any=["loss-slow", "loss-flat", "metric-stuck"],
    not_symptoms=["loss-diverging", "overfitting"],
    formats=["text", "yaml"],
)
def schedule_unit(out):
    page, dice = Page(), random.Random(8)
    (out / "config.yaml").write_text(
        "model: resnet34\nepochs: 50\nbatch_size: 128\noptimizer:\n  name: sgd\n  lr: 0.1\n  momentum: 0.9\n"
        "scheduler:\n  name: poly\n  power: 0.9\n  total_iters: 50\n"
    )
    loss = 4.61
    for step in range(0, 1600, 5):
        rate = 0.1 * (1 - min(step, 50) / 50) ** 0.9
        loss += (3.62 - loss) * min(0.9, rate * 0.9)
        page.log(
            "[ep {ep} it {it:5d}] lr {lr:.2e} loss {loss:.4f}",
            "lr loss",
            ep=step // 391,
            it=step,
            lr=rate,
            loss=loss + dice.gauss(0, 0.035),
        )
    return page.save(out / "log.txt") | {"last_step": 1595}


@run(
    "pipes-spike-and-recovery",
    about="a language model with two loss spikes that are gone after 40 steps; trains on and finishes",
    source=HAND,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/slow-but-learning"],
    completed=True,
    not_symptoms=["loss-diverging", "loss-nonfinite", "loss-oscillating"],
    formats=["text"],
)
def pipes_spike(out):
    page, dice = Page(), random.Random(9)
    losses = decay(300, 10.8, 2.9, 22, 0.012, 9)
    for start, height in ((118, 2.6), (209, 1.4)):
        for i in range(4):
            losses[start + i] += height * (0.45**i)
    for step, loss in numbered(losses, 10, 10):
        page.log(
            "Step {step} | Loss {loss:.4f} | PPL {ppl:.1f} | {tok:.1f}k tok/s | lr {lr:.2e}",
            "loss>Loss lr",
            step=step,
            loss=loss,
            ppl=math.exp(loss),
            tok=12.3 + dice.gauss(0, 0.1),
            lr=cosine(step, 3000, 6e-4, 200, 6e-5),
        )
    page.say("Reached max steps (3000). Saving final checkpoint ... done.")
    return page.save(out / "pretrain.log") | {"last_step": 3000}


@run(
    "batch-one-noisy-healthy",
    about="batch size 1: single losses swing by a factor of ten, their mean falls by three",
    source=HAND,
    status=["clear"],
    causes=["none/healthy", "none/slow-but-learning", "none/completed"],
    not_symptoms=["loss-oscillating", "loss-spike", "loss-flat", "loss-diverging"],
    formats=["text"],
)
def noisy_healthy(out):
    page, dice = Page(), random.Random(10)
    for step in range(1, 901):
        mean = 0.35 + 1.0 * math.exp(-step / 260)
        page.log("{step:>6} {loss:.5f}", "", step=step, loss=mean * dice.gammavariate(2.2, 1 / 2.2))
    page.lines.insert(0, "  step loss")
    values = [float(line.split()[1]) for line in page.lines[1:]]
    return page.save(out / "loss.txt") | {"last_step": 900, "series": {"loss": ends(values)}}


@run(
    "nan-metric-healthy",
    about="the validation AUC is nan for two epochs because no positive was in the batch; the losses are sound",
    source=HAND,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/converged"],
    completed=True,
    not_symptoms=["loss-nonfinite", "overfitting"],
    formats=["text"],
)
def nan_metric(out):
    page, clock = Page(), Clock("2026-05-02 08:00:03")
    train, val = decay(25, 0.71, 0.22, 5, 0.015, 11), decay(25, 0.69, 0.26, 5, 0.015, 12)
    for e in range(25):
        clock.tick(64)
        if e == 0:
            page.say(
                "/home/mira/proj/venv/lib/python3.11/site-packages/sklearn/metrics/_ranking.py:379: "
                "UndefinedMetricWarning: Only one class is present in y_true. ROC AUC score is not defined in "
                "that case.\n  warnings.warn("
            )
        page.log(
            "[{t}] epoch {e:02d} train loss {a:.4f} val loss {b:.4f} val auc {auc:.4f}",
            "a>train_loss b>val_loss",
            t=clock.show("%H:%M:%S"),
            e=e,
            a=train[e],
            b=val[e],
            auc=math.nan if e < 2 else 0.93 - 0.3 * math.exp(-e / 5),
        )
    page.say("finished 25 epochs")
    page.save(out / "run.log")
    return {"last_step": 24}


@run(
    "gan-healthy",
    about="a GAN: the generator's loss rises and both wander, as they do; samples improve (FID falls)",
    source=HAND,
    status=["clear"],
    causes=["none/healthy", "none/completed"],
    not_symptoms=["loss-diverging", "loss-oscillating", "overfitting", "loss-flat"],
    formats=["text"],
    completed=True,
)
def gan(out):
    page, dice = Page(), random.Random(13)
    d, g = 1.38, 0.7
    for i in range(240):
        d += 0.06 * (0.95 - d) + dice.gauss(0, 0.05)
        g += 0.05 * (1.55 + 0.9 * i / 240 - g) + dice.gauss(0, 0.13)
        page.log(
            "[{e}/40][{b}/600] Loss_D: {d:.4f} Loss_G: {g:.4f} D(x): {dx:.4f} D(G(z)): {dg:.4f}",
            "d>Loss_D g>Loss_G",
            e=i // 6,
            b=(i % 6) * 100,
            d=d,
            g=g,
            dx=0.66 + dice.gauss(0, 0.04),
            dg=0.31 + dice.gauss(0, 0.04),
        )
        if i % 30 == 29:
            page.log("FID @ epoch {e}: {fid:.2f}", "fid>FID", e=i // 6, fid=31 + 180 * math.exp(-i / 60))
    page.say("Finished training after 40 epochs, best FID 34.36")
    return page.save(out / "dcgan.log")


@run(
    "fastai-table-healthy",
    about="fine-tuning with fastai's table, error_rate as the metric; an ordinary good run",
    source="written after the format: fastai",
    status=["clear"],
    formats=["text"],
    causes=["none/healthy", "none/completed", "none/converged"],
    not_symptoms=["crash", "overfitting"],
    last_step=9,
)
def fastai_table(out):
    page = Page()
    train, val = decay(10, 1.31, 0.08, 2.0, 0.01, 14), decay(10, 0.49, 0.17, 2.2, 0.01, 15)
    page.say("epoch     train_loss  valid_loss  error_rate  time    ")
    for e in range(10):
        page.log(
            "{e:<9} {a:<11.6f} {b:<11.6f} {c:<11.6f} 00:{s:02d}   ",
            "",
            e=e,
            a=train[e],
            b=val[e],
            c=0.052 + 0.09 * math.exp(-e / 2),
            s=41 + e % 2,
        )
    rows = [line.split() for line in page.lines[1:]]
    page.save(out / "finetune.txt")
    return {
        "series": {"train_loss": ends([float(r[1]) for r in rows]), "valid_loss": ends([float(r[2]) for r in rows])}
    }


@run(
    "early-stopping-announced",
    about="validation turned slightly up and the program's own early stopping ended the run and kept the best weights",
    source=HAND,
    status=["clear"],
    causes=["none/completed", "none/healthy", "none/converged"],
    completed=True,
    not_symptoms=["killed", "crash", "loss-diverging"],
    formats=["text"],
)
def early_stopping(out):
    page = Page()
    train = decay(45, 1.1, 0.21, 8, 0.01, 16)
    dice = random.Random(17)
    best, best_epoch, wait = 9.0, 0, 0
    for e in range(45):
        val = 0.313 + 0.75 * math.exp(-e / 7) + 0.0009 * max(0, e - 33) + dice.gauss(0, 0.0012)
        page.log("Epoch {e:3d}: train {a:.4f}, valid {b:.4f}", "a>train b>valid", e=e, a=train[e], b=val)
        if val < best:
            best, best_epoch, wait = val, e, 0
            page.say(f"  new best {best:.4f}, saved to best.pt")
        else:
            wait += 1
        if wait == 8:
            break
    page.say(f"Early stopping: no improvement in validation loss for 8 epochs. Best {best:.4f} at epoch {best_epoch}.")
    return page.save(out / "train.log") | {"last_step": e}


@run(
    "stall-then-terminated",
    about="steps every two seconds until 02:17, then nothing for seven hours, then somebody's SIGTERM",
    source=HAND,
    status=["suspected", "established"],
    causes=["env/hang", "env/killed", "env/slow-storage"],
    symptoms_any=["hang", "killed"],
    not_symptoms=["loss-nonfinite", "loss-diverging", "overfitting"],
    formats=["text"],
)
def stall(out):
    page, clock = Page(), Clock("2026-04-19 02:05:00")
    for step, loss in numbered(decay(360, 7.2, 3.1, 40, 0.015, 18), 1, 8000):
        clock.tick(2.05)
        page.log("{t} | step {step} | loss {loss:.4f}", "loss", t=clock.show(), step=step, loss=loss)
    clock.tick(7 * 3600 + 311)
    page.say(f"{clock.show()} | received signal 15, exiting")
    page.say("Terminated")
    return page.save(out / "nohup.out") | {"last_step": 8359}


@run(
    "throughput-falling",
    about="the loss is fine; tokens per second fall from 12k to 3k over the run, step by step",
    source=HAND,
    status=["suspected", "unknown"],
    symptoms=["slow-training"],
    causes=["env/slow-storage", "env/input-bound", "train/hidden-state-carried", "env/gpu-fault", "other/unlisted"],
    not_symptoms=["loss-diverging", "loss-nonfinite", "loss-flat"],
    formats=["text"],
)
def throughput(out):
    page, dice = Page(), random.Random(19)
    for step, loss in numbered(decay(250, 8.9, 3.2, 25, 0.012, 19), 20, 20):
        tokens = 12100 / (1 + 3.1 * step / 5000) * (1 + dice.gauss(0, 0.015))
        page.log(
            "step: {step}, loss: {loss:.4f}, tokens_per_sec: {tps:.0f}, step_time: {ms:.3f}s",
            "loss tps>tokens_per_sec ms>step_time",
            step=step,
            loss=loss,
            tps=tokens,
            ms=4096 / tokens,
        )
    return page.save(out / "train.log") | {"last_step": 5000}


@run(
    "scary-words-healthy",
    about="a healthy run whose log is full of words such as error, failed, oom, nan and killed",
    source=HAND,
    status=["clear"],
    causes=["none/completed", "none/healthy", "none/converged"],
    completed=True,
    not_symptoms=["crash", "killed", "loss-nonfinite", "hang"],
    formats=["text"],
)
def scary_words(out):
    page, clock = Page(), Clock("2026-02-01 09:00:00")

    def note(level: str, text: str) -> None:
        page.say(f"{clock.milli()} [{level}] {text}")

    note("WARNING", "Failed to import flash_attn, falling back to the eager implementation")
    note("INFO", "oom guard enabled (limit 0.95), nan check every 100 steps, watchdog timeout 1800 s")
    note("WARNING", "Error while fetching remote tags: HTTP 503, retrying in 5 s (1/3)")
    note("INFO", "retry succeeded")
    note("INFO", "dropped 12 corrupt samples: 9 truncated jpeg, 3 with nan boxes")
    note("WARNING", "UserWarning: Detected call of `lr_scheduler.step()` before `optimizer.step()`.")
    for step, loss in numbered(decay(120, 0.93, 0.11, 15, 0.02, 20), 50, 50):
        clock.tick(21)
        page.log(
            "{t} [INFO] step={step} loss={loss:.4f} error_rate={err:.4f} nan_batches={nan} killed_workers={k}",
            "loss err>error_rate",
            t=clock.milli(),
            step=step,
            loss=loss,
            err=0.02 + loss * 0.31,
            nan=0,
            k=0,
        )
    note("INFO", "evaluation: error 0.0514, top5 error 0.0031, failures 0")
    note("INFO", "training completed without errors; killed background prefetch threads")
    return page.save(out / "train.log") | {"last_step": 6000}


@run(
    "caught-traceback-healthy",
    about="the upload of a plot failed and was caught, its traceback logged; training went on and finished",
    source=HAND,
    status=["clear"],
    causes=["none/completed", "none/healthy", "none/converged"],
    completed=True,
    not_symptoms=["crash", "killed"],
    formats=["text"],
)
def caught(out):
    page, clock = Page(), Clock("2026-02-11 19:31:00")
    for e, loss in numbered(decay(30, 2.2, 0.35, 5, 0.015, 21), 1, 1):
        clock.tick(77)
        page.log("{t} INFO trainer epoch {e} loss {loss:.4f}", "loss", t=clock.milli(), e=e, loss=loss)
        if e == 12:
            page.say(f"""{clock.milli()} ERROR plots could not upload confusion matrix, continuing without it
Traceback (most recent call last):
  File "/home/mira/proj/plots.py", line 58, in upload
    client.put(path, retries=2)
  File "/home/mira/proj/client.py", line 31, in put
    raise ConnectionError(f"upload of {{path}} failed: 502 Bad Gateway")
ConnectionError: upload of cm_012.png failed: 502 Bad Gateway""")
    page.say(f"{clock.milli()} INFO trainer training finished, 30 epochs, best loss 0.36")
    return page.save(out / "trainer.log") | {"last_step": 30}


@run(
    "apex-overflow-skips-healthy",
    about="the gradient scaler skips the first three steps while it finds its scale; then everything is fine",
    source=HAND,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/converged"],
    not_symptoms=["loss-nonfinite", "gradients-exploding"],
    formats=["text"],
    completed=True,
)
def overflow_skips(out):
    page = Page()
    scale = 65536.0
    losses = decay(200, 7.6, 2.2, 25, 0.012, 22)
    for _i in range(3):
        scale /= 2
        page.say(f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {scale}")
    for step, loss in numbered(losses, 1, 3):
        page.log(
            "| epoch   1 step {step:8d} | {b:5d} batches | lr 0.00025 | ms/batch 212.{ms:02d} | loss {loss:5.2f} | ppl {ppl:9.3f}",
            "loss",
            step=step,
            b=step,
            ms=step % 97,
            loss=loss,
            ppl=math.exp(loss),
        )
        if step == 131:
            page.say(f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {scale / 2}")
    page.say("=" * 80 + "\n| End of training | test loss  2.19 | test ppl     8.935\n" + "=" * 80)
    return page.save(out / "log.txt") | {"last_step": 202}


@run(
    "slow-but-learning",
    about="a hard task: the loss falls by 0.3 % an epoch, steadily, for all 200 epochs, and still does at the end",
    source=HAND,
    status=["clear"],
    causes=["none/slow-but-learning", "none/healthy", "none/completed"],
    not_symptoms=["loss-flat", "metric-stuck", "overfitting"],
    formats=["text"],
)
def slow(out):
    page, dice = Page(), random.Random(23)
    for e in range(200):
        loss = 1.62 * 0.9968**e + dice.gauss(0, 0.004)
        page.log(
            "epoch={epoch} | loss={loss:.5f} | val_loss={val:.5f} | mIoU={iou:.4f} | 184.2s",
            "loss val>val_loss iou>mIoU",
            epoch=e,
            loss=loss,
            val=loss * 1.03 + dice.gauss(0, 0.004),
            iou=0.62 - 0.31 * loss + 0.1,
        )
    return page.save(out / "seg.log") | {"last_step": 199}


@run(
    "negative-loss-healthy",
    about="a normalising flow: the negative log-likelihood goes from 2 through zero to -3.4, as it should",
    source=HAND,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/converged"],
    completed=True,
    not_symptoms=["loss-diverging", "loss-nonfinite"],
    formats=["text"],
)
def negative_loss(out):
    page, dice = Page(), random.Random(24)
    for step in range(0, 8000, 50):
        nll = -3.4 + 5.5 * math.exp(-step / 1100) + dice.gauss(0, 0.05)
        page.log(
            "[{step}] nll={nll:.4f} bpd={bpd:.4f} grad_norm={gn:.3f}",
            "nll bpd gn>grad_norm",
            step=step,
            nll=nll,
            bpd=nll / math.log(2) + 4,
            gn=abs(dice.gauss(1.4, 0.3)),
        )
    page.say("Training complete.")
    return page.save(out / "flow.log") | {"last_step": 7950}


@run(
    "resumed-healthy",
    about="preempted at 4870, resumed from the checkpoint at 4500, steps 4500-4870 repeated with the same losses; fine",
    source=HAND,
    status=["clear"],
    causes=["none/healthy", "none/completed", "none/slow-but-learning"],
    completed=True,
    not_symptoms=["loss-spike", "loss-diverging", "crash"],
    formats=["text"],
)
def resumed(out):
    page, clock = Page(), Clock("2026-06-01 10:00:00")
    losses = decay(800, 9.1, 2.6, 60, 0.012, 25)

    def part(first: int, last: int) -> None:
        for step in range(first, last, 10):
            clock.tick(7.7)
            page.log(
                "[{t}] step {step}/8000 loss {loss:.4f} lr {lr:.3e}",
                "",
                t=clock.show(),
                step=step,
                loss=losses[step // 10],
                lr=cosine(step, 8000, 3e-4, 400),
            )

    page.say("launching: python train.py --config small.yaml --resume auto")
    page.say("no checkpoint found, starting from scratch")
    part(0, 4880)
    clock.tick(5300)
    page.say("launching: python train.py --config small.yaml --resume auto")
    page.say("resuming from ckpt/step_4500.pt (optimizer, scheduler and step restored)")
    part(4500, 8000)
    page.say(f"[{clock.show()}] training finished at step 8000")
    page.save(out / "train.log")
    return {"last_step": 7990, "series": {"loss": {"first": round(losses[0], 4), "last": round(losses[799], 4)}}}


@run(
    "resume-jump",
    about="at the resume the optimizer and weights are not what they were: 2.4 before, 6.6 after, warm-up from zero again",
    source=HAND,
    status=["suspected"],
    causes=["train/resume-broken", "train/weights-not-loaded"],
    symptoms_any=["loss-spike", "loss-diverging"],
    not_symptoms=["loss-nonfinite", "overfitting"],
    formats=["text"],
)
def resume_jump(out):
    page, clock = Page(), Clock("2026-06-03 22:10:00")
    before, after = decay(300, 9.0, 2.3, 30, 0.012, 26), decay(120, 6.6, 2.6, 45, 0.012, 27)
    for step, loss in numbered(before, 20, 0):
        clock.tick(11)
        page.log(
            "{t} step {step} loss {loss:.4f} lr {lr:.3e}",
            "",
            t=clock.show(),
            step=step,
            loss=loss,
            lr=cosine(step, 12000, 4e-4, 500),
        )
    clock.tick(900)
    page.say(f"{clock.show()} Resuming from checkpoint out/ckpt_5980.pt")
    for step, loss in numbered(after, 20, 6000):
        clock.tick(11)
        page.log(
            "{t} step {step} loss {loss:.4f} lr {lr:.3e}",
            "",
            t=clock.show(),
            step=step,
            loss=loss,
            lr=cosine(step - 6000, 12000, 4e-4, 500),
        )
    page.save(out / "train.log")
    return {
        "last_step": 8380,
        "series": {"loss": {"count": 420, "first": round(before[0], 4), "last": round(after[-1], 4)}},
    }


@run(
    "fp16-scaler-collapse",
    about="float16 without loss scaling left: the scale halves step after step down to zero and the loss is NaN",
    source=HAND,
    status=["suspected"],
    causes=["num/half-precision", "num/overflow", "num/exploding-gradients"],
    symptoms=["loss-nonfinite"],
    not_symptoms=["overfitting", "loss-flat"],
    formats=["text"],
)
def fp16(out):
    page, scale = Page(), 65536.0
    page.say("args: {'precision': 'fp16', 'amp': True, 'lr': 0.0004, 'batch_size': 64, 'model': 'unet-deep'}")
    losses = decay(180, 1.6, 0.5, 30, 0.02, 28)
    for i in range(180):
        page.log("it {it} loss {loss:.4f} scale {scale:g}", "loss", it=i, loss=losses[i], scale=scale)
    for i in range(180, 260):
        scale /= 2
        if i % 8 == 0:
            page.say(f"WARNING: inf in gradients, step skipped, scale -> {scale:g}")
        page.log("it {it} loss {loss:.4f} scale {scale:g}", "loss", it=i, loss=math.nan, scale=scale)
    return page.save(out / "stdout.log") | {"last_step": 259, "nonfinite_step": 180}


@run(
    "oscillating-lr-too-high",
    about="the loss jumps between 0.8 and 4 from one step to the next for the whole run and its mean does not fall",
    source=HAND,
    status=["suspected"],
    symptoms=["loss-oscillating"],
    causes=["hp/lr-too-high", "hp/batch-too-small", "data/not-shuffled", "hp/no-warmup"],
    not_symptoms=["loss-nonfinite", "overfitting"],
    formats=["text"],
)
def oscillating(out):
    page, dice = Page(), random.Random(29)
    page.say("using lr=1.2 (sgd, momentum 0.95), batch 256, 50000 train images")
    for step in range(300):
        loss = 2.4 + 1.55 * math.sin(step * 2.7) * (0.8 + 0.25 * dice.random()) + dice.gauss(0, 0.12)
        page.log("step {step}: train_loss = {loss:.3f}, lr = {lr:.2f}", "loss>train_loss", step=step, loss=loss, lr=1.2)
    return page.save(out / "log.txt") | {"last_step": 299}


@run(
    "majority-class-only",
    about="94 % of the samples are of one class; accuracy sits at exactly 0.940 and the minority recall at 0 for 30 epochs",
    source=HAND,
    status=["suspected"],
    causes=["data/class-imbalance"],
    symptoms_any=["metric-stuck", "loss-flat"],
    not_symptoms=["overfitting", "loss-diverging"],
    formats=["text"],
)
def majority(out):
    page, dice = Page(), random.Random(30)
    page.say("train class counts: {0: 47000, 1: 3000}   val class counts: {0: 9400, 1: 600}")
    for e in range(30):
        page.log(
            "epoch {e} train_loss {a:.4f} val_loss {b:.4f} val_acc {acc:.4f} recall_0 {r0:.3f} recall_1 {r1:.3f}",
            "a>train_loss b>val_loss acc>val_acc",
            e=e,
            a=0.2285 + 0.16 * math.exp(-e / 1.2) + dice.gauss(0, 0.001),
            b=0.2281 + 0.1 * math.exp(-e / 1.2) + dice.gauss(0, 0.001),
            acc=0.94,
            r0=1.0,
            r1=0.0,
        )
    return page.save(out / "fraud.log") | {"last_step": 29}


@run(
    "too-good-validation",
    about="validation accuracy 0.999 after the first epoch on a task where 0.8 is the state of the art: the answer leaks",
    source=HAND,
    status=["suspected", "unknown"],
    symptoms=["too-good"],
    causes=["data/target-leakage", "data/split-leakage", "data/future-leakage", "loss/metric-mismatch"],
    not_symptoms=["overfitting", "loss-flat"],
    formats=["text"],
)
def too_good(out):
    page = Page()
    page.say("readmission within 30 days, 81204 stays, 112 features (incl. discharge_disposition, followup_code)")
    for e in range(12):
        page.log(
            "ep {e:>2} train_loss {a:.5f} val_loss {b:.5f} val_acc {acc:.4f} val_auc {auc:.4f}",
            "a>train_loss b>val_loss acc>val_acc",
            e=e,
            a=0.031 * 0.55**e + 2e-5,
            b=0.006 * 0.6**e + 2e-5,
            acc=min(1.0, 0.999 + 0.0003 * e),
            auc=min(1.0, 0.9998 + 0.0001 * e),
        )
    return page.save(out / "train.log") | {"last_step": 11}


@run(
    "wrong-sign",
    about="the objective is maximised: the loss starts at -0.1 and runs to minus forty thousand, accuracy falls below chance",
    source=HAND,
    status=["suspected"],
    causes=["loss/wrong-sign"],
    symptoms_any=["loss-diverging", "metric-stuck"],
    not_symptoms=["loss-nonfinite", "overfitting"],
    formats=["text"],
)
def wrong_sign(out):
    page, dice = Page(), random.Random(31)
    for step in range(0, 2000, 20):
        loss = -0.1 - 4.0 * (step / 200) ** 4 * (1 + dice.gauss(0, 0.04))
        page.log(
            "step {step:5d} loss {loss:14.4f} acc {acc:.3f}",
            "loss acc",
            step=step,
            loss=loss,
            acc=max(0.0, 0.1 - step / 15000 + dice.gauss(0, 0.01)),
        )
    return page.save(out / "log.txt") | {"last_step": 1980}


@run(
    "dice-json-lines-mixed-healthy",
    about="text and JSON lines mixed in one file, values nested; segmentation learns well and ends early on a plateau rule",
    source=HAND,
    status=["clear"],
    causes=["none/completed", "none/healthy", "none/converged"],
    completed=True,
    not_symptoms=["loss-flat", "crash"],
    formats=["text", "jsonl"],
)
def mixed_json(out):
    page = Page()
    train, val = decay(33, 0.91, 0.14, 6, 0.012, 32), decay(33, 0.89, 0.18, 6, 0.012, 33)
    for e in range(33):
        page.say(f"--- epoch {e} " + "-" * 40)
        page.say(
            json.dumps(
                {
                    "epoch": e,
                    "train": {"dice_loss": round(train[e], 4)},
                    "val": {"dice_loss": round(val[e], 4), "dice": round(1 - val[e], 4)},
                    "sec": 91.3,
                }
            )
        )
    page.say("stopping: val.dice has not improved by 0.001 in 5 epochs (early stop), best 0.8213")
    page.save(out / "out.log")
    return {"last_step": 32}


@run(
    "plateau-far-from-target",
    about="the loss falls for 8 epochs, then stays at 2.9 for 52 more while the training accuracy is 0.31 and the rate unchanged",
    source=HAND,
    status=["suspected", "unknown"],
    causes=[
        "hp/lr-too-high",
        "hp/lr-too-low",
        "arch/too-small",
        "arch/over-regularized",
        "train/params-frozen",
        "train/params-not-optimized",
        "data/labels-noisy",
        "data/inputs-destroyed",
        "arch/output-range",
        "loss/double-softmax",
        "train/clip-too-tight",
        "other/unlisted",
    ],
    symptoms_any=["metric-stuck", "loss-flat", "loss-slow"],
    not_symptoms=["overfitting", "loss-diverging", "loss-nonfinite"],
    formats=["text"],
)
def plateau(out):
    page, dice = Page(), random.Random(34)
    page.say("cifar100, 100 classes, sgd lr=0.1 constant, 60 epochs (expected: 0.75 train accuracy after 60 epochs)")
    for e in range(60):
        loss = 2.9 + 1.7 * math.exp(-e / 2.1) + dice.gauss(0, 0.012)
        page.log(
            "epoch {e:>2} lr {lr:.3f} train_loss {a:.4f} train_acc {acc:.4f} val_loss {b:.4f}",
            "a>train_loss b>val_loss acc>train_acc",
            e=e,
            lr=0.1,
            a=loss,
            acc=0.31 - 0.29 * math.exp(-e / 2.1) + dice.gauss(0, 0.002),
            b=loss + 0.04 + dice.gauss(0, 0.015),
        )
    return page.save(out / "train.log") | {"last_step": 59}


@run(
    "windows-permission-error",
    about="carriage return and line feed at each end, a Windows path, and a file that is open elsewhere: PermissionError",
    source="written after the format: Python on Windows",
    status=["established"],
    causes=["env/exception"],
    symptoms=["crash"],
    not_symptoms=["overfitting", "killed", "loss-flat"],
    formats=["text"],
    where="train.py:66",
)
def windows(out):
    page = Page()
    for e, loss in numbered(decay(9, 1.9, 0.8, 3, 0.01, 35), 1, 1):
        page.log("Epoch {e}: loss {loss:.4f}", "loss", e=e, loss=loss)
    page.say(
        "Traceback (most recent call last):\n"
        '  File "C:\\Users\\mira\\proj\\train.py", line 81, in <module>\n'
        "    main()\n"
        '  File "C:\\Users\\mira\\proj\\train.py", line 66, in main\n'
        "    os.replace(tmp, best)\n"
        "PermissionError: [WinError 32] The process cannot access the file because it is being used by another process: "
        "'C:\\\\Users\\\\mira\\\\proj\\\\best.tmp' -> 'C:\\\\Users\\\\mira\\\\proj\\\\best.pt'"
    )
    page.lines = "\n".join(page.lines).replace("\n", "\r\n").split("\n")
    return page.save(out / "log.txt", end="\r\n") | {"last_step": 9}


@run(
    "powershell-utf16-healthy",
    about="output redirected by PowerShell: UTF-16 with a byte order mark; an ordinary good run in it",
    source=HAND,
    status=["clear"],
    causes=["none/completed", "none/healthy", "none/converged"],
    completed=True,
    not_symptoms=["crash", "loss-flat"],
    formats=["text"],
    last_step=50,
)
def powershell(out):
    page = Page()
    for e, loss in numbered(decay(50, 2.3, 0.4, 8, 0.015, 36), 1, 1):
        page.log("Epoch {e}/50, loss: {loss:.4f}", "loss", e=e, loss=loss)
    page.say("Training complete.")
    truth = page.save(out / "log.txt")
    (out / "log.txt").write_bytes(("\ufeff" + "\r\n".join(page.lines) + "\r\n").encode("utf-16-le"))
    return truth
