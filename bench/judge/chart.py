"""Small pictures of the scoreboard, drawn as SVG without a library."""

from __future__ import annotations

from collections.abc import Sequence

from bench.judge.scoring import Bin

SIZE, EDGE = 320, 44
INK, PALE, BAR = "#57606a", "#d0d7de", "#2f81f7"


def reliability(bins: Sequence[Bin]) -> str:
    """What was said against what came true, with intervals; on the diagonal, both are the same."""
    inner = SIZE - 2 * EDGE

    def at(x: float, y: float) -> tuple[float, float]:
        return EDGE + x * inner, SIZE - EDGE - y * inner

    parts = [_line(*at(0, 0), *at(1, 1), PALE, dashed=True)]
    for tick in (0.0, 0.5, 1.0):
        x, y = at(tick, 0)
        parts.append(_text(x, y + 16, f"{tick:g}", "middle"))
        x, y = at(0, tick)
        parts.append(_text(x - 8, y + 4, f"{tick:g}", "end"))
    parts += [_line(*at(0, 0), *at(1, 0), INK), _line(*at(0, 0), *at(0, 1), INK)]
    for one in bins:
        low, high = one.came_true.interval
        parts.append(_line(*at(one.said, low), *at(one.said, high), BAR))
        x, y = at(one.said, one.came_true.value)
        radius = 3 + min(7.0, one.came_true.total**0.5)
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{BAR}" fill-opacity="0.75"/>')
        parts.append(_text(x + radius + 2, y - 4, str(one.came_true.total), "start"))
    parts.append(_text(SIZE / 2, SIZE - 8, "probability of the first hypothesis", "middle"))
    parts.append(_text(EDGE, EDGE - 14, "share that was right", "start"))
    return _whole(SIZE, SIZE, parts)


def histogram(values: Sequence[float], what: str, edges: Sequence[float]) -> str:
    """How many values lie between edges; the last bar holds all above."""
    counts = [sum(low <= v < high for v in values) for low, high in zip(edges, [*edges[1:], float("inf")], strict=True)]
    wide, high = 460, 200
    step = (wide - 2 * EDGE) / len(counts)
    most = max(counts, default=1) or 1
    parts = []
    for number, (count, low) in enumerate(zip(counts, edges, strict=True)):
        x, tall = EDGE + number * step, (high - 2 * EDGE) * count / most
        parts.append(
            f'<rect x="{x + 2:.1f}" y="{high - EDGE - tall:.1f}" width="{step - 4:.1f}" height="{tall:.1f}" '
            f'fill="{BAR}"/>'
        )
        parts.append(_text(x + step / 2, high - EDGE - tall - 5, str(count), "middle"))
        named = f"{low:g}–{edges[number + 1]:g}" if number + 1 < len(edges) else f"{low:g}+"
        parts.append(_text(x + step / 2, high - EDGE + 16, named, "middle"))
    parts.append(_text(wide / 2, high - 8, what, "middle"))
    return _whole(wide, high, parts)


def _line(x: float, y: float, to_x: float, to_y: float, colour: str, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="4 4"' if dashed else ""
    return (
        f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" stroke="{colour}" stroke-width="1.5"{dash}/>'
    )


def _text(x: float, y: float, said: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="11" fill="{INK}">{said}</text>'


def _whole(wide: int, high: int, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
    body = f'<rect width="{wide}" height="{high}" fill="#ffffff"/>' + "\n".join(parts)
    return f'{head} font-family="system-ui, sans-serif">\n{body}\n</svg>\n'
