import math
import sqlite3
import zlib
from base64 import b85decode
from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.facts import Config, ConfigValue, ReportedEnd
from stetho.formats import database, settings
from stetho.formats.rows import named
from stetho.formats.runs import Points, called
from stetho.reader import Example, Flaw, Piece, Reading, reader

OUTCOMES = {"FINISHED": "finished", "FAILED": "failed", "KILLED": "killed"}
RUNS = ("run_uuid", "name", "status", "start_time", "end_time", "lifecycle_stage")
METRICS = ("key", "value", "timestamp", "run_uuid", "step", "is_nan")
PARAMS = ("key", "value", "run_uuid")
# What MLflow writes for an infinite number, which not all databases can hold.
INFINITE = 1.7976931348623157e308
DATABASE = zlib.decompress(
    b85decode(
        "c-rk&!EVz)5Z$qpZqf=t6h$Fw536!WBB3g6g#_XNPV1BilR!w3da^dj23gonYp)}ELV*jP!Dk@x5pdxLxWJ7Amk189Yp1CrA<78>_0xD)`(`"
        "{lqtVXp!v}`N85xc|hjOxw6a;{76M_&*i4UVws59;afX+q=ZS)~6jp3VI<7i6ocOb1^2y62J2}$r@VhwOEUs9A3?TuX4(3*z6tA5JAq<wCU*"
        ">YI_uSiIOb9VM~S=y85UxhaaKEiu3CHQx6S;Ymc<RD{@eE-?!?;$R}qCNGJf(sd;$x6-2YuZza5ZY!#+gsDf0e&ay4^wfmuOUdoThS_}@eL+"
        "J6&F`m;l&kBdp2_z_pH7@n^HR+UF+(ktJMvi%t%sMf5MK}$s?_^b4Tk`wyxExq}A?{*1lm}C1Yv_j5Lh4){U{;a+uGlb4cpVy=E(>S|-E`Tr"
        "&u)!QAEcR@|e{+5ER%y`k+JT~e-<V-}Wgy3{50cH7Xk)=!P9lRd!2LIIv1g^7wiefcR1DN2S^&WOjQ4qM1xhDdqf&&eAR<#AKyJ&Rpt%G|*M"
        "MQm%x`p12nnZo{Y%&qi#ztg;@bq>f~{opjHYPGB^6>k;*S?+*6^^a`vwlitKN8#F(DVUpblyA9=tZ{Vze?dYLoDZx(DwogMUTtGD>i+;^BqY"
        "Hf!vv>ru~dSI6*inh>QTp!#-)X(6LG)QR!@}IYqbUKFFRKC2aT-h#Q"
    )
)


def _sure(artifact: Artifact) -> float:
    found = database.tables(artifact)
    return 0.95 if {"key", "run_uuid"} <= set(found.get("metrics", ())) and "runs" in found else 0.0


def outcome(status: str) -> str:
    """How a run ended, by MLflow's word for it; one that is still said to run has no end."""
    return OUTCOMES.get(status, "open")


def seconds(milliseconds: object) -> float | None:
    usable = isinstance(milliseconds, (int, float)) and 0 < milliseconds < 1e15
    return float(milliseconds) / 1000 if usable else None  # type: ignore[arg-type]


def ending(status: str, start: object, end: object, run: str) -> Reading:
    """What MLflow says of a run's end."""
    found = outcome(status)
    words = f"MLflow says {status or 'nothing'}" + (": it died, or was still going on" if found == "open" else "")
    fact = ReportedEnd("MLflow", found, status, started=seconds(start), ended=seconds(end))
    return Reading(fact, f"run {run}: {words}" if run else words, run=run)


@reader(
    gives=(ReportedEnd, Config),
    recognises=_sure,
    examples={
        "a run that failed": Example(
            DATABASE,
            series={"loss": [1.5, float("nan"), float("inf")]},
            facts=(
                Config("MLflow", (ConfigValue("lr", "0.1", 0.1),), 1),
                ReportedEnd("MLflow", "failed", "FAILED", started=1.0, ended=5.0),
            ),
        ),
    },
)
def mlflow(artifact: Artifact) -> Iterator[Piece]:
    """The database in which MLflow keeps its runs, when it is a file of SQLite.

    ## What it reads
    For every run that was not deleted: all points of its metrics with their steps and times, its parameters, and its
    status: a run that is said to be running has died or is still going on. What a writer that died has left beside the
    file is taken into account. Nothing is changed, no program within the file runs, and time and memory are bounded.

    ## What it leaves
    Tags, inputs, models and traces.
    """
    points = Points(artifact.name)
    runs: dict[str, tuple[str, str, object, object]] = {}
    params: dict[str, list[settings.Placed]] = {}
    most = artifact.size // 4
    try:
        with database.opened(artifact) as connection:
            known = database.columns_of(connection)
            for _, id, name, status, start, end, stage in database.rows(connection, known, "runs", RUNS, most):
                if isinstance(id, str) and stage != "deleted":
                    runs[id] = named(str(name or "")), named(str(status or "")), start, end
            for _, key, value, run in database.rows(connection, known, "params", PARAMS, most):
                if run in runs and isinstance(key, str):
                    params.setdefault(str(run), []).append((key, value, None))
            for at, key, value, time, run, step, is_nan in database.rows(connection, known, "metrics", METRICS, most):
                if run in runs and isinstance(key, str) and isinstance(value, (int, float)) and isinstance(at, int):
                    number = math.nan if is_nan else math.copysign(math.inf, value) if abs(value) >= INFINITE else value
                    points.add(str(run), named(key), number, step, seconds(time) or math.nan, at)
    except (sqlite3.Error, OSError, ValueError) as error:
        yield Flaw(database.reason(error))
    names = called({id: name for id, (name, *_) in runs.items()})
    yield from points.series(names)
    for id, (_, status, start, end) in runs.items():
        found = settings.reading("MLflow", params.get(id, ()), names[id])
        if found is not None:
            yield found
        yield ending(status, start, end, names[id])
