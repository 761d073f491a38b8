"""Tables for notebooks: HTML and CSS alone, everything from the data escaped."""

from __future__ import annotations

from typing import Any

from ._core import printable

_STYLE = """<style scoped>
.cone-table td, .cone-table th { text-align: right; padding: 0.2em 0.6em; }
.cone-table td:first-child, .cone-table th:first-child { text-align: left; }
.cone-warnings { opacity: 0.8; font-size: 90%; }
</style>"""


def escape(text: str) -> str:
    """Escapes text for HTML (as html.escape, which takes longer to import) and removes control characters."""
    text = printable(text)
    for mark, name in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot"), ("'", "#x27")):
        text = text.replace(mark, f"&{name};")
    return text


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return escape(f"{value:.4g}")
    return escape(str(value))


def table_html(rows: list[dict[str, Any]], summary: str, warnings: list[str]) -> str:
    """A summary, a table and warnings."""
    names = list(rows[0]) if rows else []
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{_cell(row[name])}</td>" for name in names) + "</tr>"
                   for row in rows)
    items = "".join(f"<li>{escape(warning)}</li>" for warning in warnings)
    table = (f"<table class=\"cone-table\"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
             if rows else "")
    return (f"<div>{_STYLE}" + (f"<p>{escape(summary)}</p>" if summary else "") + table
            + (f"<ul class=\"cone-warnings\">{items}</ul>" if items else "") + "</div>")
