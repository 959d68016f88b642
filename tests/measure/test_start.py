"""States that were loaded, and seeds."""

from __future__ import annotations

from pathlib import Path

from stetho import recording
from stetho.facts import Resumed, SavedStates, Seeds, WeightsRead

from .lines import MAKE, TRAIN, fact, line, read, steps, summary, told, write


def test_what_was_loaded_and_what_was_not(tmp_path: Path) -> None:
    model = line(
        "loaded", what="model", name="Net", keys=8, missing=["head.weight"], unexpected=["fc.weight", "fc.bias"],
        strict=False, site=1, step=0,
    )  # fmt: skip
    optimizer = line("loaded", what="optimizer", name="Adam", keys=2, missing=[], unexpected=[], strict=True, step=3)
    record = read(tmp_path, model, optimizer)
    one, two = fact(Resumed, record).loads
    assert (one.what, one.name, one.keys, one.strict, one.where, one.step) == ("model", "Net", 8, False, MAKE, 0)
    assert (one.missing, one.unexpected) == (("head.weight",), ("fc.weight", "fc.bias"))
    assert (two.what, two.step, two.where, two.missing) == ("optimizer", 3, None, ())
    assert "1 key missing, 2 keys unused" in summary(Resumed, record)


def test_keys_may_be_listed(tmp_path: Path) -> None:
    record = read(tmp_path, line("loaded", what="scheduler", keys=["a", "b"]), line("loaded", what="model"))
    one, two = fact(Resumed, record).loads
    assert (one.keys, one.strict, two.keys) == (2, None, None)


def test_nothing_was_loaded(tmp_path: Path) -> None:
    assert Resumed not in told(read(tmp_path, steps(0, [1.0])))


def test_seeds_with_their_lines(tmp_path: Path) -> None:
    calls = [line("seeded", what="torch", value=3, site=0, step=0), line("seeded", what="numpy", value="x", step=2)]
    record = read(tmp_path, *calls)
    seeds = fact(Seeds, record)
    assert [(s.what, s.value, s.where, s.step) for s in seeds.seeds] == [
        ("torch", 3, TRAIN, 0),
        ("numpy", None, None, 2),
    ]
    assert summary(Seeds, record) == "torch, numpy seeded in 2 calls"


def test_a_program_that_seeds_nothing(tmp_path: Path) -> None:
    record = read(tmp_path, steps(0, [1.0]))
    assert fact(Seeds, record).seeds == ()
    assert summary(Seeds, record) == "the program seeds no random generator"


def test_an_old_recording_does_not_know_about_seeds(tmp_path: Path) -> None:
    write(tmp_path, line("attached", pid=1, torch="2") + line("step", o=0, i=0, loss=[], lr=[0.1], g=1.0))
    assert Seeds not in told(recording.read(tmp_path))


def test_a_seed_for_every_step_is_counted_and_not_listed(tmp_path: Path) -> None:
    seeds = fact(Seeds, read(tmp_path, *(line("seeded", what="torch", value=i, step=i) for i in range(90))))
    assert (seeds.calls, len(seeds.seeds)) == (90, 50)


def test_weights_that_were_read_beside_those_in_use(tmp_path: Path) -> None:
    record = read(tmp_path, line("source", what="file", elements=100, fits=90, held=0, elsewhere=5, site=1))
    [one] = fact(WeightsRead, record).sources
    assert (one.what, one.where, one.elements, one.fits, one.held, one.elsewhere) == ("file", MAKE, 100, 90, 0, 5)
    assert (one.idle, one.idle_fits) == (0, 0), "old records do not tell of models that are not trained"
    assert "0 of 90 that fit" in summary(WeightsRead, record)


def test_weights_that_were_read_beside_a_model_that_is_not_trained(tmp_path: Path) -> None:
    [one] = fact(WeightsRead, read(tmp_path, line("source", what="file", elements=9, idle=80, idle_fits=70))).sources
    assert (one.elements, one.fits, one.idle, one.idle_fits, one.elsewhere) == (9, 0, 80, 70, 0)


def test_saved_states_beside_what_the_first_step_begins_with(tmp_path: Path) -> None:
    record = read(
        tmp_path,
        line("saved", o=0, what="optimizer", name="Adam", site=1, saved=400, begun=0, same=True),
        line("saved", o=0, what="scheduler", name="StepLR", site=1, saved=9, begun=9, same=True),
    )
    one, two = fact(SavedStates, record).states
    assert (one.what, one.name, one.where, one.saved, one.begun, one.same) == ("optimizer", "Adam", MAKE, 400, 0, True)
    assert (two.what, two.saved, two.begun, two.optimizer) == ("scheduler", 9, 9, 0)
    assert "a state of Adam after 400 steps; it begins with none of them" in summary(SavedStates, record)
