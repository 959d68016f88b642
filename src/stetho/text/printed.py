"""Settings that a log prints at its beginning: `Namespace(lr=0.001, …)`, `config: {'lr': 0.01}`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from stetho.formats import arguments, settings
from stetho.reader import Reading

FIRST, LONGEST_LINE = 32 * 1024, 16 * 1024
# What stands before the brackets says that these are settings; a line of measures has a dictionary, too.
_DICTIONARY = re.compile(
    r"(?i)(?:^|[^a-z0-9_])(?:hyper-?param(?:eter)?s|hparams|param(?:eter)?s|config(?:uration)?|args|arguments|settings"
    r"|options)[ :=]{1,3}(\{.{2,2000}\}) ?$"
)


def readings(head: bytes) -> Iterator[Reading]:
    """The settings in the first lines of a log, where it prints some."""
    placed = list(_settings(head[:FIRST].decode("utf-8", "replace")))
    found = settings.reading("printed", placed)
    if found is not None:
        yield found


def _settings(text: str) -> Iterator[settings.Placed]:
    called = False
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST_LINE:
            continue
        if not called and arguments.PRINTED.search(line):
            # A printed call may go on over several lines; it is taken apart from where it begins.
            called = True
            yield from arguments.placed("\n".join(text.splitlines()[number - 1 :]), number)
            continue
        found = _DICTIONARY.search(line)
        if found is not None:
            value = _dictionary(found[1])
            yield from settings.flat("", value, number) if isinstance(value, dict) else ()


def _dictionary(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return arguments.literal(text)
