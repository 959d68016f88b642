from collections import defaultdict
from collections.abc import Iterator

from stetho.check import Finding, check
from stetho.facts import RankCall, RankCalls

REDUCE = {"rank": "0", "group": "0", "sequence": 1832, "name": "allreduce", "elements": 6553600}
GATHER = {"rank": "1", "group": "0", "sequence": 1832, "name": "allgather", "elements": 512}
STACKS = [
    {"rank": "0", "group": "by its stack", "sequence": None, "name": "allreduce"},
    {"rank": "1", "group": "by its stack", "sequence": None, "name": "allgather"},
]


@check(
    reads=RankCalls,
    root="calls of the ranks",
    background=0.02,
    given={"dist/collective-mismatch": 0.92, "env/hang": 0.02, "env/exception": 0.02, "other/unlisted": 0.02},
    fires={
        "one rank gathers": {"calls": [REDUCE, GATHER, {**REDUCE, "rank": "2"}]},
        "the same call with another size": {"calls": [REDUCE, {**REDUCE, "rank": "1", "elements": 12}]},
        "two stacks": {"calls": STACKS},
    },
    quiet={
        "all wait in the same call": {"calls": [REDUCE, {**REDUCE, "rank": "1"}]},
        "one is behind": {"calls": [REDUCE, {**GATHER, "sequence": 1831}]},
        "groups of their own": {"calls": [REDUCE, {**GATHER, "group": "7 tensor parallel"}]},
        "only one rank is known": {"calls": [REDUCE]},
        "one rank twice": {"calls": [REDUCE, {**GATHER, "rank": "0"}]},
    },
)
def ranks_call_differently(found: RankCalls) -> Iterator[Finding]:
    """Under one number of one process group, ranks wait in different collective calls, or with other sizes.

    ## Why it matters
    None of these calls can end: each rank waits for the others to make the call that it has made.

    ## False alarms
    Where only stacks tell, ranks of different process groups may rightly be in different calls.
    """
    groups: dict[tuple[str, int | None], dict[str, RankCall]] = defaultdict(dict)
    for call in found.calls:
        groups[call.group, call.sequence].setdefault(call.rank, call)
    for (_, sequence), ranks in groups.items():
        kinds: dict[tuple[str, int | None], list[RankCall]] = defaultdict(list)
        for call in ranks.values():
            # Pieces of different sizes may be gathered; a reduction needs the same size everywhere.
            kinds[call.name, call.elements if call.name == "allreduce" else None].append(call)
        if len(kinds) > 1:
            ordered = sorted(kinds.values(), key=len, reverse=True)
            told = "; ".join(said(calls) for calls in (ordered[0], ordered[-1]))
            number = f"collective number {sequence}: " if sequence is not None else ""
            places = tuple(call.where for calls in reversed(ordered) for call in calls[:1] if call.where is not None)
            yield Finding(f"{number}{told}", where=places)
            return


def said(calls: list[RankCall]) -> str:
    ranks = ", ".join(sorted((call.rank for call in calls), key=lambda rank: (len(rank), rank))[:8])
    one = calls[0]
    size = f" of {one.elements} elements" if one.elements is not None else ""
    place = f" (line {one.line})" if one.line is not None else f" ({one.file})" if one.file else ""
    return f"rank{'s' * (len(calls) > 1)} {ranks} in {one.name}{size}{place}"
