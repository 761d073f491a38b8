"""The Python reference of the site, from the docstrings of the package."""

import html
import inspect
import re
import textwrap

#: Functions whose keywords are option lines of the library, and the command they belong to.
FUNCTIONS = {"evaluate": "evaluate", "effects": "effects", "learn": "learn", "sensitivity": "sensitivity",
             "simulate": "simulate", "reproduce": "reproduce", "Dataset.load": "load"}
#: Learners, whose parameters are some of these lines.
LEARNERS = {"NetworkRidge": "effects", "Cone": "evaluate"}


def show_docstring(thing):
    """Paragraphs as text, examples as code."""
    parts = []
    for block in re.split(r"\n\s*\n", inspect.getdoc(thing) or ""):
        tag = "pre" if block.lstrip().startswith(">>>") else "p"
        parts.append(f"<{tag}>{html.escape(block)}</{tag}>")
    return "\n".join(parts)


def show_keywords(lines, command):
    """The option lines of the library, as Python spells them."""
    rows = []
    for line in lines:
        default = "" if line["default"] in ("", []) else repr(line["default"])
        may_be = ", ".join(repr(choice) for choice in line["choices"]) or line["kind"]
        if line["range"] not in ("", "a finite number"):
            may_be += ", " + line["range"]
        rows.append(f'<tr id="{command}.{line["name"]}"><td><code>{line["name"]}=</code></td>'
                    f"<td>{html.escape(default)}</td><td>{html.escape(may_be)}</td>"
                    f"<td>{html.escape(line['help'])}</td></tr>")
    return ('<details open><summary>Keywords</summary><div class="wide"><table><thead><tr><th>keyword</th>'
            "<th>default</th><th>may be</th><th>meaning</th></tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table></div></details>")


def show_signature(name, thing):
    """The signature without types, which are in the docstrings."""
    if not callable(thing) or (inspect.isclass(thing) and name not in LEARNERS):
        return ""
    parameters = [p.replace(annotation=inspect.Parameter.empty)
                  for p in inspect.signature(thing).parameters.values() if p.name != "self"]
    text = str(inspect.Signature(parameters))
    call = textwrap.fill(f"cone.{name}{text}", 96, subsequent_indent=" " * 4, break_long_words=False)
    return f"<pre>{html.escape(call)}</pre>"


def public_things(package):
    """(name, object, heading level) of every public name of the package."""
    for name in package.__all__:
        thing = getattr(package, name)
        if inspect.ismodule(thing):
            for inner, member in sorted(vars(thing).items()):
                if inspect.isfunction(member) and member.__module__ == thing.__name__ and inner[0] != "_":
                    yield f"{name}.{inner}", member, 2
        elif callable(thing):
            yield name, thing, 2
            for inner, member in vars(thing).items() if inspect.isclass(thing) else ():
                if inner[0] != "_" and (callable(member) or isinstance(member, (property, classmethod))):
                    yield f"{name}.{inner}", getattr(thing, inner), 3


def python_page(package):
    """Signatures, docstrings and keywords of the public names."""
    parts, contents = [], []
    for name, thing, level in public_things(package):
        if level == 2:
            contents.append(f'<a href="#{name}">{name}</a>')
        parts.append(f'<h{level} id="{name}"><code>cone.{name}</code></h{level}>')
        parts += [show_signature(name, thing), show_docstring(thing)]
        if name in FUNCTIONS:
            parts.append(show_keywords(package._core.list_options(FUNCTIONS[name]), name))
        if name in LEARNERS:
            names = inspect.signature(thing).parameters
            lines = package._core.list_options(LEARNERS[name])
            parts.append(show_keywords([line for line in lines if line["name"] in names], name))
    return ("<h1>Python reference</h1><p>Every public name of the package with its docstring, and the keywords of its "
            "functions.</p>"
            f"<p>{', '.join(contents)}</p>" + "\n".join(parts))
