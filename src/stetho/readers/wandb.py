import json
import re
from base64 import b85decode
from collections.abc import Iterator
from dataclasses import dataclass, field

from stetho.artifact import Artifact
from stetho.facts import Config, ConfigValue, ReportedEnd
from stetho.formats import settings, wire
from stetho.formats.block_log import records
from stetho.formats.columns import Columns
from stetho.formats.rows import named, numbers
from stetho.reader import Example, Flaw, Piece, Reading, reader

MAGIC = b":W&B\xe1\xbe\x00"
HISTORY, CONFIG, STATS, RUN, EXIT = 2, 5, 7, 17, 18
SYSTEM = "system/"
# Kinds of values that a row of the history may have beside JSON.
INTEGER, NUMBER, TEXT, JSON, VALUE_JSON = 5, 6, 7, 8, 16
# The bytes that begin a key, and those that begin a value in JSON.
KEY, NESTED_KEY, JSON_FOLLOWS = 0x0A, 0x12, b"\x82\x01"
PLAIN_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,4})?|NaN|-?Infinity")
MOST_KEYS = 10_000
RECORD = b85decode(
    "I#(t_;l2RcLdlsd00D{tDGCE&Vq+p53JMAWY;uAD128Tz3J(egVQ^_*Yh`(Y0Rtj)B8mY52xM_oK+Grr0TLz(3=#xvZ*y~k0Ru5EH3}3G3SV?-"
    "ZDn(GVQp}N0R=HIF)lC?0RQ2qWE21aIua5B2xb}#3Ik(sb%Fr|H83tPVc$cmDgXfzC<+V`1Z;0}bAkZ_FfKI;6cP$wbZKp6b97;CaDo8^F)%YO"
    "H4*{{0fA}V5eEPPk^uw=0T2Z"
)
UNENDED = RECORD[:-14]
CURVES = {"loss": [1.5, 0.5], "system/cpu": [50.0]}
SETTINGS = Config("W&B", (ConfigValue("lr", "0.1", 0.1), ConfigValue("api_key", "(hidden)")), 2)


@dataclass
class _Run:
    """What the records tell of the run."""

    history: Columns
    stats: Columns
    settings: dict[str, object] = field(default_factory=dict)
    id: str = ""
    started: float | None = None
    heard: float | None = None
    step: int | None = None
    code: int | None = None
    ended: bool = False
    keys: dict[bytes, str] = field(default_factory=dict)
    malformed: int = 0
    first_malformed: int = 0


@reader(
    gives=(ReportedEnd, Config),
    recognises=lambda artifact: 1.0 if artifact.head.startswith(MAGIC) else 0.0,
    examples={
        "a run that failed": Example(
            RECORD,
            series=CURVES,
            facts=(SETTINGS, ReportedEnd("W&B", "failed", code=1, step=1, started=100.0, ended=103.5)),
        ),
        "a run that died": Example(
            UNENDED, series=CURVES, facts=(SETTINGS, ReportedEnd("W&B", "open", step=1, started=100.0, ended=103.5))
        ),
        "cut off": Example(
            UNENDED[:-3],
            series={"loss": [1.5], "system/cpu": [50.0]},
            facts=(SETTINGS, ReportedEnd("W&B", "open", started=100.0, ended=102.0)),
            flaws=1,
        ),
        "nothing but its beginning": Example(MAGIC, facts=(ReportedEnd("W&B", "open"),)),
    },
)
def wandb(artifact: Artifact) -> Iterator[Piece]:
    """The file in which W&B keeps a run that is offline or not yet uploaded.

    ## What it reads
    Every number of the history at its step and time, those of the machine under `system/`, the settings of the run, and
    how it ended: without a record of its end, the program died, or was still going on.

    ## What it leaves
    Media, output lines and the summary, which repeats the history. What W&B had not yet written to the disk is lost
    with the program, and may be all but the file's first bytes.
    """
    run = _Run(Columns(artifact.name, "offset"), Columns(artifact.name, "offset"))
    try:
        with artifact.opened() as handle:
            for record in records(handle, len(MAGIC)) if artifact.head.startswith(MAGIC) else ():
                if isinstance(record, Flaw):
                    yield record
                    continue
                try:
                    _record(run, *record)
                except wire.Malformed:
                    run.first_malformed = run.first_malformed or record[0]
                    run.malformed += 1
    except OSError as error:
        yield Flaw(f"cannot be read: {error.strerror}")
    if run.malformed:
        yield Flaw(f"{run.malformed} records are not what W&B writes", offset=run.first_malformed)
    yield from run.history.series()
    yield from run.stats.series()
    found = settings.reading("W&B", settings.flat("", run.settings))
    if found is not None:
        yield found
    if artifact.head.startswith(MAGIC):
        yield _end(run)


def _end(run: _Run) -> Reading:
    if not run.ended:
        outcome, words = "open", "no record of an end: the program died, or was still going on"
    else:
        outcome, words = ("failed" if run.code else "finished"), f"the program ended with exit code {run.code}"
    code = run.code if run.ended else None
    end = ReportedEnd("W&B", outcome, code=code, step=run.step, started=run.started, ended=run.heard)
    return Reading(end, f"W&B: {words}")


def _record(run: _Run, offset: int, data: bytes) -> None:
    for name, kind, begin, end in wire.fields(data):
        if kind != wire.BYTES:
            continue
        if name == HISTORY:
            _history(run, offset, data, begin, end)
        elif name == STATS:
            _stats(run, offset, data, begin, end)
        elif name == CONFIG:
            _config(run, data, begin, end)
        elif name == RUN:
            _run(run, data, begin, end)
        elif name == EXIT:
            run.ended, run.code = True, 0
            for inner, shape, value, _ in wire.fields(data, begin, end):
                if (inner, shape) == (1, wire.VARINT):
                    run.code = wire.signed(value)


def _history(run: _Run, offset: int, data: bytes, begin: int, end: int) -> None:
    row: dict[str, object] = {}
    found: dict[str, float] = {}
    step: int | None = None
    for name, kind, first, last in wire.fields(data, begin, end):
        if (name, kind) == (1, wire.BYTES):
            plain = _plain(run.keys, data, first, last)
            if plain is not None:
                found[plain[0]] = plain[1]
                continue
            key, value = _item(data, first, last)
            row[key] = value
        elif (name, kind) == (2, wire.BYTES):
            step = next((v for n, k, v, _ in wire.fields(data, first, last) if (n, k) == (1, wire.VARINT)), 0)
    if row:
        found = numbers({**found, **row})
    if step is not None:
        found.setdefault("_step", float(wire.signed(step)))
    if "_step" in found and abs(found["_step"]) < 2**53:
        run.step = int(found["_step"])
    run.heard = found.get("_timestamp", run.heard)
    if "_timestamp" in found:
        found.pop("_runtime", None)
    run.history.row(offset, found)


def _plain(keys: dict[bytes, str], data: bytes, begin: int, end: int) -> tuple[str, float] | None:
    """The usual item, one key and one number, in one look; None for any other."""
    if end - begin < 6 or data[begin] not in (KEY, NESTED_KEY) or data[begin + 1] > 127:
        return None
    after = begin + 2 + data[begin + 1]
    if data[after : after + 2] != JSON_FOLLOWS or after + 3 >= end or data[after + 2] != end - after - 3:
        return None
    text = data[after + 3 : end]
    if PLAIN_NUMBER.fullmatch(text) is None:
        return None
    key = data[begin + 2 : after]
    name = keys.get(key)
    if name is None:
        name = key.decode("utf-8", "backslashreplace")
        if len(keys) >= MOST_KEYS:
            return None
        name = keys[key] = named(name)
    return name, float(text)


def _item(data: bytes, begin: int, end: int) -> tuple[str, object]:
    """A key, or keys within one another, and the value."""
    keys: list[str] = []
    value: object = None
    for name, kind, first, last in wire.fields(data, begin, end):
        if kind == wire.BYTES and name in (1, 2):
            keys.append(wire.text(data, first, last))
        elif kind == wire.BYTES and name in (JSON, VALUE_JSON):
            try:
                value = json.loads(wire.text(data, first, last))
            except (ValueError, RecursionError):
                value = None
        elif kind == wire.BYTES and name == TEXT:
            value = wire.text(data, first, last)
        elif kind == wire.VARINT and name == INTEGER:
            value = first >> 1 ^ -(first & 1)
        elif kind == wire.FIXED64 and name == NUMBER:
            value = wire.double(data, first)
    return named("/".join(keys)), value


def _stats(run: _Run, offset: int, data: bytes, begin: int, end: int) -> None:
    row: dict[str, object] = {}
    for name, kind, first, last in wire.fields(data, begin, end):
        if (name, kind) == (3, wire.BYTES):
            key, value = _item(data, first, last)
            row[SYSTEM + key] = value
        elif (name, kind) == (2, wire.BYTES):
            run.heard = row["_timestamp"] = _time(data, first, last)
    run.stats.row(offset, numbers(row))


def _config(run: _Run, data: bytes, begin: int, end: int) -> None:
    for name, kind, first, last in wire.fields(data, begin, end):
        if (name, kind) == (1, wire.BYTES):
            key, value = _item(data, first, last)
            if key != "_wandb":
                run.settings[key.replace("/", ".")] = value


def _run(run: _Run, data: bytes, begin: int, end: int) -> None:
    for name, kind, first, last in wire.fields(data, begin, end):
        if (name, kind) == (4, wire.BYTES):
            _config(run, data, first, last)
        elif (name, kind) == (17, wire.BYTES):
            run.started = _time(data, first, last)


def _time(data: bytes, begin: int, end: int) -> float:
    parts = {name: wire.signed(value) for name, kind, value, _ in wire.fields(data, begin, end) if kind == wire.VARINT}
    return parts.get(1, 0) + parts.get(2, 0) / 1e9
