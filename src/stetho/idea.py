"""Something to try: a named intervention, or edits that somebody has made."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stetho import patch
from stetho.catalogue import Catalogue, load
from stetho.errors import BadRequest, UnknownName
from stetho.experiment import Change, Edit, ExperimentKind
from stetho.intervention import Intervention

EDITED = "edited"


@dataclass(frozen=True)
class Idea:
    """One thing to try: a named intervention, or edits that somebody has made."""

    label: str
    kind: ExperimentKind
    question: str
    intervention: Intervention
    value: str
    edits: tuple[Edit, ...] = ()

    @property
    def change(self) -> Change:
        """The same, as it is written into the case."""
        if self.edits:
            return Change(self.label, edits=self.edits)
        return Change(self.intervention.id, self.value, group=self.intervention.groups.get(self.value, ""))


def ideas_from(names: Sequence[str], patches: Sequence[Path], trees: Sequence[Path], cwd: str) -> tuple[Idea, ...]:
    """What was asked for on the command line, checked before anything runs."""
    catalogue = load()
    found = [named(catalogue, name) for name in names]
    edited = catalogue.interventions[EDITED]
    for source in (*patches, *trees):
        edits = patch.from_diff(source, cwd) if source in patches else patch.from_tree(source, cwd)
        files = [edit.file for edit in edits]
        label = f"{'patch' if source in patches else 'tree'} {source.name}"
        found.append(Idea(label, "trial fix", edited.question, edited, json.dumps(files), edits))
    if len({idea.label for idea in found}) < len(found):
        raise BadRequest("the same change is asked for twice")
    return tuple(found)


def named(catalogue: Catalogue, name: str) -> Idea:
    """An intervention by its name and value, as `lr=x10`."""
    id, _, value = name.partition("=")
    one = catalogue.interventions.get(id)
    if one is None or not one.by_hand:
        near = nearest(catalogue, id)
        if not near:
            raise BadRequest(f"there is no intervention '{id}'; stetho try --list shows them all")
        raise UnknownName("intervention", id, near)
    one.check(value)
    kind: ExperimentKind = "smoke" if one.kind == "smoke" else "control"
    return Idea(name, kind, one.question, one, value)


def nearest(catalogue: Catalogue, name: str) -> list[str]:
    """The interventions that a name may have meant: those spelled much like it, and those that speak of its words."""
    known = {one.id: one for one in catalogue.interventions.values() if one.by_hand}
    spelled = difflib.get_close_matches(name, known, 3, 0.6)
    words = [word for word in re.split(r"[^a-z]+", name.lower()) if len(word) > 2]
    said = {id: re.findall(r"[a-z]{3,}", one.doc.partition("\n")[0].lower()) for id, one in known.items()}
    meant = {
        id: sum(bool(difflib.get_close_matches(word, told, 1, 0.8)) for word in words) for id, told in said.items()
    }
    spoken = sorted((id for id, count in meant.items() if count), key=lambda id: -meant[id])
    return list(dict.fromkeys([*spelled, *spoken]))[:3]
