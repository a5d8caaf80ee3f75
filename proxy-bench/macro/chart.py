"""Bars as SVG, without a library."""

from html import escape

COLOURS = ["#444444", "#d62728", "#8c564b", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd"]
BAR, GAP, LEFT, WIDTH, TOP = 14, 12, 330, 460, 40


def bars(groups, unit):
    """Of title to name to value: a group of bars for each title, a colour for each name."""
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    colours = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    y, shapes = TOP, []
    for title, group in groups.items():
        if not group:
            continue
        most = max(group.values()) or 1
        middle = y + BAR * len(group) / 2 + 4
        shapes.append(f'<text x="{LEFT - 10}" y="{middle:.0f}" text-anchor="end">{escape(title)}</text>')
        for name, value in group.items():
            width = value / most * WIDTH
            shapes.append(
                f'<rect x="{LEFT}" y="{y + 1}" width="{width:.1f}" height="{BAR - 2}" fill="{colours[name]}"/>'
                f'<text x="{LEFT + width + 5:.1f}" y="{y + BAR - 3}">{value:,.1f} {escape(name)}</text>'
            )
            y += BAR
        y += GAP
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 150}" height="{y + 10}" '
        'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>'
        f'<text x="{LEFT}" y="22" font-size="13">{escape(unit)}; bars of a row are drawn to its longest</text>'
    )
    return "\n".join([head, *shapes, "</svg>"]) + "\n"
