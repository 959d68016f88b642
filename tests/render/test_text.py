"""The terminal text is readable at any width and interprets nothing that it shows."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import pytest
from rich.cells import cell_len

from stetho.evidence import Place
from stetho.render import render_verdict
from stetho.render.changed import Changed, changed_lines
from stetho.render.inert import inert, on_one_line
from stetho.render.wording import number, percent, place, seconds
from stetho.verdict import Claim, Hypothesis

from .hostile import crashed
from .verdicts import ALL, clear, established, suspected, unknown

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def joined(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("width", [60, 80, 100, 120])
@pytest.mark.parametrize("name", ALL)
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    lines = render_verdict(ALL[name](), "text", width=width).split("\n")
    assert max(cell_len(line) for line in lines) <= width
    assert all(line == line.rstrip() for line in lines)


def test_wide_characters_count_double() -> None:
    verdict = replace(clear(), notes=("学習率が高すぎます " * 20, "x" * 300))
    lines = render_verdict(verdict, "text", width=80).split("\n")
    assert max(cell_len(line) for line in lines) <= 80
    assert "".join("".join(lines).split()).count("学習率が高すぎます") == 20


def test_an_established_cause_reads_like_the_picture() -> None:
    text = render_verdict(established(), "text", width=120)
    lines = [joined(line) for line in text.split("\n")]
    assert lines[0] == "observed 400 steps in 11.2 s, cost 1.3 % E1"
    assert lines[1] == (
        "symptom loss-flat: loss stuck at 2.30 from the first step; chance for 10 classes is 2.303 E2 E3"
    )
    assert (
        "loss/double-softmax 3 % 98 % for E5 E8: rows entering cross_entropy sum to 1 in 400 of 400 calls, train.py:41"
    ) in lines
    assert "X1 control lr=x10, 2.1 s same: loss 2.30 -> 2.30 in 60 steps; against hp/lr-too-low E7" in lines
    assert "ESTABLISHED loss/double-softmax, 98 % train.py:29" in lines
    assert "because mechanism E5 · control E7 · trial fix E8 · nothing recorded contradicts it" in lines
    assert "tried final loss 2.3 without it, 0.41 with it, same seed E8" in lines
    assert "apply stetho fix .stetho/c-20260301-1 --apply" in lines


def test_eighty_columns_still_hold_cause_evidence_and_place() -> None:
    text = render_verdict(established(), "text", width=80)
    for needed in ("loss/double-softmax", "train.py:29", "train.py:41", "E2 E3", "E5", "E7", "E8", "98 %"):
        assert needed in text


def test_the_diff_is_shown_without_its_context() -> None:
    lines = [line.strip() for line in render_verdict(established(), "text", width=80).split("\n")]
    start = lines.index("- return F.softmax(x, -1)")
    assert lines[start - 1 : start + 2] == ["train.py:29", "- return F.softmax(x, -1)", "+ return x"]
    assert not any("self.head" in line for line in lines)


def test_the_null_and_other_are_always_in_the_table() -> None:
    faults = tuple(Hypothesis(f"data/fault-{n}", 0.1, 0.1, "likely") for n in range(9))
    rest = (
        Hypothesis("none/healthy", 0.3, 0.001, "null"),
        Hypothesis("other/unlisted", 0.06, 0.001, "other"),
    )
    text = render_verdict(replace(suspected(), hypotheses=faults + rest), "text", width=80)
    shown = re.findall(r"^ (\w+/[\w-]+) ", text, re.MULTILINE)
    assert shown == [f"data/fault-{n}" for n in range(6)] + ["none/healthy", "other/unlisted"]
    assert "3 more, none above 10 %" in text


def test_hypotheses_without_a_chance_are_left_out() -> None:
    text = render_verdict(established(), "text", width=80)
    assert "data/labels-misaligned" in text
    assert "arch/dead-units" not in text
    assert "none/converged" not in text


def test_a_suspicion_says_why_it_is_no_claim_and_what_to_do() -> None:
    text = joined(render_verdict(suspected(), "text", width=80))
    assert "SUSPECTED hp/lr-too-high, 61 %, not established" in text
    assert "why not no experiment was run: the log does not say which command made it" in text
    assert "fix if so lower the learning rate (not tried)" in text
    assert "(tells hp/lr-too-high from num/exploding-gradients, about 45 s)" in text
    assert "ESTABLISHED" not in text


def test_a_run_that_was_fine_is_shown_beside_with_the_difference_that_matters() -> None:
    text = joined(render_verdict(ALL["regressed"](), "text", width=120))
    assert "good run commit 9f8e7d6c (first): symptom gone, final loss nan -> 0.2, loss-nonfinite gone E21" in text
    assert "same environment, inputs" in text
    assert "differs learning rate at step 0: 0.0003 → 0.03, train.py:44 E22" in text
    assert "then loss at step 1: 2.31 → 2.84, train.py:50 E23" in text
    assert "train.py:41 lr = 3e-4 → 3e-2 (X1, X2)" in text
    assert "next undo train.py:41 lr = 3e-4 → 3e-2, or look into what it changes" in text


def test_an_observer_that_did_not_attach_is_said() -> None:
    text = joined(render_verdict(unknown(), "text", width=120))
    assert "NOT ESTABLISHED no cause leads" in text
    assert "observed ./train.bin ended with code 0 after 3.0 s; the observer did not attach E1" in text
    assert "note the observer did not attach: the program started no Python" in text


def test_a_clear_run_is_short() -> None:
    text = render_verdict(clear(), "text", width=80)
    assert "CLEAR   nothing wrong found: none/healthy, 93 %" in text
    assert len(text.split("\n")) < 12


def test_a_finding_is_not_said_twice() -> None:
    text = joined(render_verdict(established(), "text", width=120))
    assert text.count("rows entering cross_entropy") == 1
    assert text.count("loss stuck at 2.30") == 1
    assert "noted the loader gives the samples in the same order in 4 of 4 epochs, data.py:12 E9" in text


def test_evidence_against_a_claim_is_not_hidden() -> None:
    verdict = established()
    top = replace(verdict.hypotheses[0], against=("E6",))
    text = joined(render_verdict(replace(verdict, hypotheses=(top, *verdict.hypotheses[1:])), "text", width=120))
    assert "trial fix E8 · against it E6" in text
    assert "nothing recorded contradicts it" not in text


def test_a_claim_without_a_tried_fix_says_so() -> None:
    text = joined(render_verdict(replace(established(), fix=None), "text", width=120))
    assert "fix hand the logits to cross_entropy (not tried)" in text


def test_an_empty_place_list_does_no_harm() -> None:
    claim = Claim("env/host-oom", 0.95, "The kernel killed it.", ("E1",), ())
    text = joined(render_verdict(replace(established(), claim=claim), "text", width=120))
    assert "ESTABLISHED env/host-oom, 95 %" in text


@pytest.mark.parametrize("colour", [False, True])
def test_hostile_text_stays_inert(colour: bool) -> None:
    text = render_verdict(crashed(), "text", width=100, colour=colour)
    bare = COLOUR.sub("", text)
    assert not [c for c in bare if unicodedata.category(c) in ("Cc", "Cs", "Cf") and c != "\n"]
    assert "[bold]shape[/bold] <script>alert(1)</script> &amp; `rm -rf` ```" in joined(bare)
    assert "owned" not in bare, "a window title is a command to the terminal, not text"
    assert "\\xff\\x80" in bare
    text.encode("utf-8")


@pytest.mark.parametrize("name", ALL)
def test_colour_changes_nothing_but_colour(name: str) -> None:
    plain = render_verdict(ALL[name](), "text", width=90)
    coloured = render_verdict(ALL[name](), "text", width=90, colour=True)
    assert "\x1b" not in plain
    assert COLOUR.search(coloured)
    bare = [line.rstrip() for line in COLOUR.sub("", coloured).split("\n")]
    assert bare == plain.split("\n")


def test_the_environment_does_not_decide_about_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    assert COLOUR.search(render_verdict(clear(), "text", width=80, colour=True))
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert not COLOUR.search(render_verdict(clear(), "text", width=80, colour=False))


def test_control_sequences_go_whole() -> None:
    assert inert("a\x1b[1;31mb\x1b[0mc\x1b]8;;http://x\x1b\\d\x1b]8;;\x07e\x1bcf\x9b2Jg") == "abcdefg"
    assert inert("unfinished \x1b]0;title") == "unfinished 0;title"
    assert inert("10%\r20%\r\ndone\tnow\x00\x7f") == "10%\n20%\ndone\tnow"
    assert on_one_line(" a\n\n  b\tc ") == "a b c"


def test_a_removed_line_may_look_like_a_header() -> None:
    diff = "--- a/q.sql\n+++ b/q.sql\n@@ -3,2 +3,2 @@\n--- old comment\n+++ new comment\n keep\n"
    diff += "--- a/b.py\n+++ b/b.py\n@@ -9 +9,2 @@\n-x\n\\ No newline at end of file\n+y\n+z\n"
    assert changed_lines(diff) == [
        Changed("q.sql", 3, "-", "-- old comment"),
        Changed("q.sql", 3, "+", "++ new comment"),
        Changed("b.py", 9, "-", "x"),
        Changed("b.py", 9, "+", "y"),
        Changed("b.py", 10, "+", "z"),
    ]
    assert changed_lines("lr: 0.1 -> 0.01") == []


def test_numbers_are_said_as_people_say_them() -> None:
    assert [percent(p) for p in (0.0, 0.004, 0.03, 0.98, 0.996, 1.0)] == [
        "<1 %", "<1 %", "3 %", "98 %", ">99 %", ">99 %",
    ]  # fmt: skip
    assert [seconds(s) for s in (0.04, 2.13, 45.0, 700.0, 9000.0)] == [
        "0.0 s",
        "2.1 s",
        "45 s",
        "12 min",
        "2.5 h",
    ]
    losses = (None, float("nan"), float("inf"), float("-inf"), 0.41234)
    assert [number(x) for x in losses] == ["none", "NaN", "Inf", "-Inf", "0.412"]
    assert place(Place("a.csv", 3, 7, sample="12")) == "a.csv:3:7 sample 12"
