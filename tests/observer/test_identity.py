"""Observation changes nothing: the same program prints the same numbers and ends with the same weights."""

from __future__ import annotations

import pytest
from harmless_runs import PROGRAMS, outcome

# Programs that make no step of torch's in the process that is looked at, or fewer than the others.
FEW = {"transformed": 16, "spoken": 12, "poisoned": 14}
# In these a value stops being finite, and the step is replayed in a twin; what each finds, or why it does not look.
REPLAYED = {
    "poisoned": "unlocalised",
    "waiting": "origin",
    "signalled": "unlocalised",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_bit_identical_with_and_without_observation(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    plain, again = (outcome(name, run, tmp_path_factory) for run in ("plain-0", "plain-1"))
    observed = outcome(name, "observed-0", tmp_path_factory)
    assert plain.code == "0", plain.err
    if plain.told != again.told:
        pytest.skip(f"not testable: two runs of {name} differ without observation")
    assert observed.out == plain.out
    assert (observed.code, observed.err) == (plain.code, plain.err)
    assert not observed.of("fault")
    assert sum(e["n"] for e in observed.of("steps")) >= FEW.get(name, 15)
    if name in REPLAYED:
        assert observed.of(REPLAYED[name])
