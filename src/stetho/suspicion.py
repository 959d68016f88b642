"""A hypothesis that somebody brings: which cause is meant, and whether it stands or falls."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping

from stetho.bearing import bearing
from stetho.catalogue import Catalogue
from stetho.cause import Cause
from stetho.errors import BadRequest
from stetho.reason import Gate, Seen, contradicting
from stetho.verdict import Suspicion

# While a hypothesis is put to the test, so much of the doubt is about it, and the rest about its rivals.
DOUBT = 0.5
# Below this probability a hypothesis that something speaks against is refuted.
REFUTED = 0.02
# Words that name no cause.
EMPTY = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "be",
        "because",
        "by",
        "can",
        "cause",
        "do",
        "does",
        "for",
        "from",
        "has",
        "i",
        "in",
        "is",
        "it",
        "its",
        "maybe",
        "my",
        "not",
        "of",
        "on",
        "or",
        "our",
        "that",
        "the",
        "they",
        "think",
        "this",
        "to",
        "too",
        "training",
        "was",
        "we",
        "with",
        "wrong",
        "problem",
        "issue",
        "bug",
        "model",
        "run",
        "loss",
    ]
)
# A text names a cause when it says so much of its name, and clearly more than of any other's.
CLEARLY, APART = 0.6, 1.5


def named(text: str, catalogue: Catalogue) -> str:
    """The cause that a text means: its id, the last part of it, or words that name it and no other."""
    faults = [cause for cause in catalogue.causes.values() if cause.is_fault]
    spelled = "-".join(re.findall(r"[a-z0-9]+", text.lower().rpartition("/")[2]))
    exact = [one.id for one in faults if text.strip().lower() == one.id or spelled == one.id.rpartition("/")[2]]
    if len(exact) == 1:
        return exact[0]
    scores = sorted(((likeness(text, one), one.id) for one in faults), reverse=True)
    (best, cause), (second, _) = scores[0], scores[1]
    if best >= CLEARLY and best >= APART * second:
        return cause
    near = [one for score, one in scores if score > 0][:3]
    near = near or difflib.get_close_matches(text.lower(), [one.id for one in faults], 3, 0.3)
    nearest = f"; nearest are {', '.join(near)}" if near else ""
    raise BadRequest(f"'{text}' does not clearly name one cause{nearest}. stetho explain lists all of them")


def likeness(text: str, cause: Cause) -> float:
    """How much of a cause's name a text says; words of its statement help a little."""
    said = words_of(text)
    plain = cause.id.rpartition("/")[2].replace("-", " ")
    name = words_of(plain)
    told = words_of(cause.statement) - name
    if len(name) == 1:
        # One word is said of many things; then those that say little elsewhere count, too.
        name, said = words_of(plain, ()), words_of(text, ())
    share = len(said & name) / len(name) if name else 0.0
    return share + (0.5 * len(said & told) / len(said) if said else 0.0)


def words_of(text: str, empty: Collection[str] = EMPTY) -> frozenset[str]:
    """Words by their stems, so that `gradients` is `gradient`."""
    found = re.findall(r"[a-z0-9]+", text.lower())
    return frozenset(re.sub(r"(?<=[a-z]{3})(ed|es|ing|s)$", "", word) for word in found if word not in empty)


def focused(now: Mapping[str, float], suspect: str) -> dict[str, float]:
    """The probabilities by which experiments are chosen: half of the doubt is about the hypothesis."""
    rest = 1 - now[suspect]
    if rest <= DOUBT:
        return dict(now)
    rivals = {cause: p * (1 - DOUBT) / rest for cause, p in now.items() if cause != suspect}
    return dict(sorted({suspect: DOUBT, **rivals}.items(), key=lambda item: -item[1]))


def settled(now: Mapping[str, float], gate: Gate, suspect: str) -> bool:
    """Whether more experiments would tell nothing new of the hypothesis."""
    return (gate.passes and gate.cause == suspect) or now[suspect] < REFUTED / 10


def judged(catalogue: Catalogue, seen: Seen, now: Mapping[str, float], gate: Gate, suspect: str) -> Suspicion:
    """What became of the hypothesis, with the evidence that says so."""
    supports, against, _ = bearing(catalogue, seen, suspect)
    probability = round(now[suspect], 4)
    if gate.passes and gate.cause == suspect:
        return Suspicion(suspect, "supported", probability, supports, against, "it passes the claim gate")
    contradiction = contradicting(catalogue, seen, catalogue.causes[suspect])
    if gate.passes:
        why = f"{gate.cause} is established instead"
        return Suspicion(suspect, "refuted", probability, supports, against, why)
    if now[suspect] < REFUTED and (against or contradiction):
        said = [j for j in seen.judgements if j.check in catalogue.causes[suspect].mechanism and j.outcome == "quiet"]
        quiet = f"{said[0].check} is quiet" if said else "what it predicts was not seen"
        cites = against or tuple(e for j in said for e in j.cites)
        reason = f"{contradiction} is next to impossible under it" if contradiction else quiet
        return Suspicion(suspect, "refuted", probability, supports, cites, reason)
    reason = gate.reason if gate.cause == suspect else catalogue.causes[suspect].test
    return Suspicion(suspect, "undecided", probability, supports, against, reason)
