"""A verdict as a report in five parts: shown, supposed, tried, concluded, to do; every fact is cited."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from stetho.render import wording
from stetho.render.escape import code, fence, plain
from stetho.render.inert import inert
from stetho.verdict import Fix, Hypothesis, Remains, Tried, Verdict

TITLES = ("Most likely", "Alternative", "Also consider")
NULLS = {"null": "nothing is wrong (the null)", "other": "something that has no name here"}
MOST_OTHERS = 12


def render(verdict: Verdict) -> str:
    """The whole report; the parts are always there and always in the same order."""
    parts = (_head, _shown, _supposed, _tried, _concluded, _to_do, _appendix)
    return "\n\n".join("\n".join(part(verdict)) for part in parts) + "\n"


def cite(ids: Sequence[str]) -> str:
    """A citation; where there is nothing to cite, it says so."""
    return f"({', '.join(plain(one) for one in ids)})" if ids else "(no evidence recorded)"


def _fact(text: str, ids: Sequence[str]) -> str:
    return f"{text.rstrip('.')} {cite(ids)}."


def _summary(verdict: Verdict, id: str) -> str:
    return next((plain(one.summary) for one in verdict.evidence if one.id == id), "not in this record")


def _head(verdict: Verdict) -> Iterator[str]:
    claim, top = verdict.claim, wording.leading(verdict)
    named = claim.cause if claim else top.cause if top and verdict.status == "suspected" else ""
    yield f"# {wording.HEADLINES[verdict.status].capitalize()}{': ' if named else ''}{code(named)}"
    yield ""
    target, cost = wording.target(verdict.target), wording.cost(verdict.cost)
    yield f"Target {code(target)}, case {code(verdict.case)}, {cost}."


def _shown(verdict: Verdict) -> Iterator[str]:
    yield "## 1. What the probes showed"
    yield ""
    cited: set[str] = set()
    for symptom in verdict.symptoms:
        cited.update(symptom.evidence)
        yield "- " + _fact(f"Symptom {code(symptom.id)}: {plain(symptom.summary)}", symptom.evidence)
    for finding in wording.noted(verdict, [one.summary for one in verdict.symptoms]):
        cited.update(finding.evidence)
        at = [one for one in map(wording.place, finding.where) if one not in finding.message]
        where = f", at {', '.join(map(code, at))}" if at else ""
        yield "- " + _fact(f"{plain(finding.message)}{where}", finding.evidence)
    for known in verdict.information:
        if known.answer:
            cited.update(known.evidence)
            yield "- " + _fact(f"{plain(known.short).capitalize()}: {plain(known.answer)}", known.evidence)
    others = [one for one in verdict.evidence if one.id not in cited and one.kind != "experiment"]
    for one in others[:MOST_OTHERS]:
        yield "- " + _fact(plain(one.summary), (one.id,))
    if len(others) > MOST_OTHERS:
        yield ""
        yield f"{len(others) - MOST_OTHERS} more are in the appendix."
    if not verdict.evidence:
        yield "Nothing was recorded."


def _supposed(verdict: Verdict) -> Iterator[str]:
    yield "## 2. Hypotheses"
    yield ""
    yield "These are hypotheses; only part 4 asserts one, if any."
    faults = 0
    for rank, one in enumerate(wording.shown(verdict.hypotheses)):
        if one.role in NULLS:
            title = f"{'Or' if rank else 'Most likely,'} {NULLS[one.role]}"
        else:
            # A fault below a null is an alternative, even when it is the first of the faults.
            title = TITLES[min(max(faults, min(rank, 1)), len(TITLES) - 1)]
            faults += 1
        yield from ("", f"### {title}: {code(one.cause)}", "", _confidence(one))
        yield from _grounds(verdict, one)


def _confidence(one: Hypothesis) -> str:
    sure = f"{wording.percent(one.probability)} ({wording.percent(one.prior)} before anything was seen)"
    silent = "speaks against it" if one.supports else "bears on it"
    return f"Confidence {sure}{'' if one.against else f'; nothing recorded {silent}'}."


def _grounds(verdict: Verdict, one: Hypothesis) -> Iterator[str]:
    """What speaks for and against a hypothesis, what would refute it and what would cure it."""
    cited = [("For", id) for id in one.supports] + [("Against", id) for id in one.against]
    items = [_fact(f"{word}: {_summary(verdict, id)}", (id,)) for word, id in cited]
    items += [f"{word}: {plain(text)}" for word, text in (("To refute it", one.test), ("Fix", one.fix)) if text]
    yield from [""] * bool(items)
    yield from (f"- {item}" for item in items)


def _tried(verdict: Verdict) -> Iterator[str]:
    yield "## 3. Smokes, controls and trial fixes"
    yield ""
    if not verdict.experiments:
        yield "No experiment was run."
    for tried in verdict.experiments:
        name = f"**{plain(tried.id)}, {plain(tried.kind)}** {code(tried.intervention)}"
        yield f"- {name}: {plain(tried.question)}"
        yield "  - " + _fact(_outcome(tried), tried.evidence or (tried.id,))
        chances = _chances(verdict, tried)
        if chances:
            yield "  - " + _fact(f"Chance of that outcome, stated beforehand: {chances}", (tried.id,))


def _outcome(tried: Tried) -> str:
    took = wording.seconds(tried.seconds)
    return f"Outcome after {took}: {plain(wording.outcome(tried))}"


def _chances(verdict: Verdict, tried: Tried) -> str:
    """What the causes in view had said about the outcome that came."""
    said = [(one.cause, tried.predicted.get(one.cause, {})) for one in wording.shown(verdict.hypotheses)]
    chances = [(cause, outcomes[tried.outcome]) for cause, outcomes in said if tried.outcome in outcomes]
    return ", ".join(f"{wording.percent(chance)} under {code(cause)}" for cause, chance in chances)


def _suspected(verdict: Verdict) -> Iterator[str]:
    """What became of the hypothesis that was brought, where one was."""
    one = verdict.suspicion
    if one is not None:
        yield _fact(
            f"The hypothesis {plain(one.cause)} is {one.verdict}: {plain(one.reason)}",
            one.supports if one.verdict == "supported" else one.against,
        )
        yield ""


def _compared(verdict: Verdict) -> Iterator[str]:
    """Where this run parts from one that was fine, and which difference matters, where one was named."""
    one = verdict.regression
    if one is None:
        return
    yield "- " + _fact(f"Good run {plain(one.good)}: {plain(one.beside)}", one.cites[:1])
    for label, part in wording.partings(one):
        first = "First difference" if label == "differs" else "Then"
        yield "- " + _fact(f"{first}, {plain(wording.parting(part))}", part.evidence)
    yield "- " + _fact(f"Comparison {one.outcome}: {plain(one.statement)}", one.cites[-1:])
    yield ""


def _concluded(verdict: Verdict) -> Iterator[str]:
    yield "## 4. Verdict"
    yield ""
    yield from _suspected(verdict)
    yield from _compared(verdict)
    claim, top = verdict.claim, wording.leading(verdict)
    if claim is not None:
        yield f"**Established: {code(claim.cause)}, {wording.percent(claim.confidence)}.** " + _fact(
            plain(claim.statement), claim.cites
        )
        yield ""
        for word, ids in wording.basis(verdict, claim):
            for id in ids:
                yield "- " + _fact(f"{plain(word).capitalize()}: {_summary(verdict, id)}", (id,))
        if claim.where:
            at = ", ".join(code(wording.place(one)) for one in claim.where)
            yield "- " + _fact(f"Where to look: {at}", claim.cites)
        yield from _remains(verdict.remains)
        yield from _also(verdict)
    elif verdict.status == "clear":
        first = verdict.hypotheses[0] if verdict.hypotheses else None
        yield "**Clear.** Nothing wrong was found."
        if first is not None:
            said = f"{code(first.cause)}, {wording.percent(first.probability)}"
            yield ""
            yield "- " + _fact(f"{said}: {plain(first.reason)}".rstrip(": "), first.supports)
    else:
        lead = f" The leading hypothesis is {code(top.cause)}." if top and verdict.status == "suspected" else ""
        why = verdict.not_claimed.rstrip(".")
        yield f"**Not established.**{lead}" + (f" Why not: {plain(why)}." if why else "")
    for note in verdict.notes:
        yield ""
        yield f"> {plain(note)}"


def _remains(remains: Remains | None) -> Iterator[str]:
    if remains is not None:
        yield "- " + _fact(plain(remains.statement).capitalize(), remains.evidence)


def _also(verdict: Verdict) -> Iterator[str]:
    """The causes that were established beside the first one."""
    for one in verdict.also:
        yield ""
        sure = wording.percent(one.confidence)
        yield f"**Also established: {code(one.cause)}, {sure}.** " + _fact(plain(one.statement), one.cites)
        yield ""
        if one.where:
            at = ", ".join(code(wording.place(place)) for place in one.where)
            yield "- " + _fact(f"Where to look: {at}", one.cites)
        if one.fix is not None:
            tried = f"{plain(one.fix.summary)}: {plain(wording.trial(one.fix))}"
            yield "- " + _fact(f"Fix, part of the one below: {tried}", one.fix.trial.evidence)
        yield from _remains(one.remains)


def _to_do(verdict: Verdict) -> Iterator[str]:
    yield "## 5. Next action"
    yield ""
    if verdict.fix is not None:
        yield from _fix(verdict, verdict.fix)
    elif verdict.claim is not None:
        own = wording.hypothesis(verdict, verdict.claim.cause)
        yield f"Fix it; the fix was not tried: {plain(own.fix if own and own.fix else 'none is declared')}."
    elif verdict.status == "clear":
        yield "Nothing needs to be done."
    elif not verdict.next:
        yield "No further test is known that would tell the hypotheses apart."
    if verdict.claim is None and verdict.next:
        yield from [""] * (verdict.fix is not None)
        for rank, test in enumerate(verdict.next, 1):
            yield f"{rank}. {plain(wording.next_test(test))}"
    asked = [one for one in verdict.information if not one.answer]
    if asked and verdict.status in ("suspected", "unknown"):
        yield from ("", "Not known, and worth knowing:", "")
        for one in asked:
            yield f"- {plain(one.asks)} To find out: {plain(one.otherwise)}."


def _fix(verdict: Verdict, fix: Fix) -> Iterator[str]:
    yield f"Apply the fix that was tried: {plain(fix.summary)}. " + _fact(
        f"Trial: {plain(wording.trial(fix))}", fix.trial.evidence
    )
    if fix.diff:
        yield from ("", fence(fix.diff, "diff"))
    if fix.command:
        yield from ("", fence(shlex.join(fix.command), "sh"))
    if verdict.case:
        yield from ("", fence(f"stetho fix {shlex.quote(inert(verdict.case))} --apply", "sh"))


def _appendix(verdict: Verdict) -> Iterator[str]:
    yield "## Appendix: evidence"
    yield ""
    for one in verdict.evidence:
        read = wording.source(one.source)
        about = plain(one.kind) + (f", {code(read)}" if read else "")
        yield f"- **{plain(one.id)}** ({about}): {plain(one.summary)}"
