#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks every #include line against the room table of docs/ARCHITECTURE.md.

The build stops arrows that point upward; this stops what the build cannot see: a transport that
looks at another one, a tool that uses internals, a launcher backend that uses another's library.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Room (longest prefix wins) -> what its files may name in quotes.
ALLOWED = {
    "include": ["uccs", "shmem", "gasnet"],
    "src/base": ["base", "uccs/status.h", "uccs/info.h"],
    "src/rte": ["rte", "base", "uccs/status.h", "uccs/rte.h"],
    "src/mem": ["mem", "base", "uccs/status.h"],
    "src/net": ["net/transport.hpp", "net/transport_class.hpp", "net/registry.hpp", "net/parts", "base", "mem", "uccs/status.h"],
    "src/core": ["core", "net/transport.hpp", "net/registry.hpp", "net/parts/proofs.hpp", "base", "mem", "rte", "uccs"],
    "src/coll": ["coll", "core", "base", "mem/copy.hpp", "rte/identity.hpp", "uccs"],
    "src/coll/patterns": ["coll/patterns"],
    "src/models/shmem": ["models/shmem", "core", "coll", "base", "mem/copy.hpp", "mem/heap.hpp", "rte/identity.hpp",
                         "uccs", "shmem", "pshmem", "gen"],
    "tools/uccsrun": ["rte/local/wire.hpp", "rte/local/memory.hpp", "rte/packet.hpp", "rte/phase.hpp", "rte/exchange.hpp", "uccs"],
    "src/models/gasnet": ["models/gasnet", "core", "coll", "base", "mem/copy.hpp",
                          "rte/identity.hpp", "uccs", "gasnet"],
    "tools": ["tools", "uccs", "shmem"],
    "apps": ["uccs", "shmem", "gasnet"],
    "bench": ["uccs", "shmem", "gasnet"],
    "bench/ft-mpi": ["apps/ft"],  # the same program with other exchanges
}

# Each transport and each launcher backend sees its own folder besides.
OWN_FOLDER = ("src/net/", "src/rte/")

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def room_of(path: str) -> str | None:
    rooms = [room for room in ALLOWED if path == room or path.startswith(room + "/")]
    return max(rooms, key=len, default=None)


def is_allowed(room: str, path: pathlib.Path, name: str) -> bool:
    if (path.parent / name).exists():  # beside the file itself
        return True
    relative = path.relative_to(ROOT).as_posix()
    for own in OWN_FOLDER:
        if relative.startswith(own) and name.startswith("/".join(relative.split("/")[1:3]) + "/"):
            return True
    base = name.split("/")[0]
    for rule in ALLOWED[room]:
        if name == rule or name.startswith(rule + "/") or base.split(".")[0].rstrip("x") == rule:
            return True
        if (ROOT / rule / name).exists():
            return True
    return False


def check(path: pathlib.Path) -> list[str]:
    relative = path.relative_to(ROOT).as_posix()
    room = room_of(relative)
    if room is None:
        return []
    found = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = INCLUDE.match(line)
        if match and not is_allowed(room, path, match[1]):
            found.append(f"{relative}:{number}: {room} may not include \"{match[1]}\"")
    return found


def main() -> int:
    files = [p for top in ("include", "src", "tools", "apps", "bench")
             for p in (ROOT / top).rglob("*") if p.suffix in (".c", ".cpp", ".h", ".hpp")]
    found = [line for path in sorted(files) for line in check(path)]
    print("\n".join(found) if found else f"{len(files)} files, every include as the table has it")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
