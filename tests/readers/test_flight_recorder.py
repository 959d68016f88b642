"""Dumps of the flight recorder, and pickles in general, of which nothing is ever run."""

from __future__ import annotations

import os
import pickle
import pickletools
import random
import subprocess
from base64 import b85decode
from pathlib import Path

import pytest
from tests.readers.reading import at, flaws, mutated, read

from stetho.facts import Collectives
from stetho.formats import plain_pickle
from stetho.reader import Flaw, Reading
from stetho.readers.flight_recorder import DUMP, flight_recorder

# Made by torch 2.13 with one rank of gloo, two all_reduce calls.
REAL = b85decode(
    "fC7CeSO)+A0Cr_^b7^mGaR68Z0000oE-^510aytD003}jUt@1>W@%?}0(~f000000aRYrQSOfq70B&JzWpM;(16TwA003lVb7OG@XaiUU0001T"
    "VQy=4aRyie00016FkNv6b#+(}0001EZ*6T~Y-wU&c4cyNX>V?E2xtRX2><{9aA#k0bYXOLb8!iMC|Cgi001y?3VkS87ytkOY+-YBUuAA_b!ByB"
    "WM5-%Y;0v?bZK^FaSKZVSQh{Q0Bm7%bYF9HVRCe3WM5-%Y;0v?bZK^FaSTfT|NsA382|tPY+-YBUt@1=aBO9CWn^DtZ)|L3V{~bDWpNEl0(Es*"
    "2LJ#7Wo~qGX=QV94qYgHC|Cvn003rkVQpn|aSvT6eJE%ISPB3D0AXxwUvgz+bz^055LgHR003rbY-Mg?ZDny0SW^H105527ZDlWYb7gWbE_P*Z"
    "b}wvcVlQxcbZBpGGcGYPFLP;hWi4=FV{2h&WpgidZ*pU3FJx(RbaH88b#!H9FJx(RbaH88b#!H9Ut=*aWG--daS~Vr0001NX>Mh46HToQb#WAZ"
    "C};#&2LJ#7cXDBHaAk6F6=)GyP5=M^FKBOVWiNGeWpXbrc4cmMFKlUIFK~HuXm4&aE-^7Lb7^#CEpTCDYhh<)b1!sna${&OWNCABa%p09bY)~O"
    "V=*vfUu<t@XJv9OaCvbSXcJ3Qb#WJcC};#&2mk;8JZ*1eb!=rmaTsV3SPuXI05527ZDlWYFKuCIZZ2?naT#b6O9gdt8f91s0001TWn*u0WM64y"
    "aT`kjSOow80B~ntX=HI6O8{660001Ra&Kd0b8}y3a&L8TaUEz1SPB3D0AyumVRdYDUvOt}9)?&80001VXmVv?WM6J!ZDnyESOx$90C0J9Xm4(D"
    "AXo_i004Aoa%Ev;Uuk4<Ay^Lp001#FIX5&nH#symG&49fFmWPS5dZ)HV{dG1Wn*+{c4c34WpQ6=WN{-)0aywE003|@a9?v}abIa<aU@FsSOow8"
    "0B>+#X=HIFO95C80001Ra&Km7Y-w(1Uv6P-WpO504*&oFXKZh8I$>;VUvgz+bz^05Cs+>v004ApZDn6$a%Ew3Wn^D&b8#q&2$KKZ{OgS97+4Dc"
    "003!jaCLNFb7^{Ib8#tMC|xK^1WN;DWmpUV003!jaCLNFWOR9OWpi;VT_{)u0000+Y;R$7aVuq53;+NCZ*_EVb#z~IX?kUIaV%XZT_{TgO9N$P"
    "SPcLG0B?14aCLNFWOR9OWpi;YT_|WPWmp9O0047zVRU72E?5Zw0047iXk}z|Y-MC|FIXA?004ApZDn6%X>((5c4cy9WM6Z1VRCe3WM6J`aWGC;"
    "8~^|SbZKp6Uu0=>V{dk4a%E&+V{dJ6Y-Mz1WM6J`aWPI<2LJ#7a%FUBa%E(3GKg3T0001VX>Db1b#z~Cb8$0DKzADeSOx$90BLhya58XlG>LV6"
    "C}<B|C}<RD7ibz~Xd6obXdFubXdP$@XdZ@WA7~(GA!s6KBTE8kBufBjB})QmCTJ&UD2fO%ME3majOZ9>DP1UCC`$xO17&4sDqSdOD`jXbT_{~B"
    "O9V>;Wo2kBT_|WPWoRyFFK94MXfaM`GKgq1N<eoT0BAIcb!ByNH7)"
)


def random_data(rng: random.Random, depth: int = 0) -> object:
    kind = rng.randrange(12 if depth < 4 else 8)
    plain = [
        None,
        True,
        rng.randrange(300),
        -rng.randrange(10**12),
        rng.random(),
        "text ä" * rng.randrange(60),
        b"x",
        10**30,
    ]
    if kind < 8:
        return plain[kind]
    items = [random_data(rng, depth + 1) for _ in range(rng.randrange(6))]
    if kind < 10:
        return items if kind == 8 else tuple(items)
    return {rng.choice(["a", 1, "key"]): item for item in items}


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_plain_data_is_read_as_pickle_reads_it(protocol: int) -> None:
    rng = random.Random(protocol)
    for _ in range(300):
        data = [random_data(rng), random_data(rng)]
        if protocol == 2:
            data = [item for item in data if b"_codecs" not in pickle.dumps(item, 2)]
        assert plain_pickle.loads(pickle.dumps(data, protocol)) == data


def test_every_operation_that_imports_or_calls_is_refused() -> None:
    refused = set()
    for operation in pickletools.opcodes:
        code = operation.code.encode("latin-1")
        try:
            plain_pickle.loads(b"\x80\x04]}(" + code + b"os\nsystem\n" + bytes(20) + b".")
        except plain_pickle.Refused as error:
            if "none of plain data" in str(error):
                refused.add(operation.name)
    dangerous = {
        "GLOBAL", "STACK_GLOBAL", "REDUCE", "BUILD", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "EXT1", "EXT2", "EXT4",
        "PERSID", "BINPERSID", "NEXT_BUFFER", "READONLY_BUFFER",
    }  # fmt: skip
    assert dangerous <= refused


class Harm:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch harmed",)


def test_a_pickle_that_would_run_a_command_runs_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for data in (Harm(), {"entries": [Harm()], "pg_config": {}, "pg_status": {}}, subprocess.Popen):
        pieces = read(flight_recorder, pickle.dumps(data, 2), tmp_path)
        assert [type(piece) for piece in pieces] == [Flaw]
    assert not (tmp_path / "harmed").exists()


def test_bombs_are_refused_or_take_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    laughs = b"\x80\x02]q\x00" + b"".join(b"]q%c(h%ch%ch%ce" % (n, n - 1, n - 1, n - 1) for n in range(1, 100)) + b"."
    assert isinstance(plain_pickle.loads(laughs), list)
    own = b"\x80\x02]q\x00h\x00a."
    assert isinstance(plain_pickle.loads(own), list)
    # A key that holds itself many times over would be compared forever.
    pairs = b"\x80\x02)q\x00" + b"".join(b"h%ch%c\x86q%c" % (n - 1, n - 1, n) for n in range(1, 60)) + b"}h\x3bNs."
    for bomb in (
        pairs,
        b"\x80\x02" + b"]" * 2_000_000 + b".",
        b"\x80\x02\x8e" + b"\xff" * 8,
        b"\x80\x02T\xff\xff\xff\xff",
    ):
        with pytest.raises(plain_pickle.Refused):
            plain_pickle.loads(bomb)
    monkeypatch.setattr(plain_pickle, "MOST_OPERATIONS", 1000)
    with pytest.raises(plain_pickle.Refused):
        plain_pickle.loads(b"\x80\x02" + b"N0" * 1000 + b"N.")


def test_a_dump_that_torch_has_written(tmp_path: Path) -> None:
    (one,) = read(flight_recorder, REAL, tmp_path)
    assert flight_recorder.recognises(at(REAL, tmp_path)) > 0.9
    assert isinstance(one, Reading) and isinstance(one.fact, Collectives)
    fact = one.fact
    assert (fact.version, fact.entries, fact.completed, fact.open) == ("2.10", 2, 2, ())
    (last,) = fact.last
    assert (last.group, last.sequence, last.name, last.sizes) == ("0 default_pg", 2, "gloo:all_reduce", ((4, 3),))
    assert last.where is not None and last.where.file.endswith("main.py") and last.timeout == 1800.0
    assert [(one.enqueued, one.started, one.completed) for one in fact.groups] == [(2, None, 2)]


def test_the_rank_is_told_by_the_end_of_the_name(tmp_path: Path) -> None:
    from stetho.artifact import artifact_at

    for name, rank in (("nccl_trace_rank_17", 17), ("trace_3.pkl", 3), ("dump", None)):
        (tmp_path / name).write_bytes(DUMP)
        artifact = artifact_at(tmp_path / name, name)
        assert artifact is not None
        (one,) = flight_recorder.function(artifact)
        assert isinstance(one, Reading) and isinstance(one.fact, Collectives) and one.fact.rank == rank


def test_a_dump_in_json(tmp_path: Path) -> None:
    entry = '{"profiling_name": "x", "state": "started"}'
    text = f'{{"version": "2.10", "pg_config": {{}}, "pg_status": {{}}, "entries": [{entry}]}}'
    (one,) = read(flight_recorder, text, tmp_path)
    assert isinstance(one, Reading) and isinstance(one.fact, Collectives) and len(one.fact.open) == 1


def test_cut_off_anywhere_it_is_a_flaw(tmp_path: Path) -> None:
    for cut in range(1, len(DUMP)):
        assert len(flaws(read(flight_recorder, DUMP[:cut], tmp_path))) == 1


def test_any_damage_is_survived(tmp_path: Path) -> None:
    for bad in mutated(DUMP, 500):
        for piece in read(flight_recorder, bad, tmp_path):
            assert isinstance(piece, (Flaw, Reading))
