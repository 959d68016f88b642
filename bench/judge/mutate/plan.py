"""All mutants of all healthy cases: which there are, and how one is laid out from its id alone."""

from __future__ import annotations

import ast
import hashlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, zip_longest
from pathlib import Path

from bench.judge import case as corpus
from bench.judge.case import HEALTHY, Case, Place, Wrong
from bench.judge.mutate.operator import Operator, operators
from bench.judge.mutate.program import Mutation, Program, Unfit, read
from bench.judge.running import SCRATCH

# So many places of a base does one operator change, each in a mutant of its own; one is enough for what means nothing.
MOST, MOST_PRESERVING = 2, 1


@dataclass(frozen=True)
class Mutant:
    """One healthy program with one change."""

    id: str
    base: Case
    operator: Operator
    site: int
    program: Program = field(compare=False, repr=False)
    mutation: Mutation = field(compare=False, repr=False)

    @property
    def places(self) -> tuple[Place, ...]:
        return self.program.places(self.mutation)

    def digest(self) -> str:
        """Changes whenever the base or what is made of it does."""
        told = hashlib.sha256(self.base.digest().encode())
        for file, text in sorted(self.program.apply(self.mutation).items()):
            told.update(f"{file}\0{text}\0".encode())
        for one in self.mutation.rewrites:
            told.update(one.file.encode() + b"\0" + one.make() + b"\0")
        return told.hexdigest()[:16]


@cache
def _laid(case: Case) -> Path:
    """Where a case is laid out for looking at; its own folder when it has no data to make."""
    if not case.makes_data:
        return case.folder
    # Kept for as long as this process runs: data operators read their files when they are asked to.
    folder = tempfile.TemporaryDirectory(prefix="stetho-bench-", dir=SCRATCH)
    _kept.append(folder)
    corpus.lay(case, Path(folder.name) / case.name)
    return Path(folder.name) / case.name


_kept: list[tempfile.TemporaryDirectory[str]] = []


@cache
def program_of(case: Case) -> Program:
    return read(_laid(case), case.command)


def sites(operator: Operator, program: Program) -> Iterator[Mutation]:
    """What an operator changes in a program: different, whole programs, at most so many."""
    yield from islice(_whole(operator, program), MOST_PRESERVING if operator.preserving else MOST)


def _whole(operator: Operator, program: Program) -> Iterator[Mutation]:
    before = {file: source.text for file, source in program.sources.items()}
    seen = [before]
    for mutation in operator.mutations(program):
        try:
            after = before | program.apply(mutation)
            for text in after.values():
                ast.parse(text)
        except (Unfit, SyntaxError):
            continue
        if mutation.rewrites or after not in seen:
            seen.append(after)
            yield mutation


def bases() -> list[Case]:
    """The healthy cases; how the others are written down is no matter here."""
    return [corpus.load(name) for name in corpus.names() if corpus.family_of(name) == HEALTHY]


def mutants_of(case: Case, operator: Operator) -> Iterator[Mutant]:
    program = program_of(case)
    for site, mutation in enumerate(sites(operator, program)):
        yield Mutant(f"{case.name}~{operator.id}~{site}", case, operator, site, program, mutation)


def planned() -> list[Mutant]:
    """All mutants in an order in which any first part covers operators and bases evenly."""
    every = bases()
    columns = []
    for index, operator in enumerate(operators()):
        # Each operator begins with another base, and comes to second places when all bases have had a first.
        turn = [*every[index % len(every) :], *every[: index % len(every)]] if every else []
        found = [mutant for case in turn for mutant in mutants_of(case, operator)]
        columns.append(sorted(found, key=lambda mutant: mutant.site))
    return [mutant for row in zip_longest(*columns) for mutant in row if mutant is not None]


def find(name: str) -> Mutant:
    """One mutant by its id."""
    base, _, rest = name.partition("~")
    operator, _, site = rest.partition("~")
    for one in operators():
        if one.id == operator:
            for mutant in mutants_of(corpus.load(base), one):
                if mutant.id == name:
                    return mutant
    raise Wrong(f"{name}: there is no operator {operator} that has a site {site} in {base}")


def lay(mutant: Mutant, folder: Path, seed: int = 0) -> None:
    """Lay a mutant out in a folder that is not there yet, as a case is laid out."""
    corpus.lay(mutant.base, folder, seed=seed)
    program = read(folder, mutant.base.command)
    mutation = next(islice(sites(mutant.operator, program), mutant.site, None), None)
    if mutation is None:
        raise Wrong(f"{mutant.id}: with seed {seed} there is no such site")
    for file, text in program.apply(mutation).items():
        (folder / file).write_text(text, encoding="utf-8")
    made = [(folder / one.file, one.make()) for one in mutation.rewrites]
    for path, content in made:
        path.write_bytes(content)
