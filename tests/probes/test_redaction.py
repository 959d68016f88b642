"""Secrets go, and what every training log is full of stays."""

from __future__ import annotations

import random
import string
import time

import pytest

from stetho.redaction import MARK, redact, redact_words, secret_name

OPAQUE = "a1B2c3D4e5F6g7H8i9J0k1L2"

SECRETS = [
    f"WANDB_API_KEY={OPAQUE}",
    f"export HF_TOKEN={OPAQUE}",
    f"--password={OPAQUE}",
    f"password: {OPAQUE}",
    f'{{"api_key": "{OPAQUE}"}}',
    f"{{'secret_key': '{OPAQUE}'}}",
    f"postgres://mlflow:{OPAQUE}@db.example.com:5432/x",
    f"https://{OPAQUE}@github.com/me/private.git",
    f"Authorization: Bearer {OPAQUE}",
    f"curl -H 'Authorization: token {OPAQUE}'",
    f"s3://bucket/x?X-Amz-Signature={OPAQUE}&X-Amz-Expires=60",
    f"AccountKey={OPAQUE}==;EndpointSuffix=core.windows.net",
    f"sk-proj-{OPAQUE}",
    f"hf_{OPAQUE}",
    f"ghp_{OPAQUE}",
    f"github_pat_{OPAQUE}",
    "AKIAIOSFODNN7EXAMPLE",
    f"xoxb-{OPAQUE}",
    f"glpat-{OPAQUE}",
    f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{OPAQUE}",
    "wandb login 0123456789abcdef0123456789abcdef01234567",
    f"-----BEGIN RSA PRIVATE KEY-----\n{OPAQUE}\n{OPAQUE}\n-----END RSA PRIVATE KEY-----",
    f"-----BEGIN OPENSSH PRIVATE KEY-----\n{OPAQUE}",
    f"client_secret = '{OPAQUE}'",
    f"NEPTUNE_API_TOKEN: {OPAQUE}",
    f"wandb_key={OPAQUE}",
    f"https://hooks.slack.com/services/T0/B0/{OPAQUE}",
    f"https://discord.com/api/webhooks/123/{OPAQUE}",
    f"machine api.wandb.ai login user password {OPAQUE}",
    f"python train.py --api-key {OPAQUE} --lr 0.1",
    f"['train.py', '--auth-token', '{OPAQUE}']",
    f'{{"name": "DB_PASSWORD", "value": "{OPAQUE}"}}',
    f"- name: HF_TOKEN\n  value: {OPAQUE}",
    f'{{"r.io": {{"auth": "{OPAQUE}"}}}}',
    f"sk_live_{OPAQUE}",
    f'{{\\"api_key\\": \\"{OPAQUE}\\"}}',
    f'{{\\"name\\": \\"DB_PASSWORD\\", \\"value\\": \\"{OPAQUE}\\"}}',
    f"one line\\nhf_{OPAQUE}",
    f'[\\"--api-key\\", \\"{OPAQUE}\\"]',
]
HARMLESS = [
    "max_tokens=512, num_tokens: 1048576",
    "tokenizer=bert-base-uncased",
    "pad_token: <pad> eos_token='</s>' bos_token_id=1",
    "pad_token=[unusedtokenvalue1]",
    "tokens_per_second: 18234.5",
    "token: 5 next_token=quick-brown-fox",
    "loss 0.31 at step 100, lr=3e-4",
    "step=100 key=value sort_key=length num_key_value_heads=8",
    "PWD=/home/me/project",
    "passed=12 passes: 3",
    "https://huggingface.co/docs/transformers?page=2",
    "Epoch 3: 100%|██████████| 10/10 [00:10<00:00, loss=0.3]",
    "a basic understanding of token classification tasks",
    "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "user@example.com wrote to git@github.com:me/repo.git",
    "secret: true, password=None, api_key=null",
    "--max-tokens 512 --tokenizer bert-base-uncased --sort-key length -u train.py",
    "name: loss value: 0.123456",
    '{"name": "num_tokens", "value": "1048576"}',
    "authors: somebody, auth: none",
    'File "/v/lib/python3.11/site-packages/transformers/tokenization_utils.py", line 3',
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_goes_and_the_rest_of_the_line_stays(text: str) -> None:
    shown = redact(f"before {text} after")
    assert MARK in shown and OPAQUE not in shown and "EXAMPLE" not in shown and "0123456789abcdef" not in shown
    assert shown.startswith("before ")
    assert redact(shown) == shown


@pytest.mark.parametrize("text", HARMLESS)
def test_what_training_logs_are_full_of_stays(text: str) -> None:
    assert redact(text) == text


def test_a_host_behind_credentials_stays() -> None:
    assert redact("http://u:p4ss@proxy:3128/x") == f"http://{MARK}@proxy:3128/x"


def test_the_value_behind_an_option_goes() -> None:
    command = ["python", "train.py", "--hf-token", OPAQUE, "--api_key", "x1y2", "-p", "8080", "--max-tokens", "512",
               "--password", "hunter2", "--lr", "1e-3", f"--wandb_api_key={OPAQUE}", "--user", "me:pw"]  # fmt: skip
    assert redact_words(command) == (
        "python", "train.py", "--hf-token", MARK, "--api_key", MARK, "-p", "8080", "--max-tokens", "512", "--password",
        MARK, "--lr", "1e-3", f"--wandb_api_key={MARK}", "--user", MARK,
    )  # fmt: skip


def test_names_of_variables_that_hold_secrets_are_known() -> None:
    secret = ("WANDB_API_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "MLFLOW_TRACKING_PASSWORD")
    assert all(map(secret_name, secret))
    assert not any(
        map(secret_name, ("RANK", "MASTER_ADDR", "TOKENIZERS_PARALLELISM", "NCCL_DEBUG", "PWD", "MAX_TOKENS"))
    )


def test_homes_go_on_request() -> None:
    text = "/home/alice/run/train.py and /Users/bob/x.py"
    assert redact(text) == text
    assert redact(text, homes=True) == "/home/[user]/run/train.py and /Users/[user]/x.py"


def test_random_text_is_bearable_in_length_and_time() -> None:
    draw, letters = random.Random(3), string.printable + "tokenpasswordkey=:'\""
    for _ in range(300):
        text = "".join(draw.choices(letters, k=draw.randrange(200)))
        assert redact(redact(text)) == redact(text)
    begun = time.process_time()
    for text in ("a" * 1_000_000, "token" * 200_000, "://" * 300_000, "eyJ" * 300_000, "password=" * 100_000):
        redact(text)
    # Linear patterns take a second or two; one that goes back and forth would take hours.
    assert time.process_time() - begun < 60
