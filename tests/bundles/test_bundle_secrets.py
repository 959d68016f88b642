"""No secret is in any byte of a bundle, and taking them out changes no number and no verdict."""

from __future__ import annotations

import gzip
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bundling import CRASH, LOG, bundle, contents, judged, plainly

from conftest import environment, stetho
from stetho.bundles.cover import Cover, users_of
from stetho.redaction import MARK

BODY = "Zm9vYmFyYmF6cXV4Q09STkZMQUtFUzEyMzQ1Njc4OTBhYmNkZWZnaGlqa2xtbm9w"
# The secret, and a line that gives it away. None is real; they are put together so that no scanner takes them for it.
PLANTED = {
    "aws-id": ("AKIA" + "Q7XNEXAMPLEZ3T5W", "using key {}"),
    "aws-secret": ("wJalrXUtnFEMI" + "K7MDENGbPxRfiCYzzEXAMPLEKEY", "AWS_SECRET_ACCESS_KEY={}"),
    "aws-session": ("FwoGZXIvYXdzEBYaD" + "Hqa0AP1nEXAMPLE", "export AWS_SESSION_TOKEN={}"),
    "github": ("ghp_" + "Q1w2E3r4T5y6U7i8O9p0A1s2D3f4G5h6J7k8", "remote: token {} accepted"),
    "github-fine": ("github_pat_" + "11ABCDEFG0abcdefghijkl_mnopqrstuv", "{}"),
    "hugging-face": ("hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz012345", "logged in with {}"),
    "openai": ("sk-proj-" + "abc123DEF456ghi789JKL012mno345", "client = OpenAI({!r})"),
    "anthropic": ("sk-ant-" + "api03-abc123DEF456ghi789JKL012", "ANTHROPIC={}"),
    "wandb": ("0a1b2c3d4e5f60718293a4b5" + "c6d7e8f901234567", "wandb login {}"),
    "wandb-variable": ("1a1b2c3d4e5f60718293a4b5" + "c6d7e8f901234567", "WANDB_API_KEY: {}"),
    "netrc": ("2a1b2c3d4e5f60718293a4b5" + "c6d7e8f901234567", "machine api.wandb.ai login user password {}"),
    "web-token": (
        "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P", "cookie jar: {}",
    ),
    "address": ("hunter2Correct", "tracking to postgresql://mlflow:{}@db.internal:5432/mlflow"),
    "authorization": ("QWxhZGRpbjpvcGVuIHNlc2FtZQ12", "> Authorization: Basic {}"),
    "bearer": ("mF9B5f41JqM0aZ7QpLxT", "> authorization: Bearer {}"),
    "slack-hook": ("T0AAAAAAA/B0BBBBBBB/" + "XyzXyzXyzXyz12345678", "https://hooks.slack.com/services/{}"),
    "slack": ("xoxb-" + "123456789012-abcdefABCDEF", "slack={}"),
    "azure": (
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IF",
        "DefaultEndpointsProtocol=https;AccountName=lab;AccountKey={}==;EndpointSuffix=core.windows.net",
    ),
    "azure-signature": ("7bW9Qk2ZsLd4x1Vv", "https://lab.blob.core.windows.net/c/x?sv=2022&sig={}&se=2026"),
    "sql": ("Tr0ub4dor&3zzz".replace("&", "_"), "Server=tcp:lab,1433;Database=d;User ID=me;Password={};Encrypt=True"),
    "gcp": ("AIza" + "SyD3x4mpl3K3yF0rT3stsOnly1234567890", "maps key {}"),
    "gcp-token": ("ya29." + "a0AfH6SMBx3xampl3T0k3n1234567890", "{}"),
    "option": ("s3cr3tOptionValue99", "launching: python train.py --api-key {} --lr 0.1"),
    "words": ("s3cr3tWordValue77", "argv: ['train.py', '--auth-token', '{}', '--steps', '10']"),
    "container": ("s3cr3tPairValue55", '{{"name": "DB_PASSWORD", "value": "{}"}}'),
    "registry": ("dXNlcjpwYXNzd29yZEAxMjM0", '{{"auths": {{"r.io": {{"auth": "{}"}}}}}}'),
    "password": ("correct-horse-7-battery", "password: {}"),
    "stripe": ("sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "{}"),
}  # fmt: skip
PRIVATE = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n{BODY[::-1]}\n-----END RSA PRIVATE KEY-----\n"
SECRETS = [*(secret for secret, _ in PLANTED.values()), BODY, BODY[::-1]]


def lines() -> str:
    return "".join(form.format(secret) + "\n" for secret, form in PLANTED.values())


def planted(folder: Path) -> Path:
    """Secrets in a log (its head, its middle, warnings, the exception), in configurations and in rows of metrics."""
    folder.mkdir(parents=True)
    warned = "".join(f"UserWarning: {form.format(secret)}\n" for secret, form in PLANTED.values())
    (folder / "train.log").write_text(lines() + PRIVATE + LOG + warned + PRIVATE + LOG * 20 + lines() + CRASH)
    for number, (secret, form) in enumerate(PLANTED.values()):
        failed = CRASH.replace("KeyError: 'lr'", f"RuntimeError: cannot log in: {form.format(secret)}")
        (folder / f"rank{number}.err").write_text(f"step 1 loss 2.0\nstep 2 loss 1.5\n{failed}")
    settings = {name: form.format(secret) for name, (secret, form) in PLANTED.items()}
    (folder / "config.json").write_text(
        json.dumps({"lr": 0.1, "env": settings, "api_token": PLANTED["words"][0], "key": PRIVATE}, indent=1)
    )
    said = "".join(f"{name.replace('-', '_')}: {json.dumps(text)}\n" for name, text in settings.items())
    (folder / "config.yaml").write_text(f"lr: 0.1\ntrainer:\n  db_password: {PLANTED['password'][0]}\n{said}")
    rows = "".join(json.dumps({"step": at, "loss": 2 - at / 50, "note": lines()[:400]}) + "\n" for at in range(50))
    (folder / "metrics.jsonl").write_text(rows)
    return folder


def nothing_of_it(path: Path) -> None:
    data = gzip.decompress(path.read_bytes())
    found = [secret for secret in SECRETS if secret.encode() in data or json.dumps(secret)[1:-1].encode() in data]
    assert not found
    assert MARK.encode() in data


@pytest.mark.parametrize("size", [20 << 20, 300 << 10])
def test_no_secret_is_in_any_byte(size: int, tmp_path: Path) -> None:
    assert len(PLANTED) >= 20
    nothing_of_it(bundle(planted(tmp_path / "run"), tmp_path / "b.tgz", size=size).path)


def test_a_long_log_that_is_cut_cuts_no_secret_in_two(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    dice = random.Random(3)
    bulk = ["".join(f"step {dice.random()} loss {dice.random()}\n" for _ in range(100)) for _ in range(60)]
    parts = "".join(part + lines() + PRIVATE for part in bulk)
    (folder / "train.log").write_text(parts + "x" * 70_000 + lines().replace("\n", " "))
    made = bundle(folder, tmp_path / "b.tgz", size=100 << 10)
    assert made.manifest.artifacts[0].cut
    nothing_of_it(made.path)


def test_the_command_lines_and_logs_that_probes_see_give_nothing_away(tmp_path: Path) -> None:
    folder = planted(tmp_path / "run")
    secrets = [word for name in ("option", "words", "hugging-face") for word in ("--api-key", PLANTED[name][0])]
    program = "import time; open('live.log', 'w').write('step 1 loss 1\\n'); time.sleep(60)"
    child = subprocess.Popen(
        [sys.executable, "-c", program, *secrets, f"--url=https://me:{PLANTED['address'][0]}@host/x"],
        cwd=folder,
        env={**environment(), "WANDB_API_KEY": PLANTED["wandb"][0]},
    )
    try:
        while not (folder / "live.log").exists():
            time.sleep(0.02)
        answer = stetho("probe", "run", "-o", "b.tgz", cwd=tmp_path)
    finally:
        child.kill()
        child.wait()
    assert answer.code == 0, answer.err
    assert str(child.pid) in contents(tmp_path / "b.tgz")["probe.json"].decode()
    nothing_of_it(tmp_path / "b.tgz")


def test_redaction_changes_no_verdict(tmp_path: Path) -> None:
    folder = planted(tmp_path / "run")
    made = bundle(folder, tmp_path / "b.tgz")
    for here, there in zip(judged(folder).runs, judged(made.path).runs, strict=True):
        mine, theirs = here.verdict, there.verdict
        assert (mine.status, [(s.id, s.step) for s in mine.symptoms]) == (
            theirs.status, [(s.id, s.step) for s in theirs.symptoms],
        )  # fmt: skip
        assert [(h.cause, h.probability) for h in mine.hypotheses] == [
            (h.cause, h.probability) for h in theirs.hypotheses
        ]
        assert [(f.check, f.where) for f in mine.findings] == [(f.check, f.where) for f in theirs.findings]
        assert [(e.fact, e.source) for e in mine.evidence] == [(e.fact, e.source) for e in theirs.evidence]


def test_a_key_that_does_not_end_hides_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    text = f"-----BEGIN PRIVATE KEY-----\n{BODY}\n{LOG}{CRASH}".replace("KeyError", "ModuleNotFoundErrorOfOurs")
    (folder / "train.log").write_text(text)
    made = bundle(folder, tmp_path / "b.tgz")
    assert contents(made.path)["files/00000.txt"].decode() == text.replace(BODY, MARK).replace(
        "-----BEGIN PRIVATE KEY-----", MARK
    )
    assert plainly(judged(made.path)) == plainly(judged(folder)).replace(BODY, MARK).replace(
        "-----BEGIN PRIVATE KEY-----", MARK
    )


def test_numbers_that_look_like_secrets_stay(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    text = "".join(
        f"step {at} token_loss: {1 / (at + 1):.12f} tokens: {at * 123456789} key_acc={at / 50:.9f} secret_rate={at}\n"
        for at in range(50)
    )
    (folder / "train.log").write_text(text)
    made = bundle(folder, tmp_path / "b.tgz")
    assert plainly(judged(made.path)) == plainly(judged(folder))


@pytest.fixture
def at_home(tmp_path: Path) -> Path:
    folder = tmp_path / "home" / "mira" / "runs" / "7"
    folder.mkdir(parents=True)
    text = "user=mira on mira@node-17 writes /scratch/mira/out and /home/mira/x; mira means wonder\n"
    (folder / "train.log").write_text(text + LOG + CRASH)
    return folder


def test_users_are_named_unless_they_are_to_be_hidden(at_home: Path, tmp_path: Path) -> None:
    shown = contents(bundle(at_home, tmp_path / "shown.tgz").path)
    assert b"/home/mira/project/train.py" in shown["files/00000.txt"]
    hidden = bundle(at_home, tmp_path / "hidden.tgz", hide_users=True)
    text = contents(hidden.path)["files/00000.txt"].decode()
    assert "user=[user] on [user]@node-17 writes /scratch/[user]/out and /home/[user]/x; mira means" in text
    everything = gzip.decompress(hidden.path.read_bytes()).replace(b"mira means wonder", b"")
    assert b"mira" not in everything
    here, there = judged(at_home).runs[0].verdict, judged(hidden.path).runs[0].verdict
    assert [(h.cause, h.probability) for h in here.hypotheses] == [(h.cause, h.probability) for h in there.hypotheses]
    assert here.status == there.status and there.claim is not None
    assert str(there.claim.where[0]) == "/home/[user]/project/train.py:8"


def test_a_user_whose_name_is_a_word_of_training_takes_no_word_away() -> None:
    cover = Cover(("train", "loss"))
    assert cover.text("train loss 0.3, train.py, loss=2, /home/x/train.py") == (
        "train loss 0.3, train.py, loss=2, /home/[user]/train.py"
    )
    assert cover.json({"kind": "loss", "steps": [1, 2]}) == {"kind": "loss", "steps": [1, 2]}


def test_whose_names_are_known(at_home: Path) -> None:
    assert "mira" in users_of(at_home) and "root" not in users_of(at_home)
    assert os.path.isdir(at_home)
