"""A verdict as text, JSON or Markdown; what is shown is what the verdict has, nothing is worked out here."""

from __future__ import annotations

from stetho.errors import BadRequest
from stetho.verdict import Verdict

FORMATS = ("text", "json", "md")


def render_verdict(verdict: Verdict, format: str, *, width: int | None = None, colour: bool = False) -> str:
    """The verdict in one of the formats; `width` and `colour` concern the terminal text only."""
    if format == "text":
        from stetho.render.text import render as render_text

        return render_text(verdict, width=width, colour=colour)
    if format == "json":
        from stetho.render.document import render as render_document

        return render_document(verdict)
    if format == "md":
        from stetho.render.markdown import render as render_markdown

        return render_markdown(verdict)
    raise BadRequest(f"there is no format '{format}'; choose one of {', '.join(FORMATS)}.")
