"""A bundle made: everything is read as `stetho why` reads it, secrets go, and what is left fits a size."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from stetho import __version__, amounts, codec
from stetho.bundles import archive
from stetho.bundles.cover import Cover, inside_keys, users_of
from stetho.bundles.excerpts import Excerpt, excerpt, key_lines
from stetho.bundles.manifest import (
    FACTS,
    FILES,
    MANIFEST,
    PROBED,
    READINGS,
    SCHEMA,
    Manifest,
    Member,
    Original,
    StoredArtifact,
)
from stetho.bundles.originals import inside, originals
from stetho.bundles.stored import fact_lines, lines_of, numbers_in
from stetho.catalogue import Catalogue, load
from stetho.errors import BadRequest
from stetho.here import known_here
from stetho.logged.runs import runs_in
from stetho.logged.walk import Left, read_all
from stetho.probing import Report
from stetho.render.document import readable_document

SIZE, SMALLEST = 20 << 20, 64 << 10
# The most points that are kept of one series, tried in turn until what was read takes a fair share of the size.
POINTS = (None, 65_536, 16_384, 4_096, 1_024, 256, 64)
SHARE = 0.8
# Numbers that series may have together before any is written as text.
MOST_NUMBERS = 8_000_000
# Text that is tried to be put into what is left, in bytes for each byte of room; logs shrink to a fifth or less.
TRIES = (8.0, 4.0, 2.0, 1.0, 0.3, 0.0)
MOST_OF_ONE = 8 << 20
MOST_TEXT = 64 << 20
EXISTS = "'{}' exists already; name another file with -o, or give --force to replace it"


@dataclass(frozen=True)
class Made:
    """A bundle that was written."""

    path: Path
    size: int
    manifest: Manifest


def write(
    folder: Path,
    output: Path,
    catalogue: Catalogue,
    report: Report | None = None,
    *,
    size: int = SIZE,
    hide_users: bool = False,
    force: bool = False,
    progress: Callable[[str], None] = lambda line: None,
) -> Made:
    """Bundle what a run left; the file appears whole or not at all."""
    if not folder.is_dir():
        raise BadRequest(f"there is no directory '{folder}'")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise BadRequest(f"'{folder}' cannot be read: permission denied")
    refuse(output, size, force)
    left = read_all(folder, catalogue, progress, lambda artifact: inside(folder, artifact))
    if not left:
        raise BadRequest(f"'{folder}' holds nothing that a reader knows, so there is nothing to bundle")
    progress("looking for secrets")
    texts = [one.artifact for one in left if is_text(one)]
    keys = inside_keys(line for one in texts for line in key_lines(one))
    cover = Cover(users_of(folder) if hide_users else None, keys)
    found = [_covered(one, cover) for one in originals(folder, lambda path: _same(path, output), progress)]
    plain = Manifest(SCHEMA, __version__, cover.path(str(folder)), hide_users, None, (), (), tuple(found))
    seen = [] if report is None else [(PROBED, _json(cover.json(readable_document(codec.encode(report)))))]
    manifest, packed = fitted(folder, left, replace(plain, left_out=_left_out(found)), seen, cover, size, progress)
    place(packed, output, force)
    return Made(output, len(packed), manifest)


def refuse(output: Path, size: int, force: bool) -> None:
    """Mistakes that can be told before anything is looked at."""
    if size < SMALLEST:
        raise BadRequest(f"a bundle needs at least {amounts.size(SMALLEST)}, not {amounts.size(size)}")
    if output.is_dir():
        raise BadRequest(f"'{output}' is a directory; name the file to write")
    if output.exists() and not output.is_file():
        raise BadRequest(f"'{output}' is no ordinary file; name another with -o")
    if os.path.lexists(output) and not force:
        raise BadRequest(EXISTS.format(output))
    above = output.absolute().parent
    if not above.is_dir():
        raise BadRequest(f"there is no directory '{above}' to write '{output.name}' in")
    if not os.access(above, os.W_OK | os.X_OK):
        raise BadRequest(f"'{output}' cannot be written: permission denied")


def fitted(
    folder: Path,
    left: Sequence[Left],
    manifest: Manifest,
    seen: list[tuple[str, bytes]],
    cover: Cover,
    size: int,
    progress: Callable[[str], None],
) -> tuple[Manifest, bytes]:
    """The archive, with as much of what was read as fits, then as much of the texts."""
    points, read = _readings(folder, left, cover, size, progress)
    kept = [*seen, *read]
    room = size - _weight(kept)
    before = -1
    for share in TRIES:
        allowed = max(0, min(int(room * share), MOST_TEXT))
        if allowed == before:
            continue
        before = allowed
        progress("packing")
        texts = _texts(left, cover, allowed)
        whole = _described(replace(manifest, points=points), left, cover, texts, kept)
        members = [(MANIFEST, _json(codec.encode(whole))), *kept, *_files(texts)]
        packed = _packed(sorted(members, key=lambda pair: (pair[0] != MANIFEST, pair[0])), size)
        if packed is not None:
            return whole, packed
    raise BadRequest(f"what was read of '{folder}' does not fit into {amounts.size(size)}; allow more with --size")


def _readings(
    folder: Path, left: Sequence[Left], cover: Cover, size: int, progress: Callable[[str], None]
) -> tuple[int | None, list[tuple[str, bytes]]]:
    """What was read, with as many points of each series as take a fair share of the size, and how many these are."""
    facts: list[tuple[str, bytes]] = []
    for points in POINTS:
        if points != POINTS[-1] and sum(numbers_in(one.pieces, points) for one in left) > MOST_NUMBERS:
            continue
        if not facts:
            # What a reader elsewhere could not work out any more: from points and heads of files that are left out.
            progress("working out what is known")
            said = [(run.name, one) for run in runs_in(folder, left) for one in known_here(load(), run).facts]
            facts = [(FACTS, fact_lines(said, cover))]
        progress("writing down what was read" + (f", {points} points of each series" if points else ""))
        read = [(_member(READINGS, at, "jsonl"), lines_of(one.pieces, cover, points)) for at, one in enumerate(left)]
        if _weight([*read, *facts]) <= size * SHARE:
            break
    return points, [*read, *facts]


def _weight(members: Sequence[tuple[str, bytes]]) -> int:
    """About what members take once they are packed, and rather more."""
    return sum(len(zlib.compress(data, 1)) for _, data in members)


def _texts(left: Sequence[Left], cover: Cover, allowed: int) -> list[Excerpt | None]:
    """The texts, short ones whole, of long ones an equal share of what is allowed."""
    sizes = sorted(one.artifact.size for one in left if is_text(one))
    share = float(MOST_OF_ONE)
    for number, size in enumerate(sizes):
        even = allowed / (len(sizes) - number)
        if size > even:
            share = min(even, MOST_OF_ONE)
            break
        allowed -= size
    if share < 1000:
        return [None for _ in left]
    return [excerpt(one.artifact, one.pieces, cover, int(share)) if is_text(one) else None for one in left]


def is_text(left: Left) -> bool:
    return not left.artifact.folder and left.artifact.is_text


def _described(
    manifest: Manifest,
    left: Sequence[Left],
    cover: Cover,
    texts: Sequence[Excerpt | None],
    kept: Sequence[tuple[str, bytes]],
) -> Manifest:
    artifacts = []
    for at, (one, text) in enumerate(zip(left, texts, strict=True)):
        known, name = one.artifact, _member(FILES, at, "txt")
        cut = "all of it" if text is None else text.cut
        if text is None and not is_text(one):
            cut = "all of it: it is not text, and what was read of it is in the readings"
        artifacts.append(
            StoredArtifact(
                cover.path(known.name), cover.path(str(known.path)), known.size, known.modified, known.folder,
                one.reader, _member(READINGS, at, "jsonl"), "" if text is None else name, cut,
            )
        )  # fmt: skip
    members = [Member(name, len(data), _sha256(data)) for name, data in sorted([*kept, *_files(texts)])]
    return replace(manifest, artifacts=tuple(artifacts), members=tuple(members))


def _files(texts: Sequence[Excerpt | None]) -> list[tuple[str, bytes]]:
    return [(_member(FILES, at, "txt"), text.text) for at, text in enumerate(texts) if text is not None]


def _packed(members: Sequence[tuple[str, bytes]], size: int) -> bytes | None:
    with tempfile.TemporaryFile() as handle:
        try:
            archive.write(handle, members, size)
        except archive.TooLarge:
            return None
        handle.seek(0)
        return handle.read()


def place(packed: bytes, output: Path, force: bool) -> None:
    """The archive under its name, at once and readable by its owner only."""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{output.name}.", dir=output.absolute().parent)
        try:
            with open(handle, "wb") as file:
                file.write(packed)
                file.flush()
                os.fsync(file.fileno())
            if not force:
                # Refuses where another program has made the file meanwhile.
                os.close(os.open(output, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            os.replace(name, output)
        except BaseException:
            os.unlink(name)
            raise
    except FileExistsError:
        raise BadRequest(EXISTS.format(output)) from None
    except OSError as error:
        raise BadRequest(f"'{output}' cannot be written: {error.strerror or error}") from error


def _left_out(found: Sequence[Original]) -> tuple[str, ...]:
    return tuple(f"{one.path}: {one.note}" for one in found if one.note)


def _covered(one: Original, cover: Cover) -> Original:
    return replace(one, path=cover.path(one.path))


def _same(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:
        return False


def _member(folder: str, number: int, ending: str) -> str:
    return f"{folder}/{number:05d}.{ending}"


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=True, allow_nan=False, indent=1) + "\n").encode("ascii")


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
