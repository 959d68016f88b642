"""What two runs were given: environment, packages, command, configuration and data files."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence

import tomllib

from stetho.evidence import Place
from stetho.facts import DataFiles, PathPart
from stetho.formats import json_places, plain_yaml, settings
from stetho.redaction import redact
from stetho.regression import arguments
from stetho.regression.pieces import kind_of
from stetho.regression.reference import Reference, on_disk
from stetho.regression.track import Track
from stetho.snapshot import packages, variables

SHOWN = 3


def environment(reference: Reference, good: Track, bad: Track, command: Sequence[str]) -> PathPart:
    """Interpreter, torch, threads, ranks, devices; of a case also packages and variables."""
    one, two = dict(good.surroundings), dict(bad.surroundings)
    known_in_both = [key for key in one if one[key] and two[key]]
    differ = [f"{key} {_told(one[key])} → {_told(two[key])}" for key in known_in_both if one[key] != two[key]]
    known = reference.snapshot
    if known is not None:
        for ours, now in ((known.packages, packages(command[0])), (known.variables, variables())):
            differ += [f"{key} {ours.get(key, 'none')} → {now.get(key, 'none')}" for key in _apart(ours, now)]
    if differ:
        return PathPart("environment", "differs", _few(differ))
    silent = reference.case is not None and known is None
    return PathPart("environment", "unknown" if silent else "same", "packages were not recorded" if silent else "")


def command_line(reference: Reference, command: Sequence[str]) -> PathPart:
    found = [
        f"{shlex.join(one.then) or 'none'} → {shlex.join(one.now) or 'none'}"
        for one in arguments.between(command, reference.command)
    ]
    return PathPart("command line", "differs" if found else "same", redact(_few(found)))


def config_keys(reference: Reference, cwd: str) -> PathPart:
    """The keys of configurations that were others; of files that cannot be read as keys, their names."""
    found: list[tuple[str, Place]] = []
    for path, then in sorted(reference.files.items()):
        if kind_of(path) != "config":
            continue
        name, now = os.path.relpath(path, cwd), on_disk(path)
        ours, theirs = keys_of(path, then), keys_of(path, now)
        if not ours or not theirs:
            found.append(
                (f"{name} {'is new' if then is None else 'is gone' if now is None else 'differs'}", Place(name))
            )
            continue
        for key in _apart({k: v for k, (v, _) in ours.items()}, {k: v for k, (v, _) in theirs.items()}):
            old, new = ours.get(key, ("none", None)), theirs.get(key, ("none", None))
            found.append((f"{key} {old[0]} → {new[0]}", Place(name, new[1])))
    if found:
        return PathPart("config keys", "differs", redact(_few([words for words, _ in found])), where=found[0][1])
    return _unless_kept(reference, "config keys")


def data_files(reference: Reference, cwd: str, then: DataFiles | None, now: DataFiles | None) -> PathPart:
    """Files of data that a run has read and that were others; of a case, those that both have read, by their sizes."""
    read = {one.file for side in (then, now) if side is not None for one in side.files}
    others = [os.path.relpath(path, cwd) for path in sorted(reference.files) if kind_of(path) == "data"]
    found = [name for name in (*others, *reference.untouched) if name in read]
    if then is not None and now is not None and reference.case is not None:
        sizes = {one.file: one.size for one in then.files if not one.written}
        resized = [one for one in now.files if one.file in sizes and sizes[one.file] != one.size]
        found += [f"{one.file} {sizes[one.file]} → {one.size} bytes" for one in resized if one.file not in found]
    if found:
        return PathPart("data files", "differs", _few(found), where=Place(found[0].split(" ")[0]))
    return PathPart("data files", "same")


def _unless_kept(reference: Reference, part: str) -> PathPart:
    silent = reference.case is not None and (reference.snapshot is None or not reference.snapshot.files)
    return PathPart(part, "unknown" if silent else "same", "the case does not hold them" if silent else "")


def keys_of(path: str, data: bytes | None) -> dict[str, tuple[str, int | None]]:
    """The keys of a configuration with their values and lines; none where it cannot be read as one."""
    if data is None:
        return {}
    text = data.decode("utf-8", "replace")
    found: list[settings.Placed] = []
    try:
        found.extend(_placed(path, text))
    except (ValueError, RecursionError, json_places.Ended, plain_yaml.NotPlain):
        return {}
    return {key: (settings.text_of(value), line) for key, value, line in found}


def _placed(path: str, text: str) -> Iterator[settings.Placed]:
    suffix = os.path.splitext(path)[1].lower()
    if suffix == ".json":
        yield from json_places.placed(text)
    elif suffix in (".yaml", ".yml"):
        yield from plain_yaml.placed(plain_yaml.read(text))
    elif suffix == ".toml":
        yield from settings.flat("", tomllib.loads(text))


def _apart(one: Mapping[str, str], two: Mapping[str, str]) -> list[str]:
    return [key for key in sorted({*one, *two}) if one.get(key) != two.get(key)]


def _told(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _few(words: Sequence[str]) -> str:
    return ", ".join(words[:SHOWN]) + (f" and {len(words) - SHOWN} more" if len(words) > SHOWN else "")
