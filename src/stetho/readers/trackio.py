import json
import math
import sqlite3
import zlib
from base64 import b85decode
from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.facts import Config, ConfigValue
from stetho.formats import database, settings
from stetho.formats.rows import named, number_in, numbers, time_in
from stetho.formats.runs import Points, called
from stetho.reader import Example, Flaw, Piece, reader

METRICS = ("run_id", "run_name", "timestamp", "step", "metrics")
CONFIGS = ("run_id", "run_name", "config")
SYSTEM = "system/"
DATABASE = zlib.decompress(
    b85decode(
        "c-rk(%Wl&^6rHitm=sk|b&*9jqim>^5ZSH@q8msn3q?)RHaHSlS&lueEcuam96?lNk$wdq!zTbM)`)-TvKy`+rLt+&1)`#rkH&N7-kCGDJU("
        "~E?~b~5NXfAuxJF2}5Qi{EZwNsMmEaQ475FrE35;$>3AIeT5)H-|kuM~s!2f|2ZY^3^Y$5ywe*#nBA3)&+wElXd^31g4S1+aKk_<(Yq@AcJj"
        "kpnh@K5W8Y1Vg$)Kaz=3YT(>@r@kcqo;MpXDlWG2gjU8*K*`PIWlmP_5Y6WIsOTzzyrW4&(|uZ?;YDGY@Or93Y)W#y1Gllz&6=q%-3+*=GWr"
        "f{1rhdaNi;0a+CmW%^Buo2J+vQT2ick4*ft_g6e5J%eRN~LJqldwb8(%&=@<EO&vJu=!{Nh)HCxgzc*0Zno6|xZdWC_&P~s7X%jqg*~3D$R>"
        "No0c+ONtso^qnq(QQ2Tcp$1)VJz@91c3Y_FzQz)e&hAwS!I{C_S~WHAyh@bQr0r?={jtfNR+8Hc4o^l!b;n$#txfm=HZzo&s8*{J!B;`0{Zw"
        "qs2u3pAnP-_YAv{+&AV=jB&E72k|*TZj!p|Thsv$g2tQ%(PqE3fVe(nG>E<#2zWEcS$s_NKSx-B>MpT-QA&ig7Yixfu2NIZ2q_Kzose!&3+O"
        "1BK0n?Js1Z_2hrgn%VwU^7P!&adc9dk5%-)*yO4*!}>AUl^aJ~M20TC=YC;"
    )
)


def _sure(artifact: Artifact) -> float:
    found = set(database.tables(artifact).get("metrics", ()))
    return 0.95 if {"run_name", "timestamp", "metrics"} <= found else 0.0


@reader(
    gives=(Config,),
    recognises=_sure,
    examples={
        "two runs": Example(
            DATABASE,
            series={"loss": [1.5, 0.5], "acc": [0.25], "system/cpu": [50.0]},
            facts=(Config("Trackio", (ConfigValue("lr", "0.1", 0.1), ConfigValue("model.layers", "3", 3.0)), 2),),
        ),
    },
)
def trackio(artifact: Artifact) -> Iterator[Piece]:
    """The database in which Trackio keeps the runs of a project.

    ## What it reads
    Every number that a run logged with its step and time, those of the machine under `system/`, and the settings of
    each run. What a writer that died has left beside the file is taken into account. Nothing is changed, no program
    within the file runs, and time and memory are bounded.

    ## What it leaves
    Media, traces and alerts. How a run ended: Trackio does not say.
    """
    points = Points(artifact.name)
    runs: dict[str, str] = {}
    configs: list[tuple[str, list[settings.Placed]]] = []
    most = artifact.size // 4
    try:
        with database.opened(artifact) as connection:
            known = database.columns_of(connection)
            for _, id, name, config in database.rows(connection, known, "configs", CONFIGS, most):
                run = _run(runs, id, name)
                given = {key: value for key, value in _object(config).items() if not key.startswith("_")}
                configs.append((run, list(settings.flat("", given))))
            for table, before in (("metrics", ""), ("system_metrics", SYSTEM)):
                for at, id, name, time, step, held in database.rows(connection, known, table, METRICS, most):
                    run, when = _run(runs, id, name), _time(time)
                    for key, value in numbers(_object(held)).items():
                        points.add(run, before + key, value, step, when, at if isinstance(at, int) else 0)
    except (sqlite3.Error, OSError, ValueError) as error:
        yield Flaw(database.reason(error))
    names = called(runs)
    yield from points.series(names)
    for run, placed in configs:
        found = settings.reading("Trackio", placed, names[run])
        if found is not None:
            yield found


def _run(runs: dict[str, str], id: object, name: object) -> str:
    """The id of a run; older versions tell runs apart by their names alone."""
    text = named(str(name or ""))
    known = named(str(id)) if id else text
    runs.setdefault(known, text)
    return known


def _object(held: object) -> dict[str, object]:
    try:
        found = json.loads(held) if isinstance(held, (str, bytes)) else None
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {}


def _time(held: object) -> float:
    if isinstance(held, str):
        found = time_in(held)
        found = number_in(held) if found is None else found
        return math.nan if found is None else found
    return float(held) if isinstance(held, (int, float)) else math.nan
