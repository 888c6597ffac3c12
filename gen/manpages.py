#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the manual pages of the routines from the families files.

usage: manpages.py DIRECTORY   write DIRECTORY/man3 and man7: one page per family, one that refers to it
                               per routine, one of Fortran's routines, openshmem(7)
       manpages.py --update    write the table of families in docs/openshmem.md
       manpages.py --check     exit 1 if it is another
"""
import pathlib
import re
import sys
import textwrap

import fortran
import generate
import headerpages
from generate import GEN
from manparts import EXAMPLES, PARAMETERS, Page, escape, sentences, title_line

DOCS = GEN.parent / "docs/openshmem.md"
TABLE, TABLE_END = "<!-- families: written by gen/manpages.py --update -->\n", "<!-- end of families -->\n"
# Sentences of a documentation comment that have a section of their own.
NOTE = re.compile(r"^(Collective|Not collective|Threads|Cost|Progress|Source|At any time)\b")
RETURNS = re.compile(r"^Returns?\b")


def general(name: str) -> str:
    """shmem_NAME_put and shmem_putBITS are shmem_put."""
    return re.sub(r"NAME_|BITS", "", name)


def read_comment(text: str) -> str:
    """The comments of a piece of C text that holds nothing else."""
    if re.sub(r"/\*.*?\*/", "", text, flags=re.S).strip():
        return ""
    return " ".join(re.sub(r"/\*|\*/|^\s*\*", "", text, flags=re.M).split())


def read_pages() -> list[Page]:
    pages: list[Page] = []
    taken = set()
    for families in ("shmem", "shmemx"):
        section, comment = "", ""
        for item in generate.read_families(f"{families}.families"):
            if item.kind == "section":
                section, comment = item.text, ""
            elif item.kind == "raw":
                comment = read_comment(item.text) or comment
            elif item.prototypes:
                page = make_page(item, section, comment, f"{families}.h")
                free = [general(p.name) for p in item.prototypes if general(p.name) not in taken]
                if not free:  # an old name that a newer generic has, too: one page tells of both
                    older = next(p for p in pages if p.name == page.name)
                    older.prototypes += page.prototypes
                    older.instances += page.instances
                    older.notes += [f"{page.name}, the function: {s}" for s in page.description]
                    continue
                page.name = free[0]
                taken.add(page.name)
                pages.append(page)
    return pages


def make_page(item: generate.Item, section: str, comment: str, header: str) -> Page:
    lines = [line[3:].strip() for line in item.text.splitlines()]
    parameters: dict[str, str] = {}
    prose: list[str] = []
    bullet = ""
    for line in lines:
        match = re.match(r"- ((?:`\w+`(?:, )?)+): (.*)", line)
        if match:
            bullet = match[1]
            for name in re.findall(r"`(\w+)`", bullet):
                parameters[name] = match[2]
        elif bullet and not re.match(r"(Returns?|Collective|Threads|Cost|Ends|Source)\b", line):
            for name in re.findall(r"`(\w+)`", bullet):
                parameters[name] += " " + line
        else:
            bullet = ""
            prose.append(line)
    said = sentences(" ".join(prose))
    notes = sentences(comment)
    standard = [s for s in said + notes if s.startswith("Source")]
    page = Page(general(item.prototypes[0].name), section, header, item.prototypes,
                [s for s in said if not NOTE.match(s) and not RETURNS.match(s)]
                or [s for s in said if not NOTE.match(s)], parameters,
                [s for s in said if RETURNS.match(s)] or [s for s in notes if RETURNS.match(s)],
                [s for s in said if NOTE.match(s) and not s.startswith("Source")]
                + [s for s in notes if not s.startswith("Source") and not RETURNS.match(s)],
                standard[0][8:].rstrip(".") if standard else "")
    if not page.returns:
        page.returns = ["Nothing." if all(re.search(r"\bvoid$", p.result) for p in item.prototypes)
                        else " ".join(page.description)]
    page.instances = [name for p in item.prototypes for _, name, _, _ in generate.instances(p)]
    return page


def synopsis(page: Page) -> str:
    text = f".nf\n.B #include <{page.header}>\n.fi\n"
    sets: dict[str, str] = {}
    for p in page.prototypes:
        forms = []
        if p.is_generic:
            sets[p.set] = ""
            forms.append(("/* C11 */ ", p.name.replace("NAME_", ""), p.parameters))
        forms.append(("", p.name.replace("NAME", "TYPENAME").replace("BITS", "SIZE"), p.parameters))
        if p.has_ctx:
            name = re.sub(r"^(shmemx?_)", r"\1ctx_", forms[-1][1])
            forms.append(("", name, ["shmem_ctx_t ctx"] + p.parameters))
        if p.set not in ("-", "size"):
            sets[p.set] = ""
        if p.set == "size":
            sets["size"] = ""
        for mark, name, parameters in forms:
            line = f"{mark}{p.result} {name}({', '.join(parameters) or 'void'});"
            wrapped = textwrap.wrap(line, 92, subsequent_indent="    ", break_long_words=False)
            text += ".PP\n.nf\n" + "\n".join(".B " + quoted(part) for part in wrapped) + "\n.fi\n"
    for used in sets:
        if used == "size":
            text += f".PP\n.I SIZE\nis one of {', '.join(map(str, generate.SIZES))} (bits).\n"
            continue
        names = ", ".join(f"{t.name} ({t.c})" if t.name != t.c else t.name for t in generate.members(used))
        text += f".PP\n.IR TYPENAME \" and \" TYPE\n{'of these routines ' if len(sets) > 1 else ''}are: {escape(names)}.\n"
    return text


def quoted(text: str) -> str:
    return '"' + escape(text).replace('"', '""') + '"'


def paragraphs(found: list[str]) -> str:
    return "\n".join(textwrap.fill(escape(s), 100) for s in found) + "\n"


def parameters_of(page: Page) -> str:
    names: dict[str, None] = {}
    for p in page.prototypes:
        names.update({"ctx": None} if p.has_ctx else {})
        for parameter in p.parameters:
            if match := re.search(r"(\w+)(?:\[\])?$", parameter):
                names[match[1]] = None
    text = ""
    for name in names:
        meaning = page.parameters.get(name) or next(
            (PARAMETERS[k] for k in (f"{page.name}.{name}", f"{page.overview}.{name}", name) if k in PARAMETERS),
            "see above")
        meaning = meaning if meaning.endswith(".") else meaning + "."
        text += f".TP\n.I {name}\n{textwrap.fill(escape(meaning[0].upper() + meaning[1:]), 100)}\n"
    return text or "None.\n"


def errors_of(page: Page) -> str:
    names = {x.split()[-1].strip("*") for p in page.prototypes for x in p.parameters}
    checks = [what for what, wanted in (
        ("a PE that does not exist", {"pe", "PE_root", "PE_start"}),
        ("an address that is not symmetric where a symmetric one is needed", {"dest", "source", "sig_addr", "ivar"}),
        ("a comparison that is none of SHMEM_CMP_*", {"cmp"}),
        ("an active set that is none", {"PE_start"})) if wanted & names]
    if not checks or not page.header.startswith("shmem"):
        return ""
    return (".SH ERRORS\n" + textwrap.fill(escape(
        f"On {'; '.join(checks)}, the job ends: one message names the call, the PE and the argument, and the "
        "exit status is not 0."), 100) + "\n")


def see_also(page: Page, pages: list[Page]) -> str:
    others = [p.name for p in pages if p.section == page.section and p.name != page.name][:14]
    return ",\n".join(f".BR {name} (3)" for name in others + []) + (",\n" if others else "") + \
        f".BR {page.overview} (7),\n.BR oshcc (1),\n.BR oshrun (1)\n"


def render(page: Page, pages: list[Page]) -> str:
    names = dict.fromkeys(general(p.name) for p in page.prototypes)
    text = title_line(page.name, 3) + ".SH NAME\n"
    brief = page.brief[0].lower() + page.brief[1:]
    text += f"{', '.join(names)} \\- {escape(brief)}\n.SH SYNOPSIS\n{synopsis(page)}"
    text += f".SH DESCRIPTION\n{paragraphs(page.description or [page.section + '.'])}"
    text += f".SH PARAMETERS\n{parameters_of(page)}"
    text += f".SH RETURN VALUE\n{paragraphs(page.returns)}{errors_of(page)}"
    if page.notes:
        text += ".SH NOTES\n" + "".join(f".PP\n{paragraphs([n])}" for n in page.notes).replace(".PP\n", "", 1)
    if page.standard:
        text += f".SH STANDARDS\n{paragraphs([page.standard + '.'])}"
    example = page.example or next((e for pattern, e in EXAMPLES if re.match(pattern, page.section)), "setup")
    code = (GEN / "examples" / f"{example}.c").read_text().split("\n", 1)[1]
    text += f".SH EXAMPLE\n.nf\n{escape(code, is_code=True)}.fi\n.SH SEE ALSO\n{see_also(page, pages)}"
    return text


def render_fortran() -> str:
    text = title_line("shmem_fortran", 3) + (
        ".SH NAME\nshmem_fortran \\- OpenSHMEM for Fortran\n.SH SYNOPSIS\n.nf\n.B use shmem\n.fi\n.PP\nor, "
        "as it was up to OpenSHMEM 1.4,\n.PP\n.nf\n.B include 'shmem.fh'\n.fi\n.SH DESCRIPTION\n"
        "The module declares the routines below and those of C under their names, with buffers of any type and\n"
        "rank, and with counts of either integer kind. Saved variables and those of modules and common blocks\n"
        "are symmetric. Compile with\n.BR oshfort (1).\n")
    section = ""
    for title, doc, routines in fortran.read_routines():
        text += f".SS {quoted(title)}\n" if title != section else ".PP\n"
        section = title
        text += paragraphs([doc.strip()]) + ".PP\n" if doc else ""
        text += ".nf\n"
        for r in routines:
            line = f"{r.result} {r.name}({', '.join(r.parameters)})"
            text += ".B " + quoted(line) + "\n"
        text += ".fi\n"
    return text + (".SH NOTES\nA parameter means what it means in the routine of C that is named. Integers are of 4\n"
                   "bytes. Addresses of SHPALLOC are Cray pointers.\n.SH SEE ALSO\n.BR openshmem (7),\n"
                   ".BR oshfort (1)\n")


def list_pages(pages: list[Page]) -> str:
    text = ".SH ROUTINES\n"
    for section in dict.fromkeys(p.section for p in pages):
        text += f".SS {quoted(section)}\n"
        for page in (p for p in pages if p.section == section):
            text += f".TP\n.BR {page.name} (3)\n{escape(page.brief[0].upper() + page.brief[1:])}.\n"
    return text


def render_substrate(pages: list[Page]) -> str:
    return title_line("uccs", 7) + (
        ".SH NAME\nuccs \\- the communication substrate's own interface\n.SH SYNOPSIS\n.nf\n"
        ".B #include <uccs/uccs.h>\n.B oshcc program.c -o program\n.B uccsrun -n 4 ./program\n.fi\n"
        ".SH DESCRIPTION\nThe processes of a job are execution contexts (ECs), numbered from 0. A context is one use of\n"
        "the substrate, an endpoint names an EC, a region is memory the substrate knows. Calls that end in\n"
        "_nb start an operation and answer UCCS_OK (complete), UCCS_IN_PROGRESS, UCCS_AGAIN (nothing\n"
        "happened: make progress and retry) or an error, which is negative.\n") + list_pages(pages) + (
        ".SH SEE ALSO\n.BR openshmem (7),\n.BR uccsrun (1),\n.BR uccs-info (1)\n")


def render_overview(pages: list[Page]) -> str:
    text = title_line("openshmem", 7) + (
        ".SH NAME\nopenshmem \\- programs whose processes share memory\n.SH SYNOPSIS\n.nf\n"
        ".B oshcc program.c -o program\n.B oshrun -n 4 ./program\n.fi\n.SH DESCRIPTION\n"
        "The processing elements (PEs) of an OpenSHMEM program read and write each other's symmetric\n"
        "memory: blocks of\n.BR shmem_malloc (3)\nand the global and static variables of the executable. A PE names "
        "memory of another by the\naddress of the same object in its own. UCCS has all of OpenSHMEM 1.6.\n") + list_pages(pages)
    return text + (
        ".SH ENVIRONMENT\n.TP\n.B SHMEM_SYMMETRIC_SIZE\nBytes of symmetric heap per PE, with K, M, G or T. It is rarely "
        "needed: memory is taken when it is touched.\n.TP\n.BR SHMEM_VERSION \", \" SHMEM_INFO \", \" SHMEM_DEBUG\n"
        "Set to anything: print the version, the settings, debugging lines.\n.PP\nAll settings:\n"
        ".BR \"uccs-info --config\" .\n.SH SEE ALSO\n.BR shmem_fortran (3),\n.BR uccs (7),\n.BR oshcc (1),\n.BR oshrun (1),\n"
        ".BR uccs-info (1)\n")


def write_pages(directory: pathlib.Path) -> None:
    routines, substrate = read_pages(), headerpages.read_pages()
    pages = routines + substrate
    for folder in ("man3", "man7"):
        (directory / folder).mkdir(parents=True, exist_ok=True)
    links: dict[str, str] = {}
    for page in pages:
        for name in [general(p.name) for p in page.prototypes] + page.instances:
            links.setdefault(name, page.name)
    for page in pages:
        links.pop(page.name, None)
        (directory / "man3" / f"{page.name}.3").write_text(render(page, pages))
    taken = set(links) | {p.name for p in pages}
    links.update({r.name: "shmem_fortran" for _, _, routines in fortran.read_routines() for r in routines
                  if r.name not in taken})
    for name, page in links.items():
        (directory / "man3" / f"{name}.3").write_text(f".so man3/{page}.3\n")
    (directory / "man3" / "shmem_fortran.3").write_text(render_fortran())
    (directory / "man7" / "openshmem.7").write_text(render_overview(routines))
    (directory / "man7" / "uccs.7").write_text(render_substrate(substrate))
    (directory / "man7" / "shmem.7").write_text(".so man7/openshmem.7\n")


def table() -> str:
    text = TABLE + "\n| family | what it does | manual |\n|---|---|---|\n"
    section = ""
    for page in read_pages():
        if page.section != section:
            section = page.section
            text += f"| **{section}** | | |\n"
        names = ", ".join(f"`{n}`" for n in dict.fromkeys(general(p.name) for p in page.prototypes))
        text += f"| {names} | {page.brief.replace('|', '/').replace('*', chr(92) + '*')} | `man {page.name}` |\n"
    return text + "\n" + TABLE_END


def main() -> int:
    what = sys.argv[1:]
    if what in (["--check"], ["--update"]):
        text = DOCS.read_text()
        head, _, rest = text.partition(TABLE)
        wanted = head + table() + rest.partition(TABLE_END)[2]
        if what == ["--update"]:
            DOCS.write_text(wanted)
        elif text != wanted:
            print("docs/openshmem.md: the table of families is old: run gen/manpages.py --update")
            return 1
    elif len(what) == 1 and not what[0].startswith("-"):
        write_pages(pathlib.Path(what[0]))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
