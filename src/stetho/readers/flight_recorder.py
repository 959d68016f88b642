import json
import re
from base64 import b85decode
from collections.abc import Iterator

from stetho.artifact import Artifact
from stetho.evidence import Place
from stetho.facts import Collective, Collectives, GroupProgress
from stetho.formats.plain_pickle import LARGEST, Refused, loads
from stetho.formats.rows import named
from stetho.reader import Example, Flaw, Piece, Reading, reader
from stetho.text.tracebacks import LIBRARY

KEYS = (b"pg_config", b"pg_status", b"collective_seq_id", b"profiling_name", b"nccl_version", b"comm_lib_version")
ENOUGH = 2
MOST_OPEN = 100
MOST_SIZES = 20
RANK = re.compile(r"(?:rank[_-]?|[^0-9])([0-9]{1,6})(?:\.\w+)?$")
DUMP = b85decode(
    "fC7DS04P`o0001XWpZ<AZ*Fk`SOfq705UEyFmVD{2><{9aA#j*Z*FF3XK@34aRgWi0001RXJ2!4VRUtKaRq&G23P?A001y?2Yqn}C|DQ(003-Z"
    "b97&2ZgF*Gb!B8<V{dG1Wn*+{c4cu1O9EII0001NVRLj}b97;HbY)~;V{dG1Wn*+{c4cu2O8@`=|5zCS003-Zb97&0Z*6dFWprg^Ut@1<Y-M9~"
    "X?A6C3rhiYb65ue003ofbaH8Bb8!q^aSbSaaSkY01^@s6W^!R|Wpi;4U2za7eQ^;eSOfq70B&JzWpNT%3IG5AVQg$)a%E(7V`Xs@SO@?B0A^`y"
    "Wo}_@WpNZ(8vp<RFL*C=X>?^RaA9L>VP|D?FLZBmV`wjAE^v8q6<7oS003-hZe?*6O9^#-aTh3P5?BEM003rj7-$q&3;+NCFKuNnbaG*7ZZ2?n"
    "aT#b9O9gdhSOow80B~ntX=HI4O8{660001Ra&Kd0b8}y3a&L8TaT{m{SPB3D0AyumVRdYDUvOt}9ENcnSP=jK0Ap`#Y-M9~X?A5_b7gT~X=HI8"
    "O95C40001RGH_pWWpQ6=WN{x$09XzH003}uZ)Rz1X>Mm<ZeeX@aUfU^0001PV`FSOVQg$)a%E(7V`Xt6SPuXI0CZ_>WnW`*Wnpw>WM6J`aUx0p"
    "lr?u)3jhEBX>M?JbYF96dS!EQBVBPMU2!ESO9V>;Wnowh0001KZg6#UUu1N7aAk9GCS7qSSOow807h(YVRUgQVORwK0047zVRU72DOd>r003ie"
    "ZE$R5bY*05Dp&^q0044jbZK&BWN|BqSPB3D0CZ_>Wp8zKUu|=7EKTSGSOx$90BLhya58XlEs1q~aV{um4_$FDD1C7-C}<LB6KE7@6=)Vq33YvO"
    "F(_yfXc%Y|Xc=f0O9gdhXc|iZXd7r9XdX)fXdg=eXdq}IXd+4glr?u~BVBPaU2!ugO9V>;WnpM0U2!yMC}C(RSO)+A0CRL<a&%>6aW!ZwiD)cM"
    "=mTgiiFIXlE&"
)
OPEN = Collective(
    "0 default_pg", 2, "nccl:all_reduce", "started", False, ((4, 3),), ("Float",), Place("/me/train.py", 5), 2.0, 1.0
)
# A pickle that would run a command, if anything ran it.
HARM = b"\x80\x02cposix\nsystem\nq\x00X\x04\x00\x00\x00trueq\x01\x85Rq\x02. entries pg_config pg_status"


def _sure(artifact: Artifact) -> float:
    """By how a pickle or a JSON document begins, and by the names of its members."""
    head = artifact.head
    if not (head[:1] == b"\x80" and head[1:2] in b"\2\3\4\5") and head.lstrip()[:1] != b"{":
        return 0.0
    return 0.95 if b"entries" in head and sum(key in head for key in KEYS) >= ENOUGH else 0.0


@reader(
    gives=(Collectives,),
    recognises=_sure,
    examples={
        "a call that never ended": Example(
            DUMP,
            facts=(
                Collectives("2.10", None, 2, 1, open=(OPEN,), last=(OPEN,), groups=(GroupProgress("0", 2, None, 1),)),
            ),
        ),
        "a dump that would do harm": Example(HARM, flaws=1),
        "cut off": Example(DUMP[:-9], flaws=1),
    },
)
def flight_recorder(artifact: Artifact) -> Iterator[Piece]:
    """The dump of a rank's flight recorder, in which PyTorch keeps its last collective calls.

    ## What it reads
    How many calls are on record, those that never ended, the last one of each process group with its shapes, types and
    the user's line, and how far each group says it came. The pickle is read by hand: nothing in it is imported or
    called. The rank is told by the number that ends the file's name, as the dump itself does not say it.

    ## What it leaves
    The stacks beyond the user's own line. A dump that holds anything but plain data is refused as a whole.
    """
    if artifact.size > LARGEST:
        yield Flaw(f"a dump of more than {LARGEST >> 20} MiB is not read")
        return
    data = artifact.part(0, LARGEST)
    if not data:
        return
    try:
        dump = loads(data) if data[:1] == b"\x80" else json.loads(data)
    except Refused as refused:
        yield Flaw(f"not read: {refused}", offset=refused.offset)
        return
    except (ValueError, RecursionError):
        yield Flaw("not read: damaged or cut off")
        return
    if not isinstance(dump, dict) or not isinstance(dump.get("entries", []), list):
        yield Flaw("a dump without entries")
        return
    yield _reading(dump, artifact.name)


def _reading(dump: dict[object, object], name: str) -> Reading:
    held = dump.get("entries")
    entries = [entry for entry in held if isinstance(entry, dict)] if isinstance(held, list) else []
    open_ = [entry for entry in entries if not _ended(entry)]
    last: dict[str, dict[object, object]] = {}
    for entry in entries:
        last[_group(entry)] = entry
    found = RANK.search(name)
    fact = Collectives(
        version=_text(dump.get("version")),
        rank=int(found[1]) if found else None,
        entries=len(entries),
        completed=len(entries) - len(open_),
        open=tuple(_collective(entry) for entry in open_[:MOST_OPEN]),
        last=tuple(_collective(entry) for entry in list(last.values())[:MOST_OPEN]),
        groups=_groups(dump.get("pg_status")),
    )
    words = f"{len(entries)} collective calls on record, {len(open_)} of them never ended"
    if fact.open:
        words += f"; the first of these is {fact.open[0].name} number {fact.open[0].sequence}"
    return Reading(fact, words)


def _ended(entry: dict[object, object]) -> bool:
    """Completed, or taken off the record of work to wait for, which some backends do without saying completed."""
    return entry.get("state") == "completed" or entry.get("retired") is True


def _collective(entry: dict[object, object]) -> Collective:
    p2p = entry.get("is_p2p") is True
    created, timeout = _whole(entry.get("time_created_ns")), _whole(entry.get("timeout_ms"))
    return Collective(
        group=_group(entry),
        sequence=_whole(entry.get("p2p_seq_id" if p2p else "collective_seq_id")),
        name=_text(entry.get("profiling_name")),
        state=_text(entry.get("state")),
        p2p=p2p,
        sizes=tuple(
            tuple(n for n in map(_whole, _list(size)) if n is not None) for size in _list(entry.get("input_sizes"))
        ),
        types=tuple(map(_text, _list(entry.get("input_dtypes")))),
        where=_where(_list(entry.get("frames"), 200)),
        created=None if created is None else created / 1e9,
        timeout=None if timeout is None else timeout / 1e3,
    )


def _where(frames: list[object]) -> Place | None:
    """The user's own line: frames are listed from the innermost on."""
    for frame in frames:
        if isinstance(frame, dict):
            file, line = frame.get("filename"), _whole(frame.get("line"))
            if isinstance(file, str) and line is not None and not LIBRARY.search(file):
                return Place(named(file), line)
    return None


def _group(entry: dict[object, object]) -> str:
    """The process group by its number and what it is for."""
    held = entry.get("process_group")
    if isinstance(held, (list, tuple)) and held:
        return " ".join(text for text in map(_text, held[:2]) if text)
    return _text(entry.get("pg_id"))


def _groups(status: object) -> tuple[GroupProgress, ...]:
    if not isinstance(status, dict):
        return ()
    found = []
    for key, held in list(status.items())[:MOST_OPEN]:
        if isinstance(held, dict):
            came = (_whole(held.get(f"last_{what}_collective")) for what in ("enqueued", "started", "completed"))
            # Minus one stands for none yet, and for a backend that does not tell.
            found.append(GroupProgress(_text(key), *(None if one is None or one < 0 else one for one in came)))
    return tuple(found)


def _list(value: object, most: int = MOST_SIZES) -> list[object]:
    return list(value[:most]) if isinstance(value, (list, tuple)) else []


def _text(value: object) -> str:
    return named(value) if isinstance(value, str) else str(value) if isinstance(value, (int, float)) else ""


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63 else None
