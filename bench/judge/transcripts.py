"""Real investigations, as a user sees them: docs/transcripts.md.

    python -m bench.judge.transcripts [--only TEXT]   # investigate the chosen programs anew, and write the page
    python -m bench.judge.transcripts --page          # the page from what is stored, without running anything

What is known of each is stored in bench/results/transcripts.jsonl: what stood first after the unchanged run, what was
claimed in the end, exit codes, and what is to be tested next.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.judge import store
from bench.judge.case import ROOT
from bench.judge.running import environment, scratch
from bench.judge.split import TUNE
from bench.judge.subject import Subject, subjects

STORED = ROOT / "bench" / "results" / "transcripts.jsonl"
PAGE = ROOT / "docs" / "transcripts.md"
FLOOR = 0.02
MOST_LEADERS = 3
CORRECTED, OPEN = "corrected", "open"


@dataclass(frozen=True)
class Chosen:
    """A program of the tune side, what is asked about it, and what is true of it."""

    subject: str
    part: str
    true: str
    """One sentence, from what was planted."""
    why: str = ""
    """One sentence: why what was asked cannot tell."""
    options: tuple[str, ...] = ("--budget", "2m")
    log: bool = False
    """Whether only the output of a run that is over is judged."""


CHOSEN = (
    Chosen(
        "energy-surface", CORRECTED,
        "Four of the model's blocks are in a plain list, so that the optimizer does not hold their parameters.",
    ),
    Chosen(
        "recipe-tags", CORRECTED,
        "Each recipe has any number of eight tags, and the loss is the one for exactly one of eight classes.",
    ),
    Chosen(
        "grade-ordinal~feature-unscaled~0", CORRECTED,
        "One of the features is ten thousand times as large as the others.",
    ),
    Chosen(
        "stamp-album", OPEN,
        "Labels and scans were shuffled apart, and held-out labels as well.",
        "The budget ends before the controls that would tell have been run, so they stay the next tests.",
        ("--budget", "45s"),
    ),
    Chosen(
        "friedman-regression", OPEN,
        "Nothing clears the gradients between two steps.",
        "The log says that the loss explodes and nothing of gradients and rate, which is how the causes would be told "
        "apart.",
        (), log=True,
    ),
    Chosen(
        "tide-uncertainty~lr-too-high~0", OPEN,
        "The learning rate is thirty times what it was when the program trained well.",
        "A smaller rate and a clipped gradient cure a loss that is too steep as well, and nothing else that could be "
        "changed tells the two apart.",
        ("--budget", "4m"),
    ),
)  # fmt: skip


def commands(one: Chosen, subject: Subject) -> Iterator[tuple[str, ...]]:
    """What the user types."""
    if one.log:
        yield ("stetho", "why", *one.options, "run.log")
        return
    if one.part == CORRECTED:
        yield ("stetho", "why", "--no-experiments", *one.options, "--", *subject.command)
    yield ("stetho", "why", *one.options, "--", *subject.command)


def investigate(one: Chosen, subject: Subject) -> dict[str, Any]:
    """Type it, in a copy that knows nothing of the truth, and keep what is said."""
    with scratch() as held:
        folder = Path(held) / subject.base
        subject.lay(folder)
        if one.log:
            with (folder / "run.log").open("wb") as out:
                subprocess.run(subject.command, cwd=folder, env=environment(), stdout=out, stderr=out)
        asked = [_typed(command, folder) for command in commands(one, subject)]
    verdicts = [verdict for _, verdict in asked]
    first = next(iter(leaders(verdicts[0])), ("", 0.0))
    claim = verdicts[-1]["claim"]
    return {
        "subject": subject.id, "part": one.part, "true": one.true, "why": one.why,
        "accepted": sorted(subject.accepted), "runs": [run for run, _ in asked], "first": first,
        "status": verdicts[-1]["status"], "leaders": leaders(verdicts[-1]), "claim": claim and claim["cause"],
        "correction": correction(verdicts[-1], first[0]), "next": [test["test"] for test in verdicts[-1]["next"]],
    }  # fmt: skip


def _typed(command: Sequence[str], folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a command prints and its exit code, and the same verdict as a document."""
    known = dict(cwd=folder, env={**environment(), "COLUMNS": "110", "NO_COLOR": "1"}, stdin=subprocess.DEVNULL)
    done = subprocess.run([*command[:2], "-q", *command[2:]], capture_output=True, text=True, **known)
    shown = subprocess.run(["stetho", "cases", "show", "last", "--json"], capture_output=True, text=True, **known)
    if not done.stdout or shown.returncode not in (0, 1, 3):
        raise RuntimeError(f"{' '.join(command)}: {done.stderr or shown.stderr}")
    run = {"command": " ".join(command), "exit": done.returncode, "text": as_seen(done.stdout, folder)}
    return run, json.loads(shown.stdout)


def as_seen(text: str, folder: Path) -> str:
    """The text as in a project below one's home directory."""
    for path in (os.path.realpath(folder), str(folder)):
        text = text.replace(path, f"~/{folder.name}")
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def leaders(verdict: Mapping[str, Any]) -> list[tuple[str, float]]:
    """The first hypotheses with their probabilities."""
    return [(one["cause"], round(one["probability"], 4)) for one in verdict["hypotheses"][:MOST_LEADERS]]


def correction(verdict: Mapping[str, Any], first: str) -> dict[str, Any] | None:
    """The experiment that speaks most for what is claimed against what stood first."""
    if verdict["claim"] is None:
        return None
    claim, found = verdict["claim"]["cause"], []
    for one in verdict["experiments"]:
        chances = [max(FLOOR, one["predicted"].get(cause, {}).get(one["outcome"], 0.0)) for cause in (claim, first)]
        if one["predicted"] and one["outcome"] not in ("not-applied", "undecided"):
            told = {"claimed": round(chances[0], 3), "first": round(chances[1], 3)}
            found.append((chances[0] / chances[1], {k: one[k] for k in ("id", "intervention", "outcome")} | told))
    return max(found, key=lambda pair: pair[0], default=(0.0, None))[1]


HEAD = """# Real investigations

Written by `make transcripts`; do not edit. `python -m bench.judge.transcripts --page` writes it again from what is
stored in `bench/results/transcripts.jsonl`. This is what the terminal shows, without colours and progress lines. The
programs are of the corpus, and were looked at while stetho was made ([the tune side](judging.md#the-split)): examples
of how an investigation goes, no estimate of how often it goes well. For that, see the [scoreboard](scoreboard.md).
"""
PARTS = {
    CORRECTED: """## First wrong, then corrected

What stands first after the unchanged run is a hypothesis. In these it was wrong, and an experiment showed it. The first
command asks for no experiment; the second goes on from the same run.
""",
    OPEN: """## Not established

Where what is there cannot tell, nothing is claimed, and the next test is named. The exit code is 3.
""",
}


def page(rows: Sequence[Mapping[str, Any]]) -> str:
    """The page of what is stored."""
    parts = [HEAD]
    for part, head in PARTS.items():
        parts += [head, *(text for row in rows if row["part"] == part for text in _investigation(row))]
    return "\n".join(parts)


def _investigation(row: Mapping[str, Any]) -> Iterator[str]:
    yield f"### {row['subject'].replace('~', ' ~ ')}\n"
    yield f"{row['true']}\n{corrected(row) if row['correction'] else row['why']}\n"
    for run in row["runs"]:
        yield f"```text\n$ {run['command']}\n{run['text']}\n$ echo $?\n{run['exit']}\n```\n"


def corrected(row: Mapping[str, Any]) -> str:
    """What corrected the first hypothesis, from the record."""
    cause, probability = row["first"]
    told = row["correction"]
    return (
        f"`{cause}` stood first, with {probability:.0%}, until {told['id']} ({told['intervention']}) ended in "
        f"“{told['outcome']}”, to which it gives {told['first']:.0%} and `{row['claim']}` {told['claimed']:.0%}."
    )


def _key(one: Chosen) -> tuple[str, str]:
    return one.part, one.subject


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="programs whose id has this text")
    parser.add_argument("--page", action="store_true", help="run nothing")
    chosen = parser.parse_args()
    known = subjects()
    held = {(row["part"], row["subject"]): row for row in store.rows(STORED)}
    for one in CHOSEN if not chosen.page else ():
        subject = known[one.subject]
        assert subject.side == TUNE, f"{subject.id} is of the test side"
        if chosen.only in subject.id:
            row = investigate(one, subject)
            held[_key(one)] = row
            store.write(STORED, [held[key] for key in map(_key, CHOSEN) if key in held])
            print(f"{one.part}: {subject.id}: {row['status']}, {row['claim'] or row['leaders'][:1]}")
    PAGE.write_text(page(store.rows(STORED)), encoding="utf-8")


if __name__ == "__main__":
    main()
