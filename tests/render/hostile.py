"""A verdict full of what a terminal, a browser or a parser would take for its own."""

from __future__ import annotations

from stetho.evidence import Evidence, Place, Source
from stetho.verdict import Claim, Cost, Fix, Hypothesis, NextTest, Noted, Symptom, Trial, Tried, Verdict

HOSTILE = (
    "bad [bold]shape[/bold] <script>alert(1)</script> &amp; `rm -rf` ``` \x1b[31mred\x1b[0m "
    "\x1b]0;owned\x07title \x9b2J \u202egnp.exe \udcff\udc80\r\n# heading\n- item | cell *star* ~~gone~~ "
    "[link](http://evil.example) ![i](x) <!-- hidden --> $x$ \x00\x08end"
)

DIFF = "--- a/tra[red]in.py\n+++ b/tra[red]in.py\n@@ -7 +7,2 @@\n-```\x1b[31m<b>\n+[bold]x[/bold]\n+~~~~\n"


def crashed() -> Verdict:
    """A crash whose message is hostile wherever a program could have written it."""
    return Verdict(
        target={"command": ["python", f"tra\x1b[2Jin.py {HOSTILE}"]},
        case=".stetho/c-5",
        status="established",
        symptoms=(Symptom("crash", f"RuntimeError: {HOSTILE}", 3, ("E1",)),),
        findings=(Noted("crashed", f"the program ended with {HOSTILE}", (Place("tra[red]in.py", 7),), ("E1",)),),
        hypotheses=(
            Hypothesis(
                "env/exception",
                0.01,
                0.97,
                "likely",
                ("E1",),
                (),
                f"RuntimeError: {HOSTILE}",
                f"run it again: {HOSTILE}",
                f"repair {HOSTILE}",
            ),
            Hypothesis("other/unlisted", 0.06, 0.02, "other"),
            Hypothesis("none/completed", 0.1, 0.001, "null", (), ("E1",)),
        ),
        claim=Claim(
            "env/exception",
            0.97,
            f"The program raised RuntimeError: {HOSTILE}",
            ("E1",),
            (Place("tra[red]in.py", 7, 4), Place("conf.yaml", 3, None, "model.width")),
            ("E1",),
            ("X1",),
        ),
        evidence=(
            Evidence(
                "E1",
                "reading",
                f"RuntimeError: {HOSTILE}",
                Source("tra[red]in.py", 7, 3, f"python {HOSTILE}"),
                "crash",
                "base",
                {"message": HOSTILE, "loss": float("nan")},
            ),
        ),
        experiments=(
            Tried(
                "X1",
                "trial fix",
                f"edit {HOSTILE}",
                f"Is it {HOSTILE}?",
                {"env/exception": {"same": 0.1}},
                "symptom-gone",
                130.0,
                (),
                HOSTILE,
                HOSTILE,
            ),
        ),
        fix=Fix(
            f"rename {HOSTILE}",
            "code",
            DIFF,
            Trial(float("nan"), None, ()),
            ("python", f"train {HOSTILE}"),
        ),
        next=(NextTest(HOSTILE, ("env/exception", "other/unlisted"), 1.0),),
        cost=Cost(700.0, 2),
        notes=(f"note {HOSTILE}",),
    )
