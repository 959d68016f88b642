"""What a cause, check, intervention, phrase, probe, reader or rule is, from its own declaration and nothing else."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import TypeAlias

from stetho.cause import Cause, prior
from stetho.check import Check
from stetho.codec import encode
from stetho.errors import BadRequest
from stetho.evidence import Json
from stetho.facts import Fact
from stetho.intervention import Intervention
from stetho.phrase import Phrase
from stetho.probe import Probe
from stetho.reader import Reader
from stetho.render import page
from stetho.render.page import Body, Items, Page, Prose, Rows, Section, first_sentence, section, split
from stetho.render.wording import percent
from stetho.rule import Rule

Declaration: TypeAlias = Cause | Check | Intervention | Phrase | Probe | Reader | Rule
SCHEMA = "stetho.explanation/1"


def explain(declaration: Declaration, format: str = "text", *, width: int | None = None, colour: bool = False) -> str:
    """The explanation in one of the formats; the Markdown is the reference page."""
    if format == "json":
        return json.dumps(_document(declaration), indent=2, allow_nan=False) + "\n"
    if format not in ("text", "md"):
        raise BadRequest(f"there is no format '{format}'; choose one of text, json, md.")
    described = describe(declaration)
    return page.markdown(described) if format == "md" else page.text(described, width=width, colour=colour)


def describe(declaration: Declaration) -> Page:
    """The page of a declaration: what its docstring says, then what its fields say."""
    lead, told = split(declaration.doc)
    if isinstance(declaration, Cause):
        return Page(declaration.id, "cause", lead or declaration.statement, told + _cause(declaration))
    if isinstance(declaration, Check):
        return Page(declaration.id, "check", lead, told + _check(declaration))
    if isinstance(declaration, Intervention):
        return Page(declaration.id, "intervention", lead, told + _intervention(declaration))
    if isinstance(declaration, Probe):
        return Page(declaration.id, "probe", lead, told + _probe(declaration))
    if isinstance(declaration, Phrase):
        return Page(declaration.id, "phrase", lead, told + _phrase(declaration))
    if isinstance(declaration, Rule):
        return Page(declaration.id, "rule", lead, told + _rule(declaration))
    about = section("Gives", _facts(declaration.gives)) + section("Examples", Items(tuple(declaration.examples)))
    return Page(declaration.id, "reader", lead, told + about)


def _cause(one: Cause) -> tuple[Section, ...]:
    symptoms = (("symptom", _chances(one.symptoms)),) if one.symptoms else ()
    predicted = tuple(
        (name, _chances(chance) if isinstance(chance, Mapping) else f"fires {percent(chance)}")
        for name, chance in one.predicts.items()
    )
    rest = (("any other intervention", _chances(one.otherwise)),) if one.otherwise else ()
    proof = "The artifact alone can prove it, without an experiment." if one.proof_by_artifact else ""
    cure = f"The trial fix is the intervention `{one.trial}`." if one.trial else ""
    return (
        *section("What is claimed", Prose(one.statement)),
        *section("How common it is", Prose(_common(one))),
        *section("What it predicts", Rows(("check or intervention", "expected"), symptoms + predicted + rest)),
        *section("What shows it at work", Items(tuple(f"`{name}`" for name in one.mechanism)), Prose(proof)),
        *section("How to refute it", Prose(one.test)),
        *section("How to fix it", Prose(one.fix), Prose(cure)),
        *section("References", Items(one.references)),
    )


def _common(one: Cause) -> str:
    subtle = " It is subtle: little of it shows in the curves." if one.subtle else ""
    return f"{percent(prior(one))} before anything is seen.{subtle}"


def _check(one: Check) -> tuple[Section, ...]:
    supplied = f"When these are missing, `{one.supplied_by}` supplies them." if one.supplied_by else ""
    given = tuple((name, percent(chance)) for name, chance in one.given.items())
    return (
        *section("Reads", _facts(one.reads), Prose(supplied)),
        *section("Uses where it is at hand", _facts(one.also)),
        *section("Rests on", Prose(f"`{one.root}`: of several findings with this root, one is counted.")),
        *section("Options", Rows(("option", "default"), _options(one))),
        *section(
            "How often it fires",
            Prose(f"{percent(one.background)} when the cause is one that it does not speak about."),
            Rows(("cause", "fires"), given),
        ),
        *section("Fires on", Items(tuple(one.fires))),
        *section("Stays quiet on", Items(tuple(one.quiet))),
    )


def _intervention(one: Intervention) -> tuple[Section, ...]:
    variants = tuple(
        (f"`{name}`", _chances(chances)) for name, chances in zip(one.names, one.backgrounds.values(), strict=True)
    )
    return (
        *section("Question", Prose(one.question)),
        *section("Kind", Prose(one.kind)),
        *section("Applies to", Prose(one.applies)),
        *section("Variants", Rows(("name", "what it does to a run whose fault it does not touch"), variants)),
        *section("Cost", Prose(f"{one.cost:g} × an unchanged run of the same length.")),
    )


def _probe(one: Probe) -> tuple[Section, ...]:
    cut_off = f"After {one.limit:g} s. Run instead: `{one.instead}`" if one.instead else f"After {one.limit:g} s."
    return (
        *section("Reads", Prose(one.reads)),
        *section("Needs", Prose(one.needs)),
        *section("Gives", _facts(one.gives)),
        *section("Cut off", Prose(cut_off)),
        *section("Examples", Items(tuple(one.examples))),
    )


def _rule(one: Rule) -> tuple[Section, ...]:
    return (
        *section("Leads to", Prose(f"`{one.cause}`")),
        *section("Reports", Items(tuple(one.bad))),
        *section("Leaves alone", Items(tuple(one.good))),
    )


def _phrase(one: Phrase) -> tuple[Section, ...]:
    ended = {"": "", "done": "The program ended by itself.", "error": "The program ended with an error."}
    told = ended.get(one.ended, f"The program was ended by {one.ended}.")
    after = "It is said after the program has ended, and is not counted as its output." if one.farewell else ""
    return (
        *section("Said last", Prose(" ".join(filter(None, (told, after))))),
        *section("Found in", Items(tuple(f"`{line}`" for line in one.fires))),
        *section("Not found in", Items(tuple(f"`{line}`" for line in one.quiet))),
    )


def _chances(chances: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {percent(chance)}" for name, chance in chances.items())


def _facts(kinds: tuple[type[Fact], ...]) -> Body:
    return Items(tuple(f"`{kind.fact}`: {first_sentence(kind.__doc__)}" for kind in kinds))


def _options(one: Check) -> tuple[tuple[str, str], ...]:
    parameters = inspect.signature(one.function).parameters.values()
    return tuple((p.name, repr(p.default)) for p in parameters if p.kind is p.KEYWORD_ONLY)


def _document(one: Declaration) -> dict[str, Json]:
    """The declaration as JSON: its own fields, with functions, code and example values left out."""
    described = describe(one)
    lead, told = split(one.doc)
    sections: dict[str, Json] = {
        part.title: "\n\n".join(body.text for body in part.bodies if isinstance(body, Prose)) for part in told
    }
    head: dict[str, Json] = {
        "schema": SCHEMA,
        "type": described.kind,
        "id": one.id,
        "summary": first_sentence(described.lead),
    }
    return {**head, **_fields(one), "lead": lead, "sections": sections}


def _fields(one: Declaration) -> dict[str, Json]:
    if isinstance(one, Probe):
        gives: list[Json] = [kind.fact for kind in one.gives]
        said = {name: encode(getattr(one, name)) for name in ("reads", "needs", "limit", "instead", "at_start")}
        return {**said, "gives": gives, "examples": list(one.examples)}
    if isinstance(one, Rule):
        return {"cause": one.cause, "bad": list(one.bad), "good": list(one.good)}
    if isinstance(one, Phrase):
        return {"says": one.says, "patterns": list(one.patterns), "ended": one.ended, "fires": list(one.fires),
                "quiet": list(one.quiet)}  # fmt: skip
    if isinstance(one, Reader):
        return {"gives": [kind.fact for kind in one.gives], "examples": list(one.examples)}
    if isinstance(one, Check):
        kept = ("family", "root", "background", "supplied_by", "given", "severity")
        names: dict[str, Json] = {"fires": list(one.fires), "quiet": list(one.quiet)}
        reads: list[Json] = [kind.fact for kind in one.reads]
        also: list[Json] = [kind.fact for kind in one.also]
        return {**{name: encode(getattr(one, name)) for name in kept}, "reads": reads, "also": also, **names,
                "options": dict(_options(one))}  # fmt: skip
    encoded = encode(one)
    assert isinstance(encoded, dict)
    hidden = ("id", "doc", "module", "path")
    added = {"prior": prior(one)} if isinstance(one, Cause) else {"names": encode(one.names)}
    return {**{name: value for name, value in encoded.items() if name not in hidden}, **added}
