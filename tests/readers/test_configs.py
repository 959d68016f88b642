"""Configurations in every format: what their own parsers find, with the lines, and nothing is ever run."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from tests.readers.reading import at, flaws, mutated, read

from stetho.facts import Config
from stetho.formats import settings
from stetho.reader import Flaw, Piece, Reader, Reading
from stetho.readers.arguments import TEXT, arguments
from stetho.readers.json_config import JSON, json_config
from stetho.readers.json_lines import json_lines
from stetho.readers.toml_config import TOML, toml_config
from stetho.readers.yaml_config import YAML, yaml_config


def config(pieces: list[Piece]) -> Config:
    (found,) = (one.fact for one in pieces if isinstance(one, Reading))
    assert isinstance(found, Config)
    return found


def values(pieces: list[Piece]) -> dict[str, str]:
    return {one.key: one.text for one in config(pieces).values}


def some(rng: random.Random, depth: int = 0) -> object:
    """Settings of any shape that all formats have."""
    kind = rng.randrange(10)
    if kind < 2 and depth < 4:
        return {
            rng.choice(["lr", "model", "data_dir", "n-layers", "x.y", "a/b"]) + str(n): some(rng, depth + 1)
            for n in range(3)
        }
    if kind < 4 and depth < 4:
        return [some(rng, depth + 1) for _ in range(rng.randrange(1, 4))]
    words = [
        "adam",
        "a b c",
        "it's",
        'say "hi"',
        "# no comment",
        "a: b",
        "yes",
        "1.5",
        "",
        "- x",
        "ä",
        "a, b",
        "[x",
        "null",
    ]
    text = rng.choice(words)
    return rng.choice([text, text, rng.randrange(100), -3, 0.25, 1e-5, 12345.678, True, False])


def flattened(data: object) -> dict[str, str]:
    return {key: settings.text_of(value)[: settings.LONGEST] for key, value, _ in settings.flat("", data)}


@pytest.mark.parametrize("indent", [None, 2])
def test_json_is_read_as_json_reads_it(indent: int | None, tmp_path: Path) -> None:
    rng = random.Random(1)
    for _ in range(200):
        data = {"first": 1, "rest": some(rng), "more": some(rng)}
        assert values(read(json_config, json.dumps(data, indent=indent), tmp_path)) == flattened(data)


@pytest.mark.parametrize("style", [False, None, True])
def test_yaml_is_read_as_yaml_reads_it(style: bool | None, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    rng = random.Random(2)
    for _ in range(300):
        data = {"first": 1, "rest": some(rng), "more": some(rng)}
        text = yaml.safe_dump(data, default_flow_style=style, sort_keys=False, width=10_000, allow_unicode=True)
        pieces = read(yaml_config, text, tmp_path)
        assert not flaws(pieces), text
        assert values(pieces) == flattened(data), text


def test_lines_are_those_of_the_values(tmp_path: Path) -> None:
    for one, text in ((json_config, JSON), (yaml_config, YAML), (toml_config, TOML)):
        lines = text.split("\n")
        for value in config(read(one, text, tmp_path)).values:
            assert value.line is not None and value.key.rpartition(".")[2] in lines[value.line - 1]


def test_yaml_with_everything_that_configurations_have(tmp_path: Path) -> None:
    text = """%YAML 1.1
---
defaults:
  - _self_
  - model: resnet   # which
anchor: &base
  lr: 1e-4
text: |
  any: thing
    goes: here
folded: >-
  more
other: <<*base
tagged: !!python/object:os.system {a: 1}
long: [1, 2,
       3]
empty:
nested:
    deep:
        - 1
        - - 2
quoted: "a\\tb # c"
time: 12:30:00
url: http://x.y/z
"""
    assert values(read(yaml_config, text, tmp_path)) == {
        "defaults.0": "_self_", "defaults.1.model": "resnet", "anchor.lr": "0.0001", "text": "(text)",
        "folded": "(text)", "other": "<<*base", "tagged.a": "1", "long": "[1, 2, 3]", "empty": "null",
        "nested.deep.0": "1", "nested.deep.1": "[2]", "quoted": "a\tb # c", "time": "12:30:00", "url": "http://x.y/z",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "loss: 0.5\nacc: 0.3\nloss: 0.4\nacc: 0.35\n",
        "epoch 1: loss 0.5\nepoch 2: loss 0.4\n",
        "INFO: started\nnote: x\n",
        "Traceback (most recent call last):\n  File x\nKeyError: 'a'\n",
        "just some words\nand more\n",
        "one: line\n",
        "\t\n",
        "{}\n",
    ],
)
def test_logs_are_no_yaml(text: str, tmp_path: Path) -> None:
    assert yaml_config.recognises(at(text, tmp_path)) == 0.0


def test_one_object_is_settings_and_one_row_is_a_row(tmp_path: Path) -> None:
    settings_ = at('{"lr": 0.1, "epochs": 10, "batch": 4}', tmp_path)
    assert json_config.recognises(settings_) > json_lines.recognises(settings_)
    row = at('{"step": 10, "loss": 0.5}\n', tmp_path)
    assert json_config.recognises(row) < json_lines.recognises(row)


def test_arguments_are_taken_apart_and_not_evaluated(tmp_path: Path) -> None:
    text = """TrainingArguments(
_n_gpu=0,
lr=5e-05,
path=PosixPath('/a, b'),
harm=__import__('os').system('touch harmed'),
opt={'a': [1, (2, 3)], "b": None},
state=<State.ON: 'on'>,
)"""
    pieces = read(arguments, text, tmp_path)
    assert values(pieces) == {
        "_n_gpu": "0", "lr": "5e-05", "path": "PosixPath('/a, b')", "harm": "__import__('os').system('touch harmed')",
        "opt.a.0": "1", "opt.a.1": "[2, 3]", "opt.b": "null", "state": "<State.ON: 'on'>",
    }  # fmt: skip
    assert [one.line for one in config(pieces).values][:2] == [2, 3]
    assert not Path("harmed").exists()


def test_secrets_are_hidden(tmp_path: Path) -> None:
    keys = ("api_key", "WANDB_API_KEY", "hf.token", "password", "aws_secret_access_key")
    kept = ("lr", "max_tokens", "tokenizer", "pad_token_id", "key")
    found = values(read(json_config, json.dumps(dict.fromkeys([*keys, *kept], "abc")), tmp_path))
    assert {key for key, text in found.items() if text == "(hidden)"} == set(keys)


BOMBS = {
    "deep lists": "[" * 100_000,
    "deep objects": '{"a": ' * 100_000,
    "deep yaml": "".join(" " * n + "a:\n" for n in range(3000)),
    "deep items": "- " * 50_000,
    "deep flow": "a: " + "{b: " * 20_000,
    "long line": "a: " + "x" * 900_000,
    "blanks": "a" + " " * 900_000 + ":",
    "open flow": "a: [\n" + "1,\n" * 300_000,
    "toml": "a = " + "[" * 90_000,
    "toml tables": "".join(f"[a{n}]\nb={n}\n" for n in range(9000)),
    "minus": "Namespace(a=" + "-" * 1900 + "1)",
    "brackets": "Namespace(" + "a=(" * 80_000,
    "quotes": '{"a": "' + '\\"' * 400_000,
    "aliases": "a: &a [x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(3000)),
    "digits": '{"a": ' + "9" * 100_000 + "}",
    "many": json.dumps({f"k{n}": n for n in range(60_000)}),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_survived(name: str, tmp_path: Path) -> None:
    for one in (json_config, yaml_config, toml_config, arguments):
        for piece in read(one, BOMBS[name], tmp_path):
            assert isinstance(piece, (Flaw, Reading))
            if isinstance(piece, Reading) and isinstance(piece.fact, Config):
                assert len(piece.fact.values) <= 2000


EXAMPLES = [(json_config, JSON), (yaml_config, YAML), (toml_config, TOML), (arguments, TEXT)]


@pytest.mark.parametrize(("one", "text"), EXAMPLES, ids=lambda held: getattr(held, "id", ""))
def test_any_damage_is_survived(one: Reader, text: str, tmp_path: Path) -> None:
    for bad in (*mutated(text.encode(), 300), *(text[:cut].encode() for cut in range(len(text)))):
        for piece in read(one, bad, tmp_path):
            assert isinstance(piece, (Flaw, Reading))
