"""What causes can come to, as the generated page says it."""

from stetho import catalogue
from stetho.abilities import CLAIMED, FIXED, NULL, PROVEN, abilities, ability

KNOWN = catalogue.load()


def test_every_cause_but_the_unlisted_one_is_listed_once() -> None:
    listed = [cause for causes in abilities(KNOWN).values() for cause in causes]
    assert sorted(listed) == sorted(set(KNOWN.causes) - {"other/unlisted"})


def test_each_kind_is_told_by_its_declaration() -> None:
    expected = {
        "loss/double-softmax": FIXED,
        "train/clip-misplaced": CLAIMED,
        "env/host-oom": PROVEN,
        "none/healthy": NULL,
        "other/unlisted": "",
    }
    assert {cause: ability(KNOWN, KNOWN.causes[cause]) for cause in expected} == expected
