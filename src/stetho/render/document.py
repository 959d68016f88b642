"""A verdict as the JSON document that tools read; its schema is published beside this file."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from stetho.codec import encode
from stetho.evidence import Evidence, Json
from stetho.render.inert import readable
from stetho.verdict import SCHEMA, Hypothesis, Suspicion, Verdict

# A curve of thousands of numbers belongs in the case, not in every answer; nor does much of what nothing rests on.
SMALL = 2000
UNCITED = 400


def render(verdict: Verdict) -> str:
    """The document as strict JSON in ASCII, which no terminal or parser can take for anything else."""
    return json.dumps(document(verdict), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def schema() -> dict[str, Any]:
    """The published JSON Schema of the document."""
    text = files("stetho.render").joinpath("verdict.schema.json").read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed


def document(verdict: Verdict) -> dict[str, Json]:
    """The contract's document, key for key."""
    cites = cited(verdict)
    whole: dict[str, Json] = {
        "schema": SCHEMA,
        "target": encode(verdict.target),
        "case": verdict.case,
        "status": verdict.status,
        "symptoms": encode(verdict.symptoms),
        "findings": encode(verdict.findings),
        "information": encode(verdict.information),
        "hypotheses": [_hypothesis(one) for one in verdict.hypotheses],
        "claim": encode(verdict.claim),
        "not_claimed": verdict.not_claimed,
        "evidence": [_evidence(one, SMALL if one.id in cites else UNCITED) for one in verdict.evidence],
        "experiments": encode(verdict.experiments),
        "fix": encode(verdict.fix),
        "next": encode(verdict.next),
        "cost": encode(verdict.cost),
        "notes": encode(verdict.notes),
        "suspicion": _suspicion(verdict.suspicion),
        "regression": encode(verdict.regression),
        "remains": encode(verdict.remains),
        "also": encode(verdict.also),
    }
    return {key: readable_document(value) for key, value in whole.items()}


def _hypothesis(one: Hypothesis) -> Json:
    # "for" is a word of Python's, so the dataclass says "supports".
    return {
        "cause": one.cause,
        "probability": encode(one.probability),
        "role": one.role,
        "for": encode(one.supports),
        "against": encode(one.against),
        "test": one.test,
        "fix": one.fix,
        "prior": encode(one.prior),
        "reason": one.reason,
    }


def _suspicion(one: Suspicion | None) -> Json:
    if one is None:
        return None
    return {
        "cause": one.cause,
        "verdict": one.verdict,
        "probability": encode(one.probability),
        "for": encode(one.supports),
        "against": encode(one.against),
        "reason": one.reason,
    }


def cited(verdict: Verdict) -> set[str]:
    """The evidence that a symptom, a finding, an answer, a hypothesis, an experiment or the claim rests on."""
    parts = [symptom.evidence for symptom in verdict.symptoms]
    parts += [finding.evidence for finding in verdict.findings]
    parts += [known.evidence for known in verdict.information]
    parts += [tried.evidence for tried in verdict.experiments]
    parts += [side for one in verdict.hypotheses for side in (one.supports, one.against)]
    parts += [verdict.suspicion.supports, verdict.suspicion.against] if verdict.suspicion is not None else []
    parts += [verdict.claim.cites] if verdict.claim is not None else []
    parts += [one.cites for one in verdict.also]
    left = [verdict.remains, *(one.remains for one in verdict.also)]
    parts += [one.evidence for one in left if one is not None]
    parts += [verdict.regression.cites] if verdict.regression is not None else []
    return {id for ids in parts for id in ids}


def _evidence(one: Evidence, most: int) -> Json:
    shown: dict[str, Json] = {
        "id": one.id,
        "kind": one.kind,
        "summary": one.summary,
        "source": encode(one.source),
        "fact": one.fact,
        "run": one.run,
    }
    data = encode(one.data)
    if data is not None and len(json.dumps(data)) <= most:
        shown["data"] = data
    return shown


def readable_document(value: Json) -> Json:
    """A document whose every text can be written as UTF-8."""
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, list):
        return [readable_document(one) for one in value]
    if isinstance(value, dict):
        return {readable(key): readable_document(one) for key, one in value.items()}
    return value
