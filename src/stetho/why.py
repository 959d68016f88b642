"""The loop: observe, judge, rank, experiment, claim or not, fix, conclude. The whole of it is on this page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from stetho import catalogue, config, further, late, snapshot
from stetho.case import Case, Request, new_case
from stetho.choice import possible
from stetho.conclusion import localised, rank, verdict
from stetho.cost import expected_seconds
from stetho.errors import BadRequest, Interrupted, WorkerLost
from stetho.executors import choice as executors
from stetho.executors import local
from stetho.executors.protocol import Executor
from stetho.experiment import NO_EVIDENCE
from stetho.facts import Crash, RunEnd
from stetho.fixes import cures
from stetho.inquiry import Inquiry
from stetho.isolation.refusal import REFUSED
from stetho.observation import observe, read_what_is_there
from stetho.reason import Seen
from stetho.regression.comparison import compare
from stetho.regression.reference import resolve
from stetho.store import remembered
from stetho.suspicion import focused, settled
from stetho.trial import grounds, perform, try_cures
from stetho.verdict import Verdict

# Experiments that have answered without a leading fault, after which stetho stops guessing.
CYCLES = 4


def investigate(inquiry: Inquiry) -> Verdict:
    """From a command to a verdict. Everything learned is in the ledger, so a broken-off loop can be taken up again."""
    try:
        if not read_what_is_there(inquiry) and not inquiry.observed():
            observe(inquiry)
        refuse_missing_input(inquiry)
        refuse_isolation(inquiry)
        compare(inquiry)
        experiment(inquiry)
        if inquiry.request.all_causes:
            further.go_on(inquiry, experiment)
    except KeyboardInterrupt:
        inquiry.ledger.add_note("interrupted by the user")
        raise Interrupted(f"interrupted; the case is kept: stetho cases resume {inquiry.case.path}") from None
    except WorkerLost as error:
        inquiry.ledger.add_note(str(error))
        raise WorkerLost(f"{error}; the case is kept: stetho cases resume {inquiry.case.path}") from error
    result = further.completed(inquiry, verdict(inquiry))
    inquiry.ledger.add_verdict(result)
    return result


def experiment(inquiry: Inquiry) -> None:
    """Ask the run what tells the causes apart best, until one can be claimed or nothing more is worth asking."""
    while True:
        seen, now, gate = rank(inquiry)
        suspect = inquiry.request.suspect
        done = gate.passes if suspect is None else settled(now, gate, suspect)
        if done or not inquiry.request.experiments or not worth_an_experiment(inquiry):
            break
        candidates = possible(inquiry, seen, now if suspect is None else focused(now, suspect))
        if not candidates or (suspect is None and nothing_localised(inquiry, seen, now)):
            break
        perform(inquiry, candidates[0], seen)
    if gate.passes and inquiry.request.experiments and has_untried_cure(inquiry, gate.cause):
        try_cures(inquiry, gate.cause, seen)


def nothing_localised(inquiry: Inquiry, seen: Seen, now: Mapping[str, float]) -> bool:
    """Whether experiments have answered and still no fault leads: then comparing with what works is the next step."""
    if seen.symptom != "none" and next(iter(now)).startswith("none/"):
        # What explains a symptom away stands only once nothing is left that could show the contrary.
        return False
    answered = sum(bool(x.outcome not in NO_EVIDENCE and x.supplies is None and x.predicted) for x in seen.experiments)
    return answered >= CYCLES and not localised(inquiry.catalogue, now)


def worth_an_experiment(inquiry: Inquiry) -> bool:
    """There is something to explain: a symptom that experiments can bear on, or a check that fired."""
    end = inquiry.fact(RunEnd)
    if end is None or not end.steps or inquiry.remaining() < expected_seconds(inquiry):
        return False
    return inquiry.request.suspect is not None or any(j.outcome == "fired" for j in inquiry.seen().judgements)


def has_untried_cure(inquiry: Inquiry, cause: str) -> bool:
    tried = any(x.tests == cause for x in inquiry.experiments())
    return not tried and next(cures(cause, grounds(inquiry)), None) is not None


def refuse_missing_input(inquiry: Inquiry) -> None:
    crash = inquiry.fact(Crash)
    # A saved file without a byte ends in the same exception, with other words.
    asked = crash is not None and crash.exception == "EOFError" and "reading a line" in crash.message
    if crash is not None and asked and inquiry.stdin is None:
        raise BadRequest(
            f"the program reads standard input ({crash.where}) and runs without one here; "
            "give it one with: stetho why -- CMD < answers.txt"
        )


def refuse_isolation(inquiry: Inquiry) -> None:
    """A run that failed because it was kept apart says nothing of the program; how to let it through is all to say."""
    for note in inquiry.ledger.notes():
        if note.startswith(REFUSED):
            raise BadRequest(note)


def begin(
    root: Path,
    request: Request,
    *,
    show: Callable[[str], None] = lambda line: None,
    progress: Callable[[str], None] = lambda line: None,
    stdin: Path | None = None,
    fresh: bool = False,
) -> Verdict:
    """Open a case for a request and investigate it; `fresh` makes every run anew, those of earlier cases included."""
    if request.good is not None:
        # What is named as good must be there before anything is run; afterwards, the last case is another one.
        good = resolve(request.good, request.command, request.cwd, root)
        request = replace(request, good=good.lasting)
    case = new_case(root, request)
    snapshot.keep(case.path, request.command, request.cwd)
    execute = executor_of(request, case, fresh)
    with case.open_ledger() as ledger:
        return investigate(Inquiry(case, ledger, request, catalogue.load(), show, progress, stdin, execute))


def judge(
    case: Case,
    *,
    experiments: bool = False,
    budget: float | None = None,
    fresh: bool = False,
    show: Callable[[str], None] = lambda line: None,
    progress: Callable[[str], None] = lambda line: None,
) -> Verdict:
    """Judge a case from what it holds. Something is run only where a real run has kept its state before a failure."""
    with case.open_ledger() as ledger:
        request = ledger.request()
        if request is None:
            raise BadRequest(f"case {case.id} holds no request, so there is nothing to judge")
        request = replace(request, experiments=False, budget=budget or request.budget)
        execute = executor_of(request, case, fresh)
        inquiry = Inquiry(case, ledger, request, catalogue.load(), show, progress, execute=execute)
        read_what_is_there(inquiry)
        try:
            if experiments and late.go_back(inquiry):
                inquiry.request = replace(request, experiments=True)
                experiment(inquiry)
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted; the case is kept: stetho why {case.path}") from None
        result = further.completed(inquiry, verdict(inquiry))
        ledger.add_verdict(result)
        return result


def resume(
    case: Case,
    *,
    show: Callable[[str], None] = lambda line: None,
    progress: Callable[[str], None] = lambda line: None,
) -> Verdict:
    """Take up a case where it was left: what is in its ledger is not run again."""
    with case.open_ledger() as ledger:
        request = ledger.request()
        if request is None:
            raise BadRequest(f"case {case.id} holds no request to resume")
        if request.verb == "try":
            raise BadRequest(f"case {case.id} is of stetho try; ask again, and what was run is not run again")
        execute = executor_of(request, case)
        return investigate(Inquiry(case, ledger, request, catalogue.load(), show, progress, execute=execute))


def executor_of(request: Request, case: Case, fresh: bool = False) -> Executor:
    """Where the runs of a case happen, by the settings of the project as they are now; what was run before is not."""
    if request.executor == "local":
        execute: Executor = local.run
    else:
        execute = executors.executor(request.executor, config.load(Path(request.cwd)), case.path / "jobs")
    return remembered(execute, case.path.parent, fresh=fresh, where=request.executor)
