"""Settings that a log prints at its beginning."""

from __future__ import annotations

import time

import pytest

from stetho.facts import Config
from stetho.text import printed


def settings(head: bytes) -> dict[str, tuple[str, int | None]]:
    facts = [one.fact for one in printed.readings(head)]
    return {v.key: (v.text, v.line) for fact in facts if isinstance(fact, Config) for v in fact.values}


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b"hello\nNamespace(lr=0.1, clip=1.0)\nstep=1 loss=2\n", {"lr": ("0.1", 2), "clip": ("1.0", 2)}),
        (b"FitConfig(\n  lr=5,\n  steps=9,\n)\nstep=1 loss=2\n", {"lr": ("5", 2), "steps": ("9", 3)}),
        (b"12:01 args: {'max_grad_norm': 0.5}\n", {"max_grad_norm": ("0.5", 1)}),
        (b'Config = {"optim": {"lr": 1e-3}}\n', {"optim.lr": ("0.001", 1)}),
        (b"params: {'api_key': 'abc'}\n", {"api_key": ("(hidden)", 1)}),
        (b"{'loss': 2.3, 'epoch': 1}\nloss: {'a': 1}\n", {}),
    ],
)
def test_settings_are_known_by_what_stands_before_them(head: bytes, found: dict[str, tuple[str, int | None]]) -> None:
    assert settings(head) == found


@pytest.mark.parametrize("head", [b"Namespace(\n" * 3000, b"params: {" * 4000, b"Namespace(" + b"a=(" * 9000])
def test_brackets_without_end_are_left_soon(head: bytes) -> None:
    begun = time.process_time()
    settings(head)
    assert time.process_time() - begun < 2
