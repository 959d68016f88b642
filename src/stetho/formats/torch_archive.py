"""A torch checkpoint: a zip whose pickle names the tensors, and one file for the numbers of each storage."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stetho.formats.drawn_pickle import Call, Drawn, Name, NotDrawn, Persistent, drawn
from stetho.formats.weights import SIZES, Tensor

LARGEST_PICKLE = 256 << 20
# Bytes whose checksum is compared; what lies beyond is only measured.
CHECKED = 512 << 20
PART = 8 << 20
MOST_TENSORS, DEEPEST = 100_000, 24
# Names that torch's own checkpoints are made of.
USUAL = ("torch", "collections", "numpy", "_codecs", "builtins", "__builtin__", "copyreg", "copy_reg", "argparse")


class Damaged(Exception):
    """The archive is not what its directory says."""

    def __init__(self, state: str, detail: str) -> None:
        super().__init__(detail)
        self.state, self.detail = state, detail


@dataclass(frozen=True)
class Archive:
    """What a whole checkpoint holds."""

    tensors: tuple[Tensor, ...]
    names: tuple[str, ...]
    unchecked: int
    """Bytes whose checksum was not compared."""


def opened(path: Path) -> Archive:
    """The checkpoint at a path; raises Damaged with what is wrong. Nothing in it is run."""
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        # The directory of a zip is its end: a file that was cut off has none.
        raise Damaged("truncated", f"its end is missing: {error}") from error
    except (OSError, ValueError, NotImplementedError, EOFError) as error:
        raise Damaged("damaged", f"{type(error).__name__}: {error}") from error
    with archive:
        entries = {info.filename: info for info in archive.infolist()}
        pickled = next((name for name in entries if name.endswith("data.pkl")), None)
        if pickled is None:
            raise Damaged("damaged", "it has no data.pkl, which says what is in it")
        unchecked = check_sums(archive, path)
        if entries[pickled].file_size > LARGEST_PICKLE:
            raise Damaged("damaged", "its data.pkl is larger than any checkpoint's")
        try:
            whole = drawn(archive.read(pickled))
        except (NotDrawn, zipfile.BadZipFile, zlib.error, OSError, RuntimeError, NotImplementedError) as error:
            raise Damaged("damaged", f"its data.pkl: {error}") from error
        prefix = pickled[: -len("data.pkl")]
        tensors = tuple(placed(path, entries, prefix, whole))
        return Archive(tensors, tuple(strangers(whole)), unchecked)


def check_sums(archive: zipfile.ZipFile, path: Path) -> int:
    """Compare the checksums of what is stored as it is; the bytes that were left out, because there are too many."""
    left, budget = 0, CHECKED
    with path.open("rb") as handle:
        for info in archive.infolist():
            begin = data_offset(handle, info)
            if begin is None or begin + info.compress_size > path.stat().st_size:
                raise Damaged("damaged", f"{info.filename} lies beyond the end of the file")
            if info.compress_type != zipfile.ZIP_STORED:
                left += info.file_size
                continue
            if info.file_size > budget:
                left += info.file_size
                continue
            budget -= info.file_size
            handle.seek(begin)
            found, remaining = 0, info.file_size
            while remaining and (part := handle.read(min(PART, remaining))):
                found, remaining = zlib.crc32(part, found), remaining - len(part)
            if found != info.CRC:
                raise Damaged("damaged", f"the checksum of {info.filename} is wrong")
    return left


def data_offset(handle: Any, info: zipfile.ZipInfo) -> int | None:
    """Where the bytes of an entry begin: after its own header, whose length only that header knows."""
    handle.seek(info.header_offset)
    header = handle.read(30)
    if len(header) < 30 or header[:4] != b"PK\x03\x04":
        return None
    return info.header_offset + 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")


def placed(path: Path, entries: dict[str, zipfile.ZipInfo], prefix: str, whole: Any) -> Iterator[Tensor]:
    """The tensors with the place of their numbers; a storage that is missing or too short is damage."""
    with path.open("rb") as handle:
        for name, kind, key, elements, dimensions in tensors_in(whole):
            info = entries.get(f"{prefix}data/{key}")
            if info is None:
                raise Damaged("damaged", f"the numbers of {name} are missing")
            if kind in SIZES and info.file_size < SIZES[kind] * elements:
                raise Damaged("damaged", f"{name} has {info.file_size} bytes of {SIZES[kind] * elements}")
            begin = data_offset(handle, info)
            if info.compress_type == zipfile.ZIP_STORED and begin is not None:
                yield Tensor(name, kind, begin, info.file_size, dimensions)


def tensors_in(whole: Any) -> Iterator[tuple[str, str, str, int, int]]:
    """Every tensor below a drawn object by its keys: the kind, key and elements of its storage, and its dimensions."""
    for path, one in below(whole):
        if isinstance(one, Call) and str(one.what).startswith("torch._utils._rebuild_tensor"):
            stored = one.args[0] if isinstance(one.args, tuple) and one.args else None
            if isinstance(stored, Persistent) and isinstance(stored.id, tuple) and len(stored.id) >= 5:
                _, kind, key, _, elements = stored.id[:5]
                number = elements if isinstance(elements, int) else 0
                shape = one.args[2] if len(one.args) > 2 and isinstance(one.args[2], tuple) else ()
                yield path, kind.name if isinstance(kind, Name) else str(kind), str(key), number, len(shape)


def below(whole: Any) -> Iterator[tuple[str, Any]]:
    """Everything in a drawn object, each thing once, with the keys that lead to it."""
    seen: set[int] = set()
    ahead: list[tuple[str, Any, int]] = [("", whole, 0)]
    count = 0
    while ahead and count < MOST_TENSORS * 10:
        path, one, depth = ahead.pop()
        if isinstance(one, (str, bytes, int, float, type(None), Name)) or id(one) in seen or depth > DEEPEST:
            continue
        seen.add(id(one))
        count += 1
        yield path, one
        ahead.extend((f"{path}.{key}" if path and key else path or key, child, depth + 1)
                     for key, child in reversed(list(children(one))))  # fmt: skip


def children(one: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(one, Drawn):
        yield from ((str(key)[:200], value) for key, value in one.pairs)
    elif isinstance(one, (list, tuple)):
        yield from ((str(at), value) for at, value in enumerate(one))
    elif isinstance(one, Call):
        yield from ((str(key)[:200], value) for key, value in one.pairs)
        yield from (("", value) for value in (one.args, one.items, one.state))


def strangers(whole: Any) -> Iterator[str]:
    """Names outside torch's own world that loading would call; a checkpoint of weights alone has none."""
    known: dict[str, None] = {}
    for _, one in below(whole):
        if isinstance(one, Call) and isinstance(one.what, Name) and one.what.module.split(".")[0] not in USUAL:
            known[str(one.what)[:200]] = None
            if len(known) == 20:
                break
    yield from known
