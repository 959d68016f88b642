"""Logs of runs whose numbers break, in many hands' styles, and of healthy ones that look like it."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from stetho import post_mortem
from stetho.case import Request
from stetho.verdict import Verdict

Files = dict[str, str]
RAISED = """Traceback (most recent call last):
  File "/srv/jobs/run/main.py", line 88, in <module>
    fit(cfg)
  File "/srv/jobs/run/engine.py", line 41, in fit
    {code}
{error}
"""
DETECTED = """/opt/py/lib/python3.12/site-packages/torch/autograd/graph.py:825: UserWarning: Error detected in {name}. \
Traceback of forward call that caused the error:
  File "/srv/jobs/run/main.py", line 88, in <module>
    fit(cfg)
  File "/srv/jobs/run/model.py", line 17, in normalise
    return x / x.std(0)
 (Triggered internally at ../torch/csrc/autograd/python_anomaly_mode.cpp:110.)
"""


def learned(count: int, start: float = 4.0, end: float = 0.4) -> list[float]:
    noise = random.Random(count)
    return [end + (start - end) * math.exp(-i / 40) + noise.gauss(0, 0.05 * end) for i in range(count)]


def lines(form: str, values: list[float], begin: int = 0) -> str:
    return "".join(form.format(i=begin + i, v=v) + "\n" for i, v in enumerate(values))


def raised(error: str, code: str = "loss.backward()", before: str = "") -> Files:
    told = lines("[{i}] train_loss={v:.5f}", learned(40))
    return {"o.log": told + before + RAISED.format(code=code, error=error)}


def anomaly(name: str) -> Files:
    error = f"RuntimeError: Function '{name}' returned nan values in its 1th output."
    return raised(error, before=DETECTED.format(name=name))


def warned(what: str) -> Files:
    told = lines("epoch {i}: cost={v:.4f}", learned(25))
    warning = f"/srv/jobs/fit.py:33: RuntimeWarning: {what}\n  q = f(z)\n"
    return {"fit.txt": told + warning + lines("epoch {i}: cost={v}", [math.nan] * 25, 25)}


def device(assertion: str, kernel: str) -> Files:
    told = "".join(
        f"/build/{kernel}: block: [0,0,0], thread: [{k},0,0] Assertion `{assertion}` failed.\n" for k in range(9)
    )
    error = "RuntimeError: CUDA error: device-side assert triggered\nFor debugging consider CUDA_LAUNCH_BLOCKING=1"
    return {"job.out": "epoch 0\n" + told + RAISED.format(code="print(loss.item())", error=error)}


def ranks(form: str, first: int | None) -> Files:
    values = learned(80)
    return {
        form.format(k=k): "".join(
            f"step={i * 5} loss={'nan' if i >= (50 if k == first else 51) else format(v + 0.01 * k, '.4f')}\n"
            for i, v in enumerate(values)
        )
        for k in range(4)
    }


def scaled(scales: list[float]) -> Files:
    values = learned(len(scales), 10.0, 3.0)
    return {
        "megatron.log": "".join(
            f" iteration {10 * i:8d}/ 500000 | learning rate: 1.500E-04 | lm loss: {v:.6E} | loss scale: {s} | "
            f"grad norm: 0.{300 + i % 50} |\n"
            for i, (v, s) in enumerate(zip(values, scales, strict=True))
        )
    }


def table(header: str, row: Callable[[int], str], count: int) -> Files:
    return {"progress.csv": header + "\n" + "".join(row(i) + "\n" for i in range(count))}


def climbed() -> Files:
    told = lines("step {i}: loss {v:.4f} grad_norm 1.1 lr 3.0e-04", learned(200))
    ends = [(0.6, 3.0), (1.2, 9.0), (4.4, 40.0), (19.0, 300.0), (120.0, 9000.0)] + [(math.nan, math.nan)] * 8
    return {
        "l.txt": told + "".join(f"step {200 + i}: loss {v} grad_norm {g} lr 3.0e-04\n" for i, (v, g) in enumerate(ends))
    }


def in_precision(what: str) -> Files:
    told = table("step,train_loss", lambda i: f"{i},{'nan' if i >= 200 else learned(260)[i]}", 260)
    return {"conf.yaml": f"trainer:\n  precision: {what}\n  max_steps: 1000\nmodel: vit\n", **told}


FAULTY: dict[str, tuple[Files, str, str, str]] = {
    # name: the files, a symptom, a finding, and the first fault that has a name
    "anomaly in a division": (anomaly("DivBackward0"), "crash", "divided-by-zero", "num/division-by-zero"),
    "anomaly in a norm": (anomaly("LinalgVectorNormBackward0"), "crash", "root-at-zero", "num/sqrt-at-zero"),
    "anomaly in a logarithm": (anomaly("Log2Backward0"), "loss-nonfinite", "log-at-zero", "num/log-of-zero"),
    "anomaly in an exponential": (anomaly("ExpBackward0"), "crash", "exponential-overflows", "num/overflow"),
    "numpy divides": (
        warned("invalid value encountered in scalar divide"),
        "loss-nonfinite",
        "divided-by-zero",
        "num/division-by-zero",
    ),
    "numpy overflows": (
        warned("overflow encountered in exp"),
        "loss-nonfinite",
        "exponential-overflows",
        "num/overflow",
    ),
    "numpy raises": (
        raised("FloatingPointError: divide by zero encountered in log", "np.log(p)"),
        "crash",
        "log-at-zero",
        "num/log-of-zero",
    ),
    "a mask in float16": (
        raised("RuntimeError: value cannot be converted to type at::Half without overflow", "s.masked_fill(m, -1e9)"),
        "crash",
        "half-precision-refused",
        "num/half-precision",
    ),
    "a scale that is gone": (
        scaled([65536.0] * 150 + [max(1.0, 65536.0 / 2**i) for i in range(1, 21)]),
        "loss-nonfinite",
        "scale-collapsed",
        "num/half-precision",
    ),
    "words about a scale that is gone": (
        {
            "a.log": lines("{i} loss {v:.3f}", learned(50))
            + "".join(
                f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {65536.0 / 2**k}\n"
                for k in range(30)
            )
        },
        "loss-nonfinite",
        "scale-collapsed",
        "num/half-precision",
    ),
    "float16 is set": (in_precision("16-mixed"), "loss-nonfinite", "float16-chosen", "num/half-precision"),
    "one rank of four": (ranks("logs/rank_{k}/stdout.log", 2), "loss-nonfinite", "one-rank-nonfinite-first", ""),
    "labels on the device": (
        device("t >= 0 && t < n_classes", "ClassNLLCriterion.cu:108: cunn_ClassNLLCriterion_updateOutput_kernel"),
        "crash",
        "class-index-refused",
        "data/label-encoding",
    ),
    "zero with NaN": (
        {
            "j.jsonl": "".join(
                json.dumps({"step": 5 * i, "loss": 0.0 if i > 4 else 2.0, "grad_norm": math.nan if i > 4 else 1.1})
                + "\n"
                for i in range(1, 60)
            )
        },
        "loss-nonfinite",
        "loss-of-nothing",
        "data/labels-all-ignored",
    ),
    "maximised": (
        table("it,loss", lambda i: f"{50 * i},{-(1.06**i)}", 150),
        "loss-diverging",
        "falls-without-bound",
        "loss/wrong-sign",
    ),
    "spike, then NaN": (climbed(), "loss-nonfinite", "gradient-run-up", "num/exploding-gradients"),
    "stopped by itself": (
        {
            "t.log": lines("Epoch: [0] [{i}/5000] lr: 0.00015 loss: {v:.4f} time: 0.34", learned(99))
            + "Loss is nan, stopping training\n"
        },
        "loss-nonfinite",
        "",
        "",
    ),
    "a bare assertion": (
        raised("AssertionError", "assert not torch.isnan(loss).any()"),
        "loss-nonfinite",
        "numbers-refused",
        "",
    ),
    "a distribution that refuses": (
        raised(
            "ValueError: Expected parameter loc (Tensor of shape (64, 6)) of distribution Normal(loc: torch."
            "Size([64, 6])) to satisfy the constraint Real(), but found invalid values:\ntensor([[nan, nan]])",
            "Normal(mu, std)",
        ),
        "crash",
        "numbers-refused",
        "",
    ),
}

ORDINARY: dict[str, Files] = {
    "an index of an embedding": device("srcIndex < srcSelectDimSize", "Indexing.cu:1239: indexSelectSmallIndex"),
    "a key": raised("KeyError: 'nan_policy'", 'cfg["nan_policy"]'),
    "a name": raised("AttributeError: module 'numpy' has no attribute 'infinit'", "np.infinit"),
    "shapes": raised("RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x784 and 512x10)", "head(x)"),
}

DONE = "Training complete.\n"
HEALTHY: dict[str, Files] = {
    "a scale that finds its level": scaled([4294967296.0 / 2 ** min(i, 18) for i in range(200)]),
    "a scale that is lowered now and then": {
        "a.log": "".join(
            f"{i} loss {v:.3f}\n"
            + (
                "Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to 32768.0\n"
                if i % 80 == 3
                else ""
            )
            for i, v in enumerate(learned(300))
        )
        + DONE
    },
    "a measure divides by zero": {
        "a.log": lines("epoch {i} loss {v:.4f}", learned(60))
        + "/x/metrics.py:12: RuntimeWarning: invalid value encountered in divide\n  p = tp / (tp + fp)\n"
        + lines("epoch {i} loss {v:.4f}", learned(40, 0.5), 60)
        + DONE
    },
    "a density": table("step,nll", lambda i: f"{10 * i},{0.5 - 40 * (1 - math.exp(-i / 100))}", 300),
    "a young density": table("step,nll", lambda i: f"{10 * i},{0.5 - 40 * (1 - math.exp(-i / 100))}", 40),
    "a density of many dimensions": table("step,nll", lambda i: f"{i},{5000 - 9000 * (1 - math.exp(-i / 60))}", 300),
    "float16 that works": {
        "conf.json": json.dumps({"fp16": True, "lr": 1e-4}),
        **table("step,loss", lambda i: f"{i},{learned(300)[i]}", 300),
    },
    "a bad batch that is left out": {
        "a.log": lines("step {i} loss {v:.3f}", learned(70))
        + "NaN detected in gradients, skipping this batch\n"
        + lines("step {i} loss {v:.3f}", learned(300)[70:], 70)
        + DONE
    },
    "one NaN in passing": {
        "a.log": lines("step {i} loss {v:.3f}", [math.nan if i == 150 else v for i, v in enumerate(learned(300))])
        + DONE
    },
    "a margin that is reached": table(
        "step,loss,grad_norm", lambda i: f"{i},{max(0.0, 1 - i / 60)},{0.0 if i >= 60 else 1.0}", 120
    ),
    "two players": {
        "a.log": "".join(
            f"iter {i} d_loss {-0.5 - 0.001 * i * i:.3f} g_loss {0.3 + 0.001 * i * i:.3f}\n" for i in range(200)
        )
    },
}


def judged(files: Files, folder: Path) -> Verdict:
    for name, content in files.items():
        (folder / "run" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "run" / name).write_text(content)
    request = Request((), str(folder), None, 60.0, None, False, 0.0)
    found = post_mortem.judge(folder / "cases", request, str(folder / "run"))
    assert len(found.runs) == 1
    return found.runs[0].verdict


@pytest.mark.parametrize("name", FAULTY)
def test_what_broke_is_named(name: str, tmp_path: Path) -> None:
    files, symptom, finding, cause = FAULTY[name]
    verdict = judged(files, tmp_path)
    assert symptom in {one.id for one in verdict.symptoms}
    if finding:
        assert finding in {one.check for one in verdict.findings}
    named = [one.cause for one in verdict.hypotheses if one.role == "likely"]
    if cause:
        assert named[0] == cause
    assert named[0] != "env/exception"
    assert verdict.claim is None or verdict.claim.cause == cause


def test_the_line_whose_gradient_failed_is_shown(tmp_path: Path) -> None:
    verdict = judged(anomaly("DivBackward0"), tmp_path)
    found = next(one for one in verdict.findings if one.check == "divided-by-zero")
    assert str(found.where[0]) == "/srv/jobs/run/model.py:17"


@pytest.mark.parametrize("name", ORDINARY)
def test_an_ordinary_exception_stays_one(name: str, tmp_path: Path) -> None:
    verdict = judged(ORDINARY[name], tmp_path)
    assert verdict.claim is not None
    assert verdict.claim.cause == "env/exception"


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_run_raises_no_alarm(name: str, tmp_path: Path) -> None:
    verdict = judged(HEALTHY[name], tmp_path)
    assert verdict.status in ("clear", "unknown")
    assert verdict.symptoms == ()
    assert [one.check for one in verdict.findings if one.check != "said-to-be-done"] == []
