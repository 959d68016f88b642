"""Every declaration keeps its promises: its examples hold, its names exist, its numbers add up, its text is whole."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

import pytest

import stetho.causes
import stetho.fixes
from stetho import catalogue, reason
from stetho.artifact import Artifact, artifact_at
from stetho.cause import Cause
from stetho.check import Check, Example, Judgement, judge
from stetho.codec import decode
from stetho.facts import FACTS, Fact
from stetho.intervention import OUTCOMES
from stetho.outcome import WAYS
from stetho.phrase import Phrase
from stetho.probe import Example as ProbeExample
from stetho.probe import Probe
from stetho.question import Question, Way
from stetho.reader import Content, Flaw, Reader, Reading
from stetho.reader import Example as ReaderExample
from stetho.rule import Rule
from stetho.series import Series
from stetho.text.even import even
from stetho.text.shapes import Vocabulary

CATALOGUE = catalogue.load()
VOCABULARY = tuple((Path(__file__).parent / "vocabulary.txt").read_text(encoding="utf-8").split())
PACKAGE = Path(stetho.causes.__file__).parents[1]
SCHEMA = json.loads((PACKAGE / "render" / "verdict.schema.json").read_text(encoding="utf-8"))
VARIANTS = {name for one in CATALOGUE.interventions.values() for name in one.names}
SYMPTOMS = {one.id for one in CATALOGUE.checks.values() if one.family == "symptoms"}

SECTIONS = {
    "checks": ("Why it matters", "False alarms"),
    "rules": ("Why it matters", "False alarms"),
    "causes": ("What happens", "How it is told apart", "How it is fixed"),
    "interventions": ("What changes", "How it is known", "What it tells", "When it says nothing"),
    "probes": ("What it reads", "What it leaves"),
    "readers": ("What it reads", "What it leaves"),
    "phrases": ("What it tells", "What it does not tell"),
    "questions": ("Why it is asked", "How it is answered"),
}
EVERYTHING = [pytest.param(kind, one, id=f"{kind}: {one.id}") for kind, one in CATALOGUE.everything()]
CHECKS = [pytest.param(one, id=one.id) for one in CATALOGUE.checks.values()]
CAUSES = [pytest.param(one, id=one.id) for one in CATALOGUE.causes.values()]
RULES = [pytest.param(one, id=one.id) for one in CATALOGUE.rules.values()]


def test_nothing_is_missing_from_the_catalogue() -> None:
    kinds = {kind for kind, _ in CATALOGUE.everything()}
    assert kinds == set(catalogue.KINDS) == set(SECTIONS)


def test_an_id_is_used_once_over_all_kinds() -> None:
    """`explain` finds a declaration by its id alone."""
    counts = Counter(one.id for _, one in CATALOGUE.everything())
    assert [id for id, count in counts.items() if count > 1] == []


@pytest.mark.parametrize(("kind", "one"), EVERYTHING)
def test_an_id_is_what_its_kind_is_called_by(kind: str, one: catalogue.Declaration) -> None:
    pattern = r"[a-z]+/[a-z0-9]+(-[a-z0-9]+)*" if kind == "causes" else r"[a-z0-9]+(-[a-z0-9]+)*"
    assert re.fullmatch(pattern, one.id)


# --- names: the folder is the registry -----------------------------------------------------------------------


def built_in_causes() -> Iterator[tuple[str, Cause]]:
    for info in pkgutil.walk_packages(stetho.causes.__path__, "stetho.causes."):
        for one in catalogue.declarations(importlib.import_module(info.name)):
            assert isinstance(one, Cause)
            yield info.name.removeprefix("stetho.causes."), one


@pytest.mark.parametrize(("module", "cause"), [pytest.param(m, c, id=c.id) for m, c in built_in_causes()])
def test_a_cause_is_named_after_its_file_and_in_the_vocabulary(module: str, cause: Cause) -> None:
    assert cause.id == module.replace(".", "/").replace("_", "-")
    assert cause.id in VOCABULARY
    assert CATALOGUE.causes[cause.id] == cause


def test_every_file_under_causes_declares_one_cause() -> None:
    files = [f for f in (PACKAGE / "causes").rglob("*.py") if f.name != "__init__.py"]
    assert len(files) == len(list(built_in_causes()))


def test_the_vocabulary_is_a_list_of_different_ids() -> None:
    assert len(set(VOCABULARY)) == len(VOCABULARY) > 100
    assert all(re.fullmatch(r"[a-z]+/[a-z0-9-]+", id) for id in VOCABULARY)


@pytest.mark.parametrize("one", [c for c in CHECKS if c.values[0].function.__module__.startswith("stetho.")])
def test_a_check_is_named_after_its_file_and_its_folder(one: Check) -> None:
    assert one.function.__module__ == f"stetho.checks.{one.family}.{one.id.replace('-', '_')}"


# --- texts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "one"), EVERYTHING)
def test_a_text_begins_with_one_sentence(kind: str, one: catalogue.Declaration) -> None:
    lead = one.doc.split("\n\n", 1)[0]
    assert re.fullmatch(r"[^\s].*[^.]\.", lead, re.DOTALL), lead
    assert not re.search(r"[.!?]\s+[A-Z]", lead), f"more than one sentence: {lead}"
    assert "##" not in lead


@pytest.mark.parametrize(("kind", "one"), EVERYTHING)
def test_a_text_has_the_sections_of_its_kind(kind: str, one: catalogue.Declaration) -> None:
    parts = re.split(r"^## (.*)$", one.doc, flags=re.MULTILINE)
    titles, bodies = parts[1::2], parts[2::2]
    assert tuple(titles) == SECTIONS[kind]
    assert all(body.strip().endswith(".") for body in bodies)


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_says_how_it_is_stated_tested_and_fixed(cause: Cause) -> None:
    """These are pasted into sentences: no capital, no full stop."""
    for text in (cause.statement, cause.test, cause.fix):
        assert text and not text.endswith(".")
        assert text.split()[0] == "NaN" or text[0].islower()


# --- examples: checks ----------------------------------------------------------------------------------------


def facts_of(one: Check, example: Example) -> dict[type[Fact], tuple[str, Fact]]:
    """The facts that an example stands for; a single fact is given bare, and one that is only used may be missing."""
    bodies = bodies_of(one, example)
    kinds = [kind for kind in (*one.reads, *one.also) if kind in one.reads or kind.fact in bodies]
    return {kind: (f"E{n}", decode(kind, bodies[kind.fact])) for n, kind in enumerate(kinds, 1)}


def bodies_of(one: Check, example: Example) -> Mapping[str, Example]:
    return {one.reads[0].fact: example} if len(one.reads) + len(one.also) == 1 else example


def check_examples(which: str) -> list[Any]:
    return [
        pytest.param(one, example, id=f"{one.id}: {name}")
        for one in CATALOGUE.checks.values()
        for name, example in getattr(one, which).items()
    ]


def judged(one: Check, example: Example) -> Judgement:
    return judge(one, facts_of(one, example))


@pytest.mark.parametrize(("one", "example"), check_examples("fires"))
def test_a_check_fires_on_its_example(one: Check, example: Example) -> None:
    answer = judged(one, example)
    assert answer.outcome == "fired"
    assert answer.cites == tuple(f"E{n}" for n in range(1, len(bodies_of(one, example)) + 1))
    assert all(finding.message.strip() and "\n" not in finding.message for finding in answer.findings)


@pytest.mark.parametrize(("one", "example"), check_examples("quiet"))
def test_a_check_is_quiet_on_its_example(one: Check, example: Example) -> None:
    assert judged(one, example).outcome == "quiet"


@pytest.mark.parametrize("one", CHECKS)
def test_a_check_shows_both_sides_and_is_unknown_without_its_facts(one: Check) -> None:
    assert one.fires and one.quiet
    assert judge(one, {}).outcome == "unknown"
    assert judge(one, {}).missing == tuple(kind.fact for kind in one.reads)


@pytest.mark.parametrize(("one", "example"), check_examples("fires") + check_examples("quiet"))
def test_an_example_names_only_what_its_facts_have(one: Check, example: Example) -> None:
    """A misspelt key would be passed over by `decode` and the example would test something else."""
    bodies = bodies_of(one, example)
    assert {kind.fact for kind in one.reads} <= set(bodies) <= {kind.fact for kind in (*one.reads, *one.also)}
    for fact, body in bodies.items():
        assert set(body) <= {field.name for field in fields(FACTS[fact])}


# --- examples: readers and rules -----------------------------------------------------------------------------


def default_of(field: Field[Any]) -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def laid_out(content: Content, folder: Path, name: str = "thing") -> Artifact:
    """An example's content on disk, under a name that says nothing unless another is given."""
    path = folder / name
    files = content if isinstance(content, Mapping) else {"": content}
    for name, held in files.items():
        file = path / name if name else path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(held if isinstance(held, bytes) else held.encode())
    found = artifact_at(path)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("one", "example"),
    [
        pytest.param(one, example, id=f"{one.id}: {name}")
        for one in CATALOGUE.readers.values()
        for name, example in one.examples.items()
    ],
)
def test_a_reader_finds_in_its_example_what_it_says(one: Reader, example: ReaderExample, tmp_path: Path) -> None:
    artifact = laid_out(example.content, tmp_path, example.name)
    sure = {other.id: other.recognises(artifact) for other in CATALOGUE.readers.values()}
    assert sure[one.id] == max(sure.values()) > 0, "another reader would take it"
    pieces = list(one.function(artifact))
    readings = [piece for piece in pieces if isinstance(piece, Reading)]
    series = [piece for piece in pieces if isinstance(piece, Series)]
    assert len([piece for piece in pieces if isinstance(piece, Flaw)]) == example.flaws
    assert [type(r.fact) for r in readings] == [type(fact) for fact in example.facts]
    for reading, fact in zip(readings, example.facts, strict=True):
        for field in fields(fact):
            if getattr(fact, field.name) != default_of(field):
                assert getattr(reading.fact, field.name) == getattr(fact, field.name), field.name
        assert isinstance(reading.fact, one.gives)
        assert reading.summary.strip()
    assert {one.name: [*map(repr, one.values.tolist())] for one in series} == {
        name: [repr(float(value)) for value in values] for name, values in example.series.items()
    }


@pytest.mark.parametrize("one", [pytest.param(r, id=r.id) for r in CATALOGUE.readers.values()])
def test_a_reader_finds_nothing_in_nothing(one: Reader, tmp_path: Path) -> None:
    assert one.examples
    for content in (b"", {"empty": b""}):
        artifact = laid_out(content, tmp_path / str(type(content).__name__))
        assert one.recognises(artifact) == 0.0
        assert [piece for piece in one.function(artifact) if not isinstance(piece, Flaw)] == []


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(example, id=f"{one.id}: {name}")
        for one in CATALOGUE.probes.values()
        for name, example in one.examples.items()
    ],
)
def test_a_probe_reads_from_its_example_what_it_says(example: ProbeExample) -> None:
    assert example.parser(example.text) == example.gives


@pytest.mark.parametrize("one", [pytest.param(p, id=p.id) for p in CATALOGUE.probes.values()])
def test_a_probe_keeps_within_the_time_that_all_have_together(one: Probe) -> None:
    assert 0 < one.limit < 3
    assert one.reads and one.gives
    assert all(issubclass(kind, Fact) for kind in one.gives)
    if one.function.__module__.startswith("stetho."):
        assert one.instead
        assert one.function.__module__ == f"stetho.probes.{one.id.replace('-', '_')}"


def phrase_examples(which: str) -> list[Any]:
    return [
        pytest.param(one, line, id=f"{one.id}: {line[:60]}")
        for one in CATALOGUE.phrases.values()
        for line in getattr(one, which)
    ]


def says(one: Phrase, line: str) -> bool:
    return one.id in Vocabulary((one,)).said_in(even(line.encode()))


@pytest.mark.parametrize(("one", "line"), phrase_examples("fires"))
def test_a_phrase_is_found_in_its_example(one: Phrase, line: str) -> None:
    assert says(one, line)
    assert says(one, f"[rank1]: {line}"), "whoever says it"


@pytest.mark.parametrize(("one", "line"), phrase_examples("quiet"))
def test_a_phrase_is_not_found_where_it_is_not_said(one: Phrase, line: str) -> None:
    assert not says(one, line)


@pytest.mark.parametrize("one", [pytest.param(p, id=p.id) for p in CATALOGUE.phrases.values()])
def test_a_phrase_shows_both_sides_and_hangs_on_no_digit(one: Phrase) -> None:
    assert one.fires and one.quiet and one.says and not one.says.endswith(".")
    assert all(word == word.lower() for word in one.words)
    assert not any(re.search(r"[1-9]", re.sub(r"\{[^}]*\}", "", said)) for said in (*one.patterns, *one.words))


@pytest.mark.parametrize("one", [pytest.param(p, id=p.id) for p in CATALOGUE.phrases.values()])
def test_each_pattern_of_a_phrase_has_an_example(one: Phrase) -> None:
    """What no example says may be something that the phrase's words never let through."""
    said = [even(line.encode()).decode() for line in one.fires]
    assert [pattern for pattern in one.patterns if not any(re.search(pattern, line) for line in said)] == []


def ways() -> list[Any]:
    return [
        pytest.param(way, name, id=f"{one.id}: {way.reads.fact}: {name}")
        for one in CATALOGUE.questions.values()
        for way in one.ways
        for name in way.examples
    ]


@pytest.mark.parametrize(("way", "name"), ways())
def test_a_fact_answers_a_question_as_its_example_says(way: Way, name: str) -> None:
    fields, step, expected = way.examples[name]
    assert way.answer(decode(way.reads, dict(fields)), step) == expected


@pytest.mark.parametrize("one", [pytest.param(q, id=q.id) for q in CATALOGUE.questions.values()])
def test_a_question_is_asked_of_symptoms_that_exist(one: Question) -> None:
    """It shows an answer for every way, and is a question to a person where no way has one."""
    assert one.about and set(one.about) <= set(SCHEMA["$defs"]["symptom"]["properties"]["id"]["enum"])
    assert all(any(answer for _, _, answer in way.examples.values()) for way in one.ways)
    assert one.asks.endswith("?") and one.otherwise and not one.otherwise.endswith(".")


def rule_examples(which: str) -> list[Any]:
    return [
        pytest.param(one, code, id=f"{one.id}: {name}")
        for one in CATALOGUE.rules.values()
        for name, code in getattr(one, which).items()
    ]


@pytest.mark.parametrize(("one", "code"), rule_examples("bad"))
def test_a_rule_reports_its_bad_code(one: Rule, code: str) -> None:
    hits = list(one.function(ast.parse(code)))
    assert hits
    for hit in hits:
        assert hit.message.strip()
        assert 0 <= hit.column < len(code.splitlines()[hit.line - 1])


@pytest.mark.parametrize(("one", "code"), rule_examples("good"))
def test_a_rule_leaves_its_good_code_alone(one: Rule, code: str) -> None:
    assert list(one.function(ast.parse(code))) == []


@pytest.mark.parametrize("one", RULES)
def test_a_rule_shows_both_sides(one: Rule) -> None:
    assert one.bad and one.good


# --- names that refer to other declarations ------------------------------------------------------------------


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_refers_to_what_exists(cause: Cause) -> None:
    assert set(cause.predicts) <= set(CATALOGUE.checks) | VARIANTS
    assert set(cause.mechanism) <= set(CATALOGUE.checks) - SYMPTOMS
    assert cause.trial is None or cause.trial in VARIANTS
    assert set(cause.symptoms) <= SYMPTOMS | {"none"}


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cause_predicts_in_the_form_that_fits(cause: Cause) -> None:
    """A number for a check, a table for an intervention; a symptom is told in `symptoms`, not here."""
    for name, said in cause.predicts.items():
        assert isinstance(said, Mapping) == (name in VARIANTS), name
        if not isinstance(said, Mapping):
            assert 0 < said < 1
            assert name not in SYMPTOMS


@pytest.mark.parametrize("cause", CAUSES)
def test_a_fault_can_be_shown_at_work(cause: Cause) -> None:
    """What shows the mechanism is likely under the cause, and the trial fix is expected to help.

    Where a fault flatters the results, its cure is expected to show how good they really are.
    """
    assert bool(cause.mechanism) == cause.is_fault
    for name in cause.mechanism:
        said = cause.predicts.get(name, CATALOGUE.checks[name].given.get(cause.id))
        assert isinstance(said, float) and said >= 0.5
    if cause.trial is not None:
        table = cause.predicts[cause.trial]
        assert isinstance(table, Mapping)
        assert table["symptom-gone"] + table["worse" if cause.flatters else "better"] >= 0.5


@pytest.mark.parametrize("one", CHECKS)
def test_a_check_refers_to_what_exists(one: Check) -> None:
    assert set(one.given) <= set(CATALOGUE.causes)
    assert one.restates in SYMPTOMS | {""}
    assert all(0 < fires < 1 for fires in one.given.values())
    assert one.supplied_by is None or one.supplied_by in set(CATALOGUE.interventions) | VARIANTS
    assert all(FACTS.get(kind.fact) is kind for kind in (*one.reads, *one.also))
    assert 0 < one.background < 0.5
    assert (one.severity > 0) == (one.family == "symptoms")


def test_symptoms_have_an_order() -> None:
    severities = [one.severity for one in CATALOGUE.checks.values() if one.family == "symptoms"]
    assert len(set(severities)) == len(severities)


@pytest.mark.parametrize("one", RULES)
def test_a_rule_leads_to_a_cause_of_the_vocabulary(one: Rule) -> None:
    assert one.cause in VOCABULARY


def test_every_check_bears_on_a_cause() -> None:
    spoken = {name for cause in CATALOGUE.causes.values() for name in (*cause.predicts, *cause.symptoms)}
    silent = {one.id for one in CATALOGUE.checks.values() if not one.given} - spoken
    assert silent == set()


def test_cures_are_for_causes_and_one_module_cures_each_in_code_and_in_data() -> None:
    modules = [importlib.import_module(i.name) for i in pkgutil.iter_modules(stetho.fixes.__path__, "stetho.fixes.")]
    cured = [(cause, getattr(module, "DATA", False)) for module in modules for cause in module.CURES]
    assert cured
    assert {cause for cause, _ in cured} <= set(CATALOGUE.causes)
    assert len(set(cured)) == len(cured)


def test_every_symptom_is_in_the_published_schema() -> None:
    published = SCHEMA["$defs"]["symptom"]["properties"]["id"]["enum"]
    assert SYMPTOMS - set(published) == set()


def test_the_published_schema_knows_every_outcome() -> None:
    known = SCHEMA["$defs"]["outcome"]["enum"]
    assert set(known) == {*OUTCOMES, *reason.NO_EVIDENCE}


# --- numbers -------------------------------------------------------------------------------------------------


def outcome_tables() -> Iterator[Any]:
    for cause in CATALOGUE.causes.values():
        for name, said in cause.predicts.items():
            if isinstance(said, Mapping):
                yield pytest.param(said, id=f"{cause.id}: {name}")
        if cause.otherwise is not None:
            yield pytest.param(cause.otherwise, id=f"{cause.id}: otherwise")
    for one in CATALOGUE.interventions.values():
        for name, table in zip(one.names, one.backgrounds.values(), strict=True):
            yield pytest.param(table, id=f"background of {name}")
    yield pytest.param(reason.CURED, id="cured")
    yield pytest.param(reason.NOT_CURED, id="not cured")


@pytest.mark.parametrize("table", list(outcome_tables()))
def test_an_outcome_table_is_a_distribution_over_the_outcomes(table: Mapping[str, float]) -> None:
    assert set(table) <= set(OUTCOMES)
    assert sum(table.values()) == pytest.approx(1, abs=1e-6)
    assert all(probability >= 0 for probability in table.values())


@pytest.mark.parametrize("cause", CAUSES)
def test_the_symptoms_of_a_cause_exclude_each_other(cause: Cause) -> None:
    assert all(probability > 0 for probability in cause.symptoms.values())
    assert 0 < sum(cause.symptoms.values()) <= 1 + 1e-6


def test_shares_leave_room_in_every_category() -> None:
    shares: dict[str, float] = defaultdict(float)
    for cause in CATALOGUE.causes.values():
        assert cause.share > 0
        shares[cause.category] += cause.share
    assert {category: share for category, share in shares.items() if share > 1 + 1e-9} == {}


@pytest.mark.parametrize("one", [pytest.param(one, id=one.id) for one in CATALOGUE.interventions.values()])
def test_an_intervention_says_what_it_is(one: catalogue.Intervention) -> None:
    assert one.kind in ("smoke", "control")
    assert one.question.endswith("?")
    assert one.applies and one.cost > 0
    assert set(one.groups) <= set(one.backgrounds)
    assert one.id == Path(one.path).stem.replace("_", "-")


# --- what runs in the user's interpreter ---------------------------------------------------------------------

GUESTS = sorted((PACKAGE / "observer").rglob("*.py")) + sorted((PACKAGE / "interventions").glob("*.py"))


def imported(tree: ast.AST) -> Iterator[str]:
    """Top-level names of what a file imports when it runs; a relative import is its dots."""
    typing = [n for n in ast.walk(tree) if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    unread = {node for block in typing for statement in block.body for node in ast.walk(statement)}
    for node in ast.walk(tree):
        if node in unread:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level or (node.module or "").split(".")[0]


@pytest.mark.parametrize("file", [pytest.param(f, id=str(f.relative_to(PACKAGE))) for f in GUESTS])
def test_a_guest_imports_only_what_its_host_has(file: Path) -> None:
    """The user's interpreter has the standard library and torch; it may be Python 3.9."""
    tree = ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 9))
    # As many dots as lead no further up than the observer's own folder.
    depth = len(file.relative_to(PACKAGE / "observer").parts) if "observer" in file.parts else 0
    allowed = {*sys.stdlib_module_names, "torch", *("." * level for level in range(1, depth + 1))}
    assert set(imported(tree)) - allowed == set()


def test_the_guests_are_looked_at() -> None:
    names = {file.name for file in GUESTS}
    assert {"watch.py", "sitecustomize.py", "lr.py"} <= names
    assert set(imported(ast.parse("import a.b, c\nfrom d.e import f\nfrom . import g\nfrom ..h import i"))) == {
        "a", "c", "d", ".", "..",
    }  # fmt: skip


# --- by what a change is judged ------------------------------------------------------------------------------


def test_what_a_change_alters_is_something_that_the_judging_knows() -> None:
    # That nothing but evaluation changes may be said by a change only when it sees what it does in a program; that
    # data is rid of what is wrong in it, only by a cure.
    assert {one.alters for one in CATALOGUE.interventions.values()} | {"evaluation", "cleaned"} == set(WAYS)


def test_what_is_said_to_be_altered_elsewhere_is_something_that_the_judging_knows() -> None:
    """Cures say it of themselves, and changes when they see what they do in a program."""
    said = [
        word
        for folder in ("fixes", "interventions", "observer/change")
        for file in (PACKAGE / folder).glob("*.py")
        for word in re.findall(r'\balters ?= ?"([^"]*)"', file.read_text(encoding="utf-8"))
    ]
    assert {"held-out", "evaluation", "loss"} <= set(said) <= set(WAYS)


@pytest.mark.parametrize("word", WAYS)
def test_a_way_of_judging_says_what_is_altered_and_what_tells_then(word: str) -> None:
    altered, _, telling = WAYS[word].means.partition(": ")
    assert altered and telling
    assert not telling.endswith(".")
