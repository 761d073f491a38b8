"""The reference pages of the site: what the program and the Python package say of themselves."""

import html
import inspect
import re
import textwrap
from dataclasses import dataclass, field

from write_manual import EXIT_STATUS, HELP_COLUMN, LISTS, ask, list_commands, take_list

TAG = re.compile(r"(?P<flags>(?:-[\w-]+,?)+|\S+?)(?:\{\w+\})?(?: (?P<kind>[A-Z]+))?"
                 r"(?::(?P<may_be>\{[^}]*\}|[^=]*))?(?:=(?P<default>\S*))?(?P<rest> .*)?")

#: Functions whose keywords are option lines of the library, and the command they belong to.
FUNCTIONS = {"evaluate": "evaluate", "effects": "effects", "learn": "learn", "sensitivity": "sensitivity",
             "simulate": "simulate", "reproduce": "reproduce", "Dataset.load": "load"}
#: Learners, whose parameters are some of these lines.
LEARNERS = {"NetworkRidge": "effects", "Cone": "evaluate"}


@dataclass
class Line:
    """One option as the help has it."""
    name: str  # with its flags and what it takes
    default: str
    meaning: str


@dataclass
class Command:
    about: str
    usage: str
    groups: list = field(default_factory=list)  # (title, [Line])
    prose: list = field(default_factory=list)
    examples: list = field(default_factory=list)


def read_line(tag, meaning):
    found = TAG.fullmatch(tag.strip())
    rest = (found["rest"] or "").replace("REQUIRED", "(needed)")
    words = [found["flags"].replace(",", ", "), found["kind"] or "", rest.strip()]
    may_be = (found["may_be"] or "").strip("{}")
    if "," in may_be:
        meaning += f" ({', '.join(may_be.split(','))})"
    return Line(" ".join(word for word in words if word), found["default"] or "", meaning.strip())


def read_lines(lines):
    out, i = [], 0
    while i < len(lines):
        following = lines[i + 1] if i + 1 < len(lines) else ""
        if following.startswith(" " * HELP_COLUMN):
            out.append(read_line(lines[i], following))
            i += 1
        else:
            out.append(read_line(lines[i][:HELP_COLUMN], lines[i][HELP_COLUMN:]))
        i += 1
    return out


def read_command(text):
    """The parts of a help text."""
    about, rest = re.split(r"\nUsage: ", text, maxsplit=1)
    usage, *lines = rest.split("\n")
    command = Command(" ".join(about.split()), usage)
    i = 0
    while i < len(lines):
        title = lines[i].removesuffix(":")
        is_list = lines[i].endswith(":") and i + 1 < len(lines) and lines[i + 1].startswith("  ")
        if title == "Examples":
            command.examples, i = take_list(lines, i)
        elif is_list and (title in LISTS or lines[i + 1].startswith("  -")):
            entries, i = take_list(lines, i)
            command.groups.append((title, read_lines(entries)))
        else:
            command.prose.append(lines[i])
            i += 1
    return command


def show_lines(lines):
    """Options as a table; every row can be linked to."""
    rows = []
    for line in lines:
        flag = re.search(r"--[\w-]+", line.name)
        anchor = f' id="{flag[0]}"' if flag else ""
        rows.append(f"<tr{anchor}><td><code>{html.escape(line.name)}</code></td>"
                    f"<td>{html.escape(line.default)}</td><td>{html.escape(line.meaning)}</td></tr>")
    return ('<div class="wide"><table><thead><tr><th>option</th><th>default</th><th>meaning</th></tr>'
            f"</thead><tbody>{''.join(rows)}</tbody></table></div>")


def show_command(name, command):
    parts = [f"<h1>cone {name}</h1>", f"<p>{html.escape(command.about)}</p>",
             f"<pre>{html.escape(command.usage)}</pre>"]
    for title, lines in command.groups:
        title = "Arguments" if title == "Positionals" else title
        parts += [f"<h2>{html.escape(title)}</h2>", show_lines(lines)]
    prose = "\n".join(command.prose).strip("\n")
    if prose:
        parts.append(f"<h2>Notes</h2><pre>{html.escape(re.sub(chr(10) + '{3,}', chr(10) * 2, prose))}</pre>")
    if command.examples:
        examples = "\n".join(line[2:] for line in command.examples)
        parts.append(f"<h2>Examples</h2><pre>{html.escape(examples)}</pre>")
    return "\n".join(parts)


def command_pages(program):
    """(source, file, title, body) of the overview and of every command."""
    root = ask(program, "--help")
    overview = read_command(root)
    names = list_commands(root)
    commands = {name: read_command(ask(program, name, "--help")) for name in names}
    rows = "".join(f'<tr><td><a href="cone_{name}">cone {name}</a></td>'
                   f"<td>{html.escape(command.about)}</td></tr>" for name, command in commands.items())
    examples = "\n".join(line[2:] for line in overview.examples)
    status = " ".join(" ".join(overview.prose).split())
    body = (f"<h1>The command line</h1><p>{html.escape(overview.about)}</p>"
            f'<div class="wide"><table><tbody>{rows}</tbody></table></div>'
            f"<h2>Examples</h2><pre>{html.escape(examples)}</pre>"
            f"<p>{html.escape(status[status.index(EXIT_STATUS):])}</p>")
    yield "command_line", "command_line.html", "Command line", body
    for name, command in commands.items():
        yield f"cone_{name}", f"cone_{name}.html", f"cone {name}", show_command(name, command)


def show_docstring(thing):
    """Paragraphs as they are, examples as code."""
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
    """What to call it with, without the types, which docstrings say better."""
    if not callable(thing) or (inspect.isclass(thing) and name not in LEARNERS):
        return ""
    parameters = [p.replace(annotation=inspect.Parameter.empty)
                  for p in inspect.signature(thing).parameters.values() if p.name != "self"]
    text = str(inspect.Signature(parameters))
    call = textwrap.fill(f"cone.{name}{text}", 96, subsequent_indent=" " * 4, break_long_words=False)
    return f"<pre>{html.escape(call)}</pre>"


def public_things(package):
    """(name, object, level of its headline) of all that the package names as public."""
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
    """Signatures, docstrings and keywords of what the package names as public."""
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
    return ("<h1>Python reference</h1><p>Every name of the package, its docstring, and the keywords of its "
            "functions from the option lines of the library.</p>"
            f"<p>{', '.join(contents)}</p>" + "\n".join(parts))
