#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the manual pages and the shell completions of the tools from what their --help prints.

usage: toolpages.py BIN DIRECTORY    BIN: the folder of the tools. Writes DIRECTORY/man1 and
                                     DIRECTORY/completions/{bash,zsh,fish}
"""
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass

from generate import GEN
from manparts import escape, title_line

TOOLS = {  # name -> (other names, what it is, page of docs/ that tells more)
    "uccsrun": (["oshrun"], "start the processes of a program", "launcher.md"),
    "uccs-perf": ([], "measure UCCS", "uccs-perf.md"),
    "uccs-info": (["osh_info", "oshmem_info"], "tell about UCCS and check a machine", ""),
    "oshcc": (["shmemcc"], "compile and link OpenSHMEM programs in C", ""),
    "oshc++": (["oshCC", "oshcxx", "shmemc++", "shmemCC", "shmemcxx"],
               "compile and link OpenSHMEM programs in C++", ""),
    "oshfort": (["shmemfort"], "compile and link OpenSHMEM programs in Fortran", ""),
}
WRAPPERS = ("oshcc", "oshc++", "oshfort")
# Options of uccsrun with a fixed set of values, or with files.
VALUES = {"--bind": "none core socket", "--launcher": "auto local srun prterun mpirun mpiexec.hydra",
          "--mode": "latency rate bandwidth bidir overlap", "--net": "ofi ofi:tcp ucx ucx:tcp"}
FILES = {"--hostfile", "--csv", "--json"}
FOLDERS = {"--wdir"}


@dataclass
class Option:
    names: list[str]
    value: str  # "" if it has none
    text: str

    @property
    def spelled(self) -> str:
        return ", ".join(self.names) + (f" {self.value}" if self.value else "")


@dataclass
class Help:
    usage: str
    intro: str
    options: list[Option]
    rest: list[str]  # paragraphs after the options


def read_help(tool: pathlib.Path) -> Help:
    text = subprocess.run([tool, "--help"], check=True, capture_output=True, text=True).stdout
    lines = text.splitlines()
    usage = lines[0].split(": ", 1)[1]
    intro: list[str] = []
    options: list[Option] = []
    rest: list[str] = [""]
    is_list = False
    waiting: list[str] = []  # names whose text comes on the next line
    for line in lines[1:]:
        match = re.match(r"  (-\S.*?|\(none\))(?:  +(\S.*))?$", line)
        continued = re.match(r"   {4,}(\S.*)$", line)
        if match:
            words = re.findall(r"(-[\w?+:-]+)", match[1])
            value = re.search(r"(?<![\w-])([A-Z][A-Z,]*)(?:\[=VALUE\])?\s*$", match[1])
            names = waiting + (words or ["(none)"])
            value_text = match[1][value.start():] if value else ""
            if "[=VALUE]" in match[1]:
                value_text = "NAME[=VALUE]"
            waiting = []
            options.append(Option(names, value_text, match[2] or ""))
        elif continued and options and not rest[0]:
            options[-1].text = (options[-1].text + " " + continued[1]).strip()
        elif not options:
            if not intro and line.startswith("  "):  # another form of the usage
                continue
            is_list = line.endswith(":") or (is_list and line != "")  # the page of docs/ has it
            if not is_list:
                intro.append(line)
        elif line == "":
            rest.append("")
        else:
            rest[-1] = (rest[-1] + " " + line.strip()).strip()
    return Help(usage, " ".join(intro).strip(), options, [p for p in rest if p])


def from_markdown(text: str) -> str:
    """The sections of a page of docs/, but for its title and the options."""
    out, is_code, skips = "", False, True
    rows: list[list[str]] = []

    def flush() -> None:
        nonlocal out
        for cells in rows[1:]:
            out += f".TP\n{escape(plain(cells[0]))}\n{escape(plain('; '.join(cells[1:])))}\n"
        rows.clear()

    for line in text.splitlines():
        if line.startswith("|"):
            if not re.match(r"\|[-|: ]+\|$", line) and not skips:
                rows.append([c.replace("\0", "|").strip() for c in line.replace("\\|", "\0").strip("|").split("|")])
            continue
        flush()
        if line.startswith("## "):
            skips = line == "## Options"
            out += "" if skips else f".SH {line[3:].upper()}\n"
        elif skips:
            continue
        elif line.startswith("```"):
            is_code = not is_code
            out += ".nf\n" if is_code else ".fi\n"
        elif line == "":
            out += "" if is_code or out.endswith(".PP\n") or out.endswith("\n") and re.search(r"\.SH [^\n]*\n$", out) else ".PP\n"
        elif line.startswith("- "):
            out += ".IP \\(bu 2\n" + escape(plain(line[2:])) + "\n"
        else:
            out += escape(plain(line.strip())) + "\n"
    flush()
    # A paragraph mark before a heading or at the end says nothing.
    out = re.sub(r"\.PP\n(?=\.(SH|TP|IP|PP))", "", out)
    return re.sub(r"\.PP\n$", "", out)


def plain(text: str) -> str:
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("**", "")


def page(name: str, bin_folder: pathlib.Path) -> str:
    others, brief, docs = TOOLS[name]
    found = read_help(bin_folder / name)
    text = title_line(name, 1) + f".SH NAME\n{', '.join([name] + others)} \\- {brief}\n"
    program, _, arguments = found.usage.partition(" ")
    text += f".SH SYNOPSIS\n.B {program}\n{escape(arguments)}\n.SH DESCRIPTION\n{escape(found.intro)}\n.SH OPTIONS\n"
    for option in found.options:
        names = ", ".join(f"\\fB{escape(n.replace('-', chr(0))).replace(chr(0), chr(92) + '-')}\\fR" for n in option.names)
        value = f" \\fI{escape(option.value)}\\fR" if option.value else ""
        text += f".TP\n{names}{value}\n{escape(option.text)}\n"
    for paragraph in found.rest:
        heading = re.match(r"(Environment|Exit status): (.*)", paragraph)
        if heading and not docs:
            text += f".SH {heading[1].upper()}\n{escape(heading[2])}\n"
        elif not docs or "mpirun" in paragraph:
            text += f".PP\n{escape(paragraph)}\n"
    if docs:
        text += from_markdown((GEN.parent / "docs" / docs).read_text())
    see = [t for t in TOOLS if t != name]
    return text + ".SH SEE ALSO\n" + ",\n".join(f".BR {t} (1)" for t in see) + ",\n.BR openshmem (7)\n"


def real_names(option: Option) -> list[str]:
    return [n for n in option.names if n.startswith("-")]


def bash(tools: dict[str, Help]) -> str:
    text = ("# SPDX-License-Identifier: BSD-3-Clause\n# bash completion of UCCS's tools; made from what their --help "
            "prints.\n")
    for name, found in tools.items():
        function = "_uccs_" + re.sub(r"\W", "_", name.replace("+", "x"))
        words = " ".join(n for o in found.options for n in real_names(o))
        text += f"{function}() {{\n  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}\n"
        text += "  COMPREPLY=()\n  case $before in\n"
        for option in (o for o in found.options if o.value):
            known = next((VALUES[n] for n in option.names if n in VALUES), "")
            how = (f'compgen -W "{known}" -- "$word"' if known
                   else 'compgen -d -- "$word"' if FOLDERS & set(option.names)
                   else 'compgen -f -- "$word"' if FILES & set(option.names) else "")
            action = f'mapfile -t COMPREPLY < <({how}); return' if how else "return"
            text += f"    {' | '.join(real_names(option))}) {action} ;;\n"
        text += (f'  esac\n  if [[ $word == -* ]]; then\n    mapfile -t COMPREPLY < <(compgen -W "{words}" -- "$word")\n'
                 + ('  else\n    mapfile -t COMPREPLY < <(compgen -c -- "$word")\n' if name == "uccsrun" else
                    '  else\n    mapfile -t COMPREPLY < <(compgen -f -- "$word")\n' if name in WRAPPERS else "")
                 + "  fi\n}\n")
        text += f"complete -o bashdefault -o filenames -F {function} {' '.join([name] + TOOLS[name][0])}\n"
    return text


def zsh(name: str, found: Help) -> str:
    def clean(text: str) -> str:
        return re.sub(r"['\[\]:`\"$\\]", "", text)
    text = f"#compdef {' '.join([name] + TOOLS[name][0])}\n# SPDX-License-Identifier: BSD-3-Clause\n_arguments -S \\\n"
    for option in found.options:
        known = next((VALUES[n] for n in option.names if n in VALUES), "")
        value = ""
        if option.value:
            what = (f"({known})" if known else "_files -/" if FOLDERS & set(option.names)
                    else "_files" if FILES & set(option.names) else " ")
            value = f":{clean(option.value)}:{what}"
        for spelled in real_names(option):
            text += f"  '{spelled.replace(':', chr(92) + ':')}[{clean(option.text)}]{value}' \\\n"
    if name == "uccsrun":
        return text + "  '(-)1:program:_command_names -e' \\\n  '*::arguments:_normal'\n"
    return text + ("  '*:file:_files'\n" if name in WRAPPERS else "  && return\n")


def fish(name: str, found: Help) -> str:
    text = "# SPDX-License-Identifier: BSD-3-Clause\n"
    for command in [name] + TOOLS[name][0]:
        for option in found.options:
            known = next((VALUES[n] for n in option.names if n in VALUES), "")
            line = ""
            for spelled in real_names(option):
                if spelled.startswith("--"):
                    line += f" -l '{spelled[2:]}'"
                else:
                    line += f" {'-s' if len(spelled) == 2 else '-o'} '{spelled[1:]}'"
            if line:
                value = f" -x -a '{known}'" if known else " -r" if option.value else ""
                what = option.text.replace("\\", "").replace("'", "\\'")
                text += f"complete -c '{command}'{line}{value} -d '{what}'\n"
    return text


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    bin_folder, directory = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folders = {name: directory / name for name in ("man1", "completions/bash", "completions/zsh", "completions/fish")}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    tools = {name: read_help(bin_folder / name) for name in TOOLS}
    for name, (others, _, _) in TOOLS.items():
        (folders["man1"] / f"{name}.1").write_text(page(name, bin_folder))
        for other in others:
            (folders["man1"] / f"{other}.1").write_text(f".so man1/{name}.1\n")
        (folders["completions/zsh"] / f"_{name}").write_text(zsh(name, tools[name]))
        for command in [name] + others:
            (folders["completions/fish"] / f"{command}.fish").write_text(fish(name, tools[name]))
            # bash loads the file that is named after the command.
            (folders["completions/bash"] / command).write_text(bash(tools))
    return 0


if __name__ == "__main__":
    sys.exit(main())
