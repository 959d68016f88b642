"""A verdict for the terminal: what was seen, what it could be, what was tried, what is established."""

from __future__ import annotations

import shlex
import textwrap
from typing import TYPE_CHECKING

from stetho.render import wording
from stetho.render.changed import changed_lines
from stetho.render.inert import inert, on_one_line
from stetho.render.terminal import EVIDENCE, QUIET, draw, grid, ids, words
from stetho.verdict import Claim, Fix, Hypothesis, Remains, Verdict

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

STATUS_STYLES = {
    "established": "bold white on red",
    "suspected": "bold black on yellow",
    "unknown": "bold black on yellow",
    "clear": "bold black on green",
}
OUTCOME_STYLES = {"symptom-gone": "green", "better": "green", "worse": "red", "new-failure": "red"}
SIGN_STYLES = {"-": "red", "+": "green"}
LOOKED = {"observation": "observed", "reading": "read", "probe": "probed"}
MOST_CHANGED = 16
MOST_NOTED = 4
MOST_KNOWN = 6


def render(verdict: Verdict, *, width: int | None = None, colour: bool = False) -> str:
    """The whole verdict, readable from 80 columns up."""
    parts = (_seen, _hypotheses, _experiments, _suspicion, _regression, _conclusion, _also, _last)
    blocks = [block for part in parts if (block := part(verdict)) is not None]
    return draw(blocks, width=width, colour=colour)


def _seen(verdict: Verdict) -> Table | None:
    table = grid("fit", "rest", "cites")
    said = [one.summary for one in verdict.symptoms]
    for look in wording.first_looks(verdict):
        if not any(look.summary in one for one in said):
            label = "ended" if look.fact == "run-end" and look.kind == "reading" else LOOKED.get(look.kind, look.kind)
            table.add_row(_label(label), words(on_one_line(look.summary)), ids((look.id,)))
    for symptom in verdict.symptoms:
        text = words((symptom.id, "bold"), f": {on_one_line(symptom.summary)}" if symptom.summary else "")
        table.add_row(_label("symptom"), text, ids(symptom.evidence))
    said += [one.reason for one in wording.shown(verdict.hypotheses)]
    for finding in wording.noted(verdict, said)[:MOST_NOTED]:
        at = wording.places(finding.where)
        text = words(on_one_line(finding.message), f", {at}" if at and at not in finding.message else "")
        table.add_row(_label("noted"), text, ids(finding.evidence))
    if verdict.status in ("suspected", "unknown"):
        _add_information(table, verdict)
    return table if table.row_count else None


def _add_information(table: Table, verdict: Verdict) -> None:
    """What is known of everything that the symptoms make worth asking, and what is not."""
    for one in [one for one in verdict.information if one.answer][:MOST_KNOWN]:
        table.add_row(_label("known"), words(f"{one.short}: {on_one_line(one.answer)}"), ids(one.evidence))
    missing = [one for one in verdict.information if not one.answer]
    if missing:
        table.add_row(_label("unknown"), words((", ".join(one.short for one in missing), QUIET)), "")


def _hypotheses(verdict: Verdict) -> Table | None:
    if not verdict.hypotheses:
        return None
    table = grid("fit", "right", "right", "rest")
    table.add_row(*(words((title, QUIET)) for title in ("hypothesis", "prior", "now", "")))
    rows = wording.shown(verdict.hypotheses)
    if verdict.status == "clear":
        # Where nothing is wrong, a fault that nothing speaks for is not worth a row.
        rows = [one for one in rows if one.role in ("null", "other") or one.supports]
    for one in rows:
        style = "bold" if one is verdict.hypotheses[0] else QUIET if one.role in ("null", "other") else ""
        numbers = (one.cause, wording.percent(one.prior), wording.percent(one.probability))
        known = any(one.reason in symptom.summary for symptom in verdict.symptoms)
        table.add_row(*(words((cell, style)) for cell in numbers), _reason(one, "" if known else one.reason))
    left = [one for one in verdict.hypotheses if one not in rows]
    if left:
        most = wording.percent(left[0].probability)
        table.add_row(words((f"{len(left)} more, none above {most}".replace("above <", "over "), QUIET)))
    return table


def _reason(one: Hypothesis, reason: str) -> Text:
    """The evidence for and against a cause, the strongest with its reason."""
    reason = on_one_line(reason)
    parts: list[str | tuple[str, str]] = []
    for word, evidence in (("for ", one.supports), ("against ", one.against)):
        if evidence:
            parts += [" · " if parts else "", word, (" ".join(evidence), EVIDENCE)]
            parts += [f": {reason}"] if reason else []
            reason = ""
    return words(*parts, reason)


def _experiments(verdict: Verdict) -> Table | None:
    if not verdict.experiments:
        return None
    table = grid("fit", "fit", "some", "rest", "cites")
    for one in verdict.experiments:
        happened, _, said = wording.outcome(one).partition(":")
        table.add_row(
            words((one.id, EVIDENCE)),
            words(one.kind),
            words(on_one_line(one.intervention), f", {wording.seconds(one.seconds)}"),
            words((happened, OUTCOME_STYLES.get(one.outcome, "")), f":{said}" if said else ""),
            ids(one.evidence),
        )
    return table


def _suspicion(verdict: Verdict) -> Table | None:
    """What became of the hypothesis that was brought."""
    one = verdict.suspicion
    if one is None:
        return None
    table = grid("fit", "rest", "cites")
    told = words(
        (one.cause, "bold"), " is ", (one.verdict, "bold"), f", {wording.percent(one.probability)}: {one.reason}"
    )
    table.add_row(_label("suspect"), told, ids(one.supports if one.verdict == "supported" else one.against))
    return table


def _regression(verdict: Verdict) -> Table | None:
    """The run that was fine, where this one parts from it, and the difference that matters."""
    one = verdict.regression
    if one is None:
        return None
    table = grid("fit", "rest", "cites")
    table.add_row(_label("good run"), words(on_one_line(f"{one.good}: {one.beside}")), ids(one.cites[:1]))
    alike = wording.alike(one)
    if alike:
        table.add_row(_label("same"), words(alike), "")
    for label, parting in wording.partings(one):
        table.add_row(_label(label), words(wording.parting(parting)), ids(parting.evidence))
    statement = words((on_one_line(one.statement), "bold"))
    table.add_row(_label(one.outcome.replace("-", " ")), statement, ids(one.cites[-1:]))
    return table


def _conclusion(verdict: Verdict) -> Group:
    from rich.console import Group
    from rich.padding import Padding

    headline = grid("fit", "rest")
    status = words((f" {wording.HEADLINES[verdict.status]} ", STATUS_STYLES[verdict.status]))
    headline.add_row(status, _named(verdict))
    table = grid("fit", "rest", "cites")
    if verdict.claim is not None:
        _add_claim(table, verdict, verdict.claim)
    elif verdict.status != "clear":
        _add_suspicion(table, verdict)
    if verdict.fix is not None:
        _add_fix(table, verdict, verdict.fix)
    _add_remains(table, verdict.remains)
    return Group(headline, Padding(table, (0, 0, 0, 2))) if table.row_count else Group(headline)


def _also(verdict: Verdict) -> Group | None:
    """The causes that were established beside the first one, each with what remains once it is cured, too."""
    from rich.console import Group
    from rich.padding import Padding

    parts: list[Table | Padding] = []
    for one in verdict.also:
        headline = grid("fit", "rest")
        at = wording.place(one.where[0]) if one.where else ""
        sure = f", {wording.percent(one.confidence)}    "
        headline.add_row(
            words((" ALSO ", STATUS_STYLES["established"])), words((one.cause, "bold"), sure, (at, "bold"))
        )
        table = grid("fit", "rest", "cites")
        table.add_row(_label("claim"), words(on_one_line(one.statement)), ids(one.cites))
        if one.fix is not None:
            table.add_row(_label("fix"), words(on_one_line(one.fix.summary), " (part of the fix above)"), "")
            table.add_row(_label("tried"), words(wording.trial(one.fix)), ids(one.fix.trial.evidence))
        _add_remains(table, one.remains)
        parts += [headline, Padding(table, (0, 0, 0, 2))]
    return Group(*parts) if parts else None


def _add_remains(table: Table, remains: Remains | None) -> None:
    if remains is not None:
        table.add_row(_label("remains"), words(on_one_line(remains.statement)), ids(remains.evidence))


def _named(verdict: Verdict) -> Text:
    """The rest of the headline: the cause, how sure, and where to look."""
    claim, top = verdict.claim, wording.leading(verdict)
    if claim is not None:
        at = wording.place(claim.where[0]) if claim.where else ""
        return words((claim.cause, "bold"), f", {wording.percent(claim.confidence)}    ", (at, "bold"))
    if verdict.status == "clear":
        top = verdict.hypotheses[0] if verdict.hypotheses else None
        named = f": {top.cause}, {wording.percent(top.probability)}" if top else ""
        return words("nothing wrong found", named)
    if verdict.status == "suspected" and top is not None:
        return words((top.cause, "bold"), f", {wording.percent(top.probability)}, not established")
    return words("no cause leads")


def _add_claim(table: Table, verdict: Verdict, claim: Claim) -> None:
    table.add_row(_label("claim"), words(on_one_line(claim.statement)), ids(claim.cites))
    if claim.where[1:]:
        table.add_row(_label("see also"), words(wording.places(claim.where[1:])), "")
    parts: list[str | tuple[str, str]] = []
    for word, evidence in wording.basis(verdict, claim):
        parts += [f"{word} ", (" ".join(evidence), EVIDENCE), " · "]
    own = wording.hypothesis(verdict, claim.cause)
    if own is not None and own.against:
        parts += ["against it ", (" ".join(own.against), EVIDENCE)]
    else:
        parts += ["nothing recorded contradicts it"]
    table.add_row(_label("because"), words(*parts), "")
    if verdict.fix is None and own is not None and own.fix:
        table.add_row(_label("fix"), words(on_one_line(own.fix), " (not tried)"), "")


def _add_suspicion(table: Table, verdict: Verdict) -> None:
    top = wording.leading(verdict) if verdict.status == "suspected" else None
    rows = [("why not", verdict.not_claimed)]
    if top is not None:
        rows += [("to refute", top.test)]
        rows += [("fix if so", f"{top.fix} (not tried)")] if top.fix and verdict.fix is None else []
    rows += [("next", wording.next_test(one)) for one in verdict.next]
    for label, text in rows:
        if text:
            table.add_row(_label(label), words(on_one_line(text)), "")


def _add_fix(table: Table, verdict: Verdict, fix: Fix) -> None:
    table.add_row(_label("fix"), words(on_one_line(fix.summary)), "")
    for line in _diff(fix):
        table.add_row("", line, "")
    if fix.command:
        table.add_row("", words(("$ ", QUIET), on_one_line(shlex.join(fix.command))), "")
    table.add_row(_label("tried"), words(wording.trial(fix)), ids(fix.trial.evidence))
    if verdict.case:
        offer = f"stetho fix {shlex.quote(inert(verdict.case))} --apply"
        table.add_row(_label("apply"), words(offer), "")


def _diff(fix: Fix) -> list[Text]:
    """The changed lines under the place where each group of them stands."""
    changed = changed_lines(fix.diff)
    if not changed:
        return [words(line.expandtabs(4)) for line in inert(fix.diff).split("\n")[:MOST_CHANGED] if line]
    lines: list[Text] = []
    before = None
    code = textwrap.dedent("\n".join(inert(one.text).replace("\n", " ") for one in changed)).expandtabs(4)
    for one, text in list(zip(changed, code.split("\n"), strict=True))[:MOST_CHANGED]:
        if before is None or one.file != before.file or abs(one.line - before.line) > 1:
            lines.append(words((f"{on_one_line(one.file)}:{one.line}", "bold")))
        lines.append(words((f"{one.sign} {text}", SIGN_STYLES[one.sign])))
        before = one
    if len(changed) > MOST_CHANGED:
        lines.append(words((f"and {len(changed) - MOST_CHANGED} more changed lines", QUIET)))
    return lines


def _last(verdict: Verdict) -> Table:
    table = grid("fit", "rest")
    for note in verdict.notes:
        table.add_row(_label("note"), words(on_one_line(note)))
    cost = wording.cost(verdict.cost)
    table.add_row(_label("case"), words((f"{on_one_line(verdict.case)}  {cost}".strip(), QUIET)))
    return table


def _label(text: str) -> Text:
    return words((text, QUIET))
