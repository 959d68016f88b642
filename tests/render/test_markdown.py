"""The report has its five parts, cites what it states, and cannot be taken over by what it quotes."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from stetho.evidence import Evidence
from stetho.render import render_verdict
from stetho.render.escape import code, fence, plain
from stetho.verdict import Verdict

from .hostile import HOSTILE, crashed
from .verdicts import ALL, clear, established, suspected, unknown

PARTS = [
    "1. What the probes showed",
    "2. Hypotheses",
    "3. Smokes, controls and trial fixes",
    "4. Verdict",
    "5. Next action",
    "Appendix: evidence",
]
CITED = re.compile(r"\(([EX]\d+(?:, [EX]\d+)*)\)\.$")
PROPOSALS = ("To refute it:", "Fix:")


def report(verdict: Verdict) -> str:
    return render_verdict(verdict, "md")


def parsed(text: str) -> list[Token]:
    """All tokens, those inside paragraphs included, with GitHub's tables and strike-through on."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    return [inner for token in tokens for inner in (token, *(token.children or []))]


def section(text: str, title: str) -> str:
    return text.split(f"## {title}\n", 1)[1].split("\n## ", 1)[0]


@pytest.mark.parametrize("name", ALL)
def test_the_five_parts_and_the_appendix_are_there_in_order(name: str) -> None:
    assert re.findall(r"(?m)^## (.*)$", report(ALL[name]())) == PARTS


@pytest.mark.parametrize("name", ALL)
def test_every_stated_fact_cites_evidence_that_exists(name: str) -> None:
    verdict = ALL[name]()
    known = {one.id for one in verdict.evidence} | {one.id for one in verdict.experiments}
    text = report(verdict)
    facts = 0
    for title in PARTS[:4]:
        for item in re.findall(r"(?m)^ *- (.*)$", section(text, title)):
            if item.startswith(PROPOSALS) or item.endswith("?"):
                continue
            cited = CITED.search(item)
            assert cited, f"states a fact without evidence: {item}"
            assert set(cited[1].split(", ")) <= known
            facts += 1
    assert facts >= 1


@pytest.mark.parametrize("name", ALL)
def test_the_appendix_lists_all_evidence(name: str) -> None:
    verdict = ALL[name]()
    listed = re.findall(r"(?m)^- \*\*(E\d+)\*\*", section(report(verdict), PARTS[-1]))
    assert listed == [one.id for one in verdict.evidence]


def test_a_fact_without_evidence_is_shown_as_such() -> None:
    verdict = established()
    bare = replace(verdict, symptoms=(replace(verdict.symptoms[0], evidence=()),))
    assert "chance for 10 classes is 2.303 (no evidence recorded)." in report(bare)


def test_hypotheses_are_named_by_rank() -> None:
    headings = re.findall(r"(?m)^### (.*)$", report(established()))
    assert headings == [
        "Most likely: `loss/double-softmax`",
        "Alternative: `hp/lr-too-low`",
        "Also consider: `data/labels-misaligned`",
        "Or nothing is wrong (the null): `none/healthy`",
        "Or something that has no name here: `other/unlisted`",
    ]
    headings = re.findall(r"(?m)^### (.*)$", report(clear()))
    assert headings[0] == "Most likely, nothing is wrong (the null): `none/healthy`"
    assert headings[2] == "Alternative: `hp/lr-too-low`"


def test_an_established_cause_is_concluded_with_its_grounds() -> None:
    text = report(established())
    assert text.startswith("# Established: `loss/double-softmax`\n")
    verdict = section(text, "4. Verdict")
    assert "**Established: `loss/double-softmax`, 98 %.** The model ends in a softmax" in verdict
    assert "- Mechanism: rows entering cross_entropy sum to 1 in 400 of 400 calls, train.py:41 (E5)." in verdict
    assert "- Trial fix: loss on logits: 0.41 at step 120 (E8)." in verdict
    assert "- Where to look: `train.py:29`, `train.py:41` (E5, E7, E8)." in verdict
    tried = section(text, PARTS[2])
    assert "90 % under `loss/double-softmax`, 5 % under `hp/lr-too-low` (X1)." in tried
    action = section(text, "5. Next action")
    assert "Trial: final loss 2.3 without it, 0.41 with it, same seed (E8)." in action
    assert "-        return F.softmax(x, -1)\n+        return x\n```" in action
    assert "stetho fix .stetho/c-20260301-1 --apply" in action


def test_what_is_not_established_says_so_and_what_to_do() -> None:
    text = report(suspected())
    assert "**Not established.** The leading hypothesis is `hp/lr-too-high`. Why not: no experiment" in text
    assert "1. stetho why -- python train.py: run it with lr x0.1 (tells hp/lr-too-high" in text
    assert "No experiment was run." in section(text, PARTS[2])
    assert "> the observer did not attach" in report(unknown())
    assert "Nothing needs to be done." in report(clear())


def test_a_run_that_was_fine_is_told_with_the_difference_that_matters() -> None:
    text = render_verdict(ALL["regressed"](), "md")
    assert "- First difference, learning rate at step 0: 0.0003 → 0.03, train.py:44 (E22)." in text
    assert "- Comparison isolated: the smallest difference that matters: commit 1a2b3c4d (faster), train.py:41" in text


def test_a_long_record_goes_to_the_appendix() -> None:
    facts = tuple(Evidence(f"E{n}", "probe", f"fact {n}") for n in range(1, 41))
    text = report(Verdict({}, "c", "unknown", evidence=facts))
    assert len(re.findall(r"(?m)^- ", section(text, PARTS[0]))) == 12
    assert "28 more are in the appendix." in text
    assert len(re.findall(r"(?m)^- ", section(text, PARTS[-1]))) == 40


def test_hostile_text_stays_text() -> None:
    text = report(crashed())
    tokens = parsed(text)
    kinds = {token.type for token in tokens}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "em_open", "s_open", "table_open"}
    headings = [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open"]
    assert [one for one in headings if one in PARTS] == PARTS
    assert not any("heading" in one for one in headings)
    bold = [tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "strong_open"]
    assert bold == ["X1, trial fix", "Established: ", "E1"]
    fences = [token.info for token in tokens if token.type == "fence"]
    assert fences == ["diff", "sh", "sh"]
    assert not [c for c in text if unicodedata.category(c) in ("Cc", "Cs", "Cf") and c != "\n"]
    text.encode("utf-8")


def test_hostile_text_is_still_readable() -> None:
    shown = " ".join(token.content for token in parsed(report(crashed())) if token.type == "text")
    assert "bad [bold]shape[/bold] <script>alert(1)</script> &amp; `rm -rf` ``` red title" in shown
    assert "[link](http://evil.example) ![i](x) <!-- hidden --> $x$ end" in shown


@pytest.mark.parametrize(
    "text",
    ["# a", "- a", "+ a", "> a", "1. a", "12) a", "===", "---", "***", "_a_", "__a__", "a _b_ c", "*a*",
     "`a`", "[a](b)", "<b>", "&lt;", "a\\*b", "| a |", "~~a~~", "~~~", "```", "<http://a.example>", "![a](b)",
     "_", "a_", "[x]: http://a.example", "cross_entropy", "    code", HOSTILE],
)  # fmt: skip
@pytest.mark.parametrize("before", ["- ", "> ", "", "said: "])
def test_plain_text_is_one_plain_paragraph(before: str, text: str) -> None:
    tokens = [token for token in parsed(before + plain(text)) if not token.type.startswith("paragraph")]
    allowed = {"inline", "text", "text_special"}
    allowed |= {"- ": {"bullet_list_open", "list_item_open", "list_item_close", "bullet_list_close"},
                "> ": {"blockquote_open", "blockquote_close"}}.get(before, set())  # fmt: skip
    assert {token.type for token in tokens} <= allowed
    assert len([token for token in tokens if token.type == "inline"]) == 1


def test_names_with_underscores_and_arrows_stay_readable() -> None:
    assert plain("cross_entropy: 2.30 -> 0.41, x10") == "cross_entropy: 2.30 -> 0.41, x10"
    assert plain("__init__") == "\\_\\_init\\_\\_"
    assert plain("see http://a.example or www.a.example, mail a@b.example") == (
        "see http\\://a.example or www\\.a.example, mail a\\@b.example"
    )


def test_code_is_kept_in_by_longer_fences() -> None:
    assert code("a`b``c") == "```a`b``c```"
    assert code("`a`") == "`` `a` ``"
    assert code("") == ""
    assert fence("x\n````\ny", "sh") == "`````sh\nx\n````\ny\n`````"
    assert fence("\x1b[1mx\r\ny") == "```\nx\ny\n```"
