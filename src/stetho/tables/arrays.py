"""Arrays as numpy and safetensors keep them; nothing that would have to be unpickled is read."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from stetho.tables.table import Change, Column, Table

# Columns of one array that are told apart; a wider array is a picture or a signal, and is told as one.
WIDEST = 512
KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1", "U8": "|u1"}


def read(path: Path, content: bytes) -> Table | None:
    """A table of the arrays of a file that have a row for each sample; None for what holds no arrays."""
    import numpy as np

    if content.startswith(b"\x93NUMPY"):
        one = np.load(io.BytesIO(content), allow_pickle=False)
        return _table({"": one}, lambda arrays: _saved(np.save, arrays[""]))
    if content.startswith(b"PK") and zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if not archive.namelist() or not all(name.endswith(".npy") for name in archive.namelist()):
                return None
            packed = any(info.compress_type for info in archive.infolist())
        with np.load(io.BytesIO(content), allow_pickle=False) as found:
            # An array of objects is a pickle: it is left out, and the file cannot be written again.
            plain = {name: _plain(found, name) for name in found.files}
        arrays = {name: array for name, array in plain.items() if array is not None}
        save = np.savez_compressed if packed else np.savez
        return _table(arrays, lambda made: _saved(save, **made)) if len(arrays) == len(plain) else None
    return _safetensors(content)


def _plain(found: Any, name: str) -> Any:
    try:
        return found[name]
    except ValueError:
        return None


def _saved(save: Callable[..., None], *args: Any, **kwargs: Any) -> bytes:
    out = io.BytesIO()
    save(out, *args, **kwargs)
    return out.getvalue()


def _safetensors(content: bytes) -> Table | None:
    import numpy as np

    size = int.from_bytes(content[:8], "little")
    if not 2 <= size <= min(len(content) - 8, 2**20) or content[8:9] != b"{":
        return None
    header = json.loads(content[8 : 8 + size])
    arrays = {}
    for name, one in header.items():
        if name != "__metadata__" and one["dtype"] in KINDS:
            low, high = one["data_offsets"]
            raw = content[8 + size + low : 8 + size + high]
            arrays[name] = np.frombuffer(raw, KINDS[one["dtype"]]).reshape(one["shape"])

    def written(made: Mapping[str, Any]) -> bytes:
        whole = bytearray(content)
        for name, array in made.items():
            low, high = header[name]["data_offsets"]
            whole[8 + size + low : 8 + size + high] = array.tobytes()
        return bytes(whole)

    return _table(arrays, written, shrinks=False)


def _table(
    arrays: Mapping[str, Any], saved: Callable[[Mapping[str, Any]], bytes], *, shrinks: bool = True
) -> Table | None:
    rows = max((len(array) for array in arrays.values() if array.ndim), default=0)
    long = {name: array for name, array in arrays.items() if array.ndim and len(array) == rows}
    columns = tuple(column for name, array in long.items() for column in _columns(name, array))
    loose = {name: array.tolist() for name, array in arrays.items() if array.size <= 4096 and array.dtype.kind in "fiu"}
    if not arrays:
        return None

    def written(change: Change) -> bytes:
        made = {name: array.copy() for name, array in arrays.items()}
        for name, values in change.items():
            column = next(one for one in columns if one.name == name)
            array = made[column.key or ""]
            at = int(name.rpartition(", ")[2].rstrip("]")) if name.endswith("]") else None
            flat = array.reshape(len(array), -1)
            for row, value in values.items():
                flat[row, at or 0] = value
            made[column.key or ""] = flat.reshape(array.shape)
        return saved(made)

    def dropped(gone: Sequence[int]) -> bytes:
        import numpy as np

        return saved({name: np.delete(a, list(gone), axis=0) if name in long else a for name, a in arrays.items()})

    def arranged(order: Sequence[int]) -> bytes:
        return saved({name: array[list(order)] if name in long else array for name, array in arrays.items()})

    return Table(columns, rows, written, dropped if shrinks else None, arranged, None, loose, long)


def _columns(name: str, array: Any) -> Iterator[Column]:
    whole = array.dtype.kind in "iub"
    if array.dtype.kind in "US":
        yield (
            Column(name, name, None, [str(word) for word in array.reshape(-1)])
            if array.ndim == 1
            else Column(name, name, None, ())
        )
        return
    if array.dtype.kind not in "fiub":
        return
    flat = array.reshape(len(array), -1).astype("float64")
    if array.ndim == 1:
        yield Column(name, name, flat[:, 0], whole=whole)
    elif flat.shape[1] <= WIDEST:
        yield from (Column(f"{name}[:, {k}]", name, flat[:, k], whole=whole) for k in range(flat.shape[1]))
