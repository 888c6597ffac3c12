#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Smoke tests of uccs-perf: every subcommand with tiny repetitions, its files, its refusals.

usage: perf_test.py BIN_DIR CASE   (CASE: a method of Cases)
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIP = 77


class Cases:
    def __init__(self, bin_dir, folder):
        self.perf, self.oshrun, self.info = (bin_dir / name for name in ("uccs-perf", "oshrun", "uccs-info"))
        self.folder = folder

    def run(self, *arguments, status=0, launcher=()):
        command = [*map(str, launcher), str(self.perf), *map(str, arguments)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        expected = status if isinstance(status, tuple) else (status,)
        assert result.returncode in expected, f"{command}: {result.returncode}\n{result.stdout}{result.stderr}"
        return result

    def measure(self, *arguments, status=0, launcher=()):
        """Runs, and reads back what it wrote: the rows of the CSV file, which JSON must hold too."""
        table, tree = self.folder / "out.csv", self.folder / "out.json"
        result = self.run(*arguments, "--csv", table, "--json", tree, status=status, launcher=launcher)
        lines = table.read_text().splitlines()
        assert lines[0].startswith("# uccs-perf ") and "CPU" in lines[1], lines[:2]
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
        document = json.loads(tree.read_text())
        assert document["machine"]["cpus"] >= 1 and document["machine"]["affinity"], document
        assert len(document["rows"]) == len(rows) > 0, "CSV and JSON differ"
        assert list(document["rows"][0]) == list(rows[0]), "CSV and JSON differ"
        return rows, result

    def sweep(self, *arguments, launcher=()):
        rows, result = self.measure(*arguments, "--repetitions", 2, "--time", 0.2, launcher=launcher)
        for row in rows:
            assert 0 <= float(row["min"]) <= float(row["median"]) <= float(row["max"]), row
        assert rows[0]["what"] in result.stdout and "affinity" in result.stdout, result.stdout
        return rows

    def one_sided(self):
        assert [row["bytes"] for row in self.sweep("put", "--size", "8:32")] == ["8", "16", "32"]
        assert self.sweep("get", "--mode", "rate", "--threads", 2)[0]["unit"] == "op/s"
        assert self.sweep("put", "--mode", "bandwidth", "--size", "64K,1M")[1]["bytes"] == str(1 << 20)
        assert self.sweep("put", "--mode", "bidir", "--size", "64K")[0]["unit"] == "MB/s"
        assert 0 <= float(self.sweep("get", "--mode", "overlap", "--size", "64K")[0]["median"]) <= 100
        self.sweep("atomic")
        self.sweep("atomic", "--mode", "rate", "--procs", 1, "--threads", 2)

    def messages(self):
        assert self.sweep("am", "--size", 8)[0]["unit"] == "ns"
        self.sweep("am", "--size", "8,2K,16K", "--mode", "rate", "--threads", 2)
        self.sweep("am", "--mode", "bidir")
        self.sweep("send", "--size", "8,64K")
        self.sweep("send", "--mode", "bandwidth", "--size", "16K")
        self.sweep("send", "--mode", "bidir", "--procs", 4)
        self.sweep("send", "--mode", "overlap", "--size", "64K")
        self.sweep("send", "--procs", 1)

    def collectives(self):
        for name in ("barrier", "broadcast", "allreduce", "allgather", "alltoall"):
            assert self.sweep(name, "--procs", 3)[0]["procs"] == "3"

    def launched(self):
        rows = self.sweep("put", launcher=(self.oshrun, "-n", 4))
        assert rows[0]["procs"] == "4", rows
        launcher = (self.oshrun, "-n", 2)
        assert "leave --procs out" in self.run("put", "--procs", 4, status=2, launcher=launcher).stderr
        assert "without a launcher" in self.run("parity", status=2, launcher=launcher).stderr
        assert "even number" in self.run("put", status=2, launcher=(self.oshrun, "-n", 3)).stderr

    def parity(self):
        # A verdict of so short a run means nothing: both are fine.
        rows, result = self.measure("parity", "--threads", "1,2", "--repetitions", 2, "--time", 0.5, status=(0, 1))
        assert {row["threads"] for row in rows} == {"1", "2"}, rows
        assert {"put", "get", "fetch-add", "am", "shmem p"} <= {row["what"] for row in rows}, rows
        assert all(row["verdict"] in ("PASS", "FALLS SHORT", "UNCERTAIN") and float(row["ratio"]) > 0 for row in rows), rows
        short = sum(row["verdict"] == "FALLS SHORT" for row in rows)
        assert result.returncode == (1 if short else 0), (short, result.returncode)
        assert f"{short} fall short" in result.stdout, result.stdout

    def parity_net(self):
        networks = [name for name in ("ucx", "ofi") if (self.perf.parents[1] / "lib" / f"libuccs-net-{name}.so").exists()]
        if not networks:
            print("SKIP: this build has no network")
            sys.exit(SKIP)
        os.environ["UCCS_NET_PLUGINS"] = str(self.perf.parents[1] / "lib")
        rows, _ = self.measure("parity", "--net", networks[0] + ":tcp", "--threads", 1, "--repetitions", 1, "--time", 1,
                               "--only", "get", status=(0, 1))
        assert [row["what"] for row in rows] == ["get"] and float(rows[0]["Mop/s of other"]) > 0, rows
        result = self.run("parity", "--net", "smoke", status=2)
        assert "--net smoke: the networks are" in result.stderr, result.stderr
        assert "takes no --net" in self.run("put", "--net", "ofi", status=2).stderr

    def fairness(self):
        rows, _ = self.measure("fairness", "--threads", 3, "--repetitions", 5, "--messages", 90)
        for run in range(5):
            shares = [int(row["callbacks"]) for row in rows if int(row["run"]) == run]
            assert len(shares) == 3 and sum(shares) == 90, shares

    def mask(self):
        if "UCCS_POLL_MASK" not in subprocess.run([self.info, "--config"], capture_output=True, text=True).stdout:
            setting = ("--setting", "UCCS_SPIN")  # any number will do to see the tool work
        else:
            setting = ()
        rows, _ = self.measure("mask", *setting, "--masks", "1,7", "--repetitions", 2, "--time", 0.2)
        assert len(rows) == 6 and "am to a thread that computes" in {row["what"] for row in rows}, rows
        assert "no setting UCCS_NONE" in self.run("mask", "--setting", "UCCS_NONE", status=2).stderr
        assert "--threads 2" in self.run("mask", *setting, "--threads", 1, status=2).stderr

    def plot(self):
        files = {"sweep": ("put", "--size", "8,16", "--repetitions", 2, "--time", 0.1),
                 "fairness": ("fairness", "--threads", 2, "--repetitions", 3, "--messages", 20),
                 "parity": ("parity", "--threads", 1, "--repetitions", 1, "--time", 0.2)}
        probe = subprocess.run([str(self.perf), "plot", "--help"], capture_output=True, text=True, timeout=60)
        assert probe.returncode == 0 and "PICTURE" in probe.stdout, probe.stderr
        for name, arguments in files.items():
            path, picture = self.folder / f"{name}.csv", self.folder / f"{name}.svg"
            self.run(*arguments, "--csv", path, status=(0, 1))
            result = self.run("plot", path, "-o", picture, status=(0, 1))
            if "matplotlib is missing" in result.stderr:
                print("SKIP: matplotlib is not installed (python3-matplotlib)")
                sys.exit(SKIP)
            assert result.returncode == 0 and "<svg" in picture.read_text(), result.stderr
        other = self.folder / "other.csv"
        other.write_text("a,b\n1,2\n")
        assert "is no CSV file of uccs-perf" in self.run("plot", other, status=1).stderr
        assert "No such file" in self.run("plot", self.folder / "none.csv", status=1).stderr
        mixed = [self.folder / "sweep.csv", self.folder / "parity.csv"]
        assert "one kind of result" in self.run("plot", *mixed, status=1).stderr
        assert "endings" in self.run("plot", mixed[0], "-o", "x.txt", status=2).stderr

    def usage(self):
        help_text = self.run("--help").stdout
        for word in ("put", "parity", "fairness", "mask", "plot", "--threads", "--csv", "Examples"):
            assert word in help_text, word
        assert self.run("--version").stdout.startswith("uccs-perf ")
        wrong = [((), "say what to measure"), (("fly",), "no such subcommand"), (("put", "get"), "already"),
                 (("put", "--fly"), "no such option"), (("put", "--size"), "needs a value"),
                 (("put", "--size", "x"), "--size x"), (("put", "--size", "8:4"), "smaller end"),
                 (("put", "--size", "0"), "--size 0"), (("put", "--size", "1T"), "--size 1T"),
                 (("put", "--size", "1:2:3"), "two ends"), (("put", "--threads", "0"), "--threads 0"),
                 (("put", "--threads", "1,2"), "one number of threads"), (("put", "--procs", "3"), "pairs"),
                 (("put", "--procs", "two"), "--procs two"), (("put", "--mode", "fast"), "--mode fast"),
                 (("put", "--time", "-1"), "--time -1"), (("put", "--bind", "here"), "--bind here"),
                 (("atomic", "--mode", "bandwidth"), "one word"), (("atomic", "--size", "16"), "takes no --size"),
                 (("am", "--mode", "overlap"), "nothing to wait for"), (("barrier", "--mode", "rate"), "latency only"),
                 (("barrier", "--threads", "2"), "one thread"), (("parity", "--mode", "rate"), "takes no --mode"),
                 (("parity", "--procs", "4"), "leave --procs out"),
                 (("parity", "--only", "fly"), "nothing of this name")]
        for arguments, message in wrong:
            result = self.run(*arguments, status=2)
            assert message in result.stderr and "--help" in result.stderr, (arguments, result.stderr)
            assert not result.stdout, (arguments, result.stdout)
        result = self.run("put", "--csv", self.folder / "none" / "x.csv", status=1)
        assert "cannot be written" in result.stderr, result.stderr


def main():
    for variable in [name for name in os.environ if name.startswith("UCCS_PERF")]:
        del os.environ[variable]
    with tempfile.TemporaryDirectory() as folder:
        getattr(Cases(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder)), sys.argv[2])()


if __name__ == "__main__":
    main()
