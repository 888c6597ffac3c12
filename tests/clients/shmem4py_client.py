#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""shmem4py, the Python binding of OpenSHMEM, built against this library and put through its tests.

usage: shmem4py_client.py build FOLDER BIN_DIR | suite FOLDER BIN_DIR PES | demos FOLDER BIN_DIR PES

`build` makes a virtual environment in FOLDER, downloads what requirements.txt names, applies the
patch of packaging/shmem4py and compiles the binding with our oshcc. It is done once: again only when
our header, the patch or the versions change. Only the download may fail without being an error: then
every step exits with 77 and says why.
"""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PATCHES = sorted((ROOT / "packaging" / "shmem4py").glob("*.patch"))
PATIENCE_S = 240  # with a download
SDIST_SHA256 = "41db82b216b46b7eaa737daf17e6ad74c4ba07332779df312c06250bad847f81"
# Programs of the distribution that end by themselves; what they print is for people.
DEMOS = ("alltoall", "broadcast", "collect", "fcollect", "hello", "lock_oo", "pi", "ping", "race_winner",
         "rotget", "rotput", "api/addr", "api/hello", "api/lock", "api/query", "api/rotget", "api/rotput")


def skip(folder: pathlib.Path, reason: str) -> int:
    print(f"SKIP: {reason}")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "skipped").write_text(reason)
    return 77


def fingerprint() -> str:
    made_of = [HERE / "requirements.txt", pathlib.Path(__file__), ROOT / "include" / "shmem.h", *PATCHES]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in made_of)).hexdigest()


def run(*command, **options) -> None:
    """Quiet while it works; the whole output when it does not."""
    result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, **options)
    if result.returncode:
        print(result.stdout)
        sys.exit(f"failed: {' '.join(map(str, command))}")


def build(folder: pathlib.Path, bin_dir: pathlib.Path) -> int:
    stamp = folder / "built"
    if stamp.exists() and stamp.read_text() == fingerprint():
        print("built before")
        return 0
    include = pathlib.Path(sysconfig.get_path("include"))
    if not (include / "Python.h").exists():
        return skip(folder, f"no {include}/Python.h: install python3-dev (./uccs test does)")
    shutil.rmtree(folder, ignore_errors=True)
    downloads = folder / "downloads"
    downloads.mkdir(parents=True)
    try:
        venv.create(folder / "venv", with_pip=True)
    except (subprocess.CalledProcessError, OSError) as error:
        return skip(folder, f"no virtual environment: install python3-venv (./uccs test does): {error}")
    python = folder / "venv" / "bin" / "python"
    # A compiled wheel of shmem4py would be of another library: it always comes as source. The
    # metadata are read before there are build tools, so these come first.
    pip = [python, "-m", "pip", "--no-input", "--disable-pip-version-check"]
    options = ["--retries", "1", "-q", "-d", downloads]
    wanted = [line.strip() for line in (HERE / "requirements.txt").read_text().splitlines()
              if line.strip() and not line.startswith("#")]
    ours = [name for name in wanted if name.startswith("shmem4py")]
    tools = [name for name in wanted if name not in ours]
    for names, more in ((tools, ["--only-binary", ":all:"]), (ours, [])):
        if names is ours:
            run(*pip, "install", "--no-index", "--no-compile", "--find-links", downloads, *tools)
            more = ["--no-deps", "--no-build-isolation", "--no-binary", "shmem4py"]
        try:
            got = subprocess.run([*map(str, [*pip, "download", *options, *more]), *names], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            return skip(folder, f"PyPI did not deliver {' '.join(names)} within {PATIENCE_S} s")
        if got.returncode:
            last = (got.stdout.strip().splitlines() or ["no message"])[-1]
            return skip(folder, f"PyPI gives no {' '.join(names)}: {last}")
    sdist = next(downloads.glob("shmem4py-*.tar.gz"))
    if hashlib.sha256(sdist.read_bytes()).hexdigest() != SDIST_SHA256:
        sys.exit(f"{sdist.name} is not the file that this test was written for")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder)
    source = folder / sdist.name.removesuffix(".tar.gz")
    source.rename(folder / "source")
    for patch in PATCHES:
        run("patch", "-p1", "-i", patch, cwd=folder / "source")
    # -O0: 1507 wrappers take half the time, and it is the library that is tested.
    environment = dict(os.environ, OSHCC=str(bin_dir / "oshcc"), CFLAGS="-O0",
                       PATH=f"{bin_dir}{os.pathsep}{os.environ['PATH']}")
    run(*pip, "install", "--no-index", "--no-deps", "--no-build-isolation", folder / "source",
        env=environment)
    stamp.write_text(fingerprint())
    return 0


def oshrun(folder: pathlib.Path, bin_dir: pathlib.Path, pes: str, *arguments) -> int:
    command = [bin_dir / "oshrun", "-n", pes, "--timeout", "120", folder / "venv" / "bin" / "python", *arguments]
    return subprocess.run(list(map(str, command)), cwd=folder / "source", stdin=subprocess.DEVNULL).returncode


def main() -> int:
    step, folder, bin_dir = sys.argv[1], *(pathlib.Path(path).resolve() for path in sys.argv[2:4])
    if step == "build":
        return build(folder, bin_dir)
    if not (folder / "built").exists():
        reason = folder / "skipped"
        print("SKIP:", reason.read_text() if reason.exists() else "shmem4py could not be built")
        return 77 if reason.exists() else 1
    if step == "suite":
        return oshrun(folder, bin_dir, sys.argv[4], "-m", "unittest", "discover", "-q", "-s", "test")
    failed = [demo for demo in DEMOS if oshrun(folder, bin_dir, sys.argv[4], f"demo/{demo}.py")]
    if failed:
        print("failed:", *failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
