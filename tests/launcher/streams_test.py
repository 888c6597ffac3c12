#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""uccsrun: output, input and terminals."""

import os
import pty
import random
import re
import signal
import subprocess
import tempfile
import time

import launching
from launching import PROBE, SECONDS, UCCSRUN, LauncherTest, environment, eventually, marked_processes


class Streams(LauncherTest):
    def check_lines(self, text, ecs, count, length):
        expected = {f"{ec}:{i}:" + chr(ord("a") + ec % 26) * length
                    for ec in range(ecs) for i in range(count)}
        lines = text.decode().split("\n")
        self.assertEqual(lines.pop(), "")
        self.assertEqual(len(lines), ecs * count)
        self.assertEqual(set(lines), expected)

    def test_lines_stay_whole(self):
        result = self.run_job("-n", 8, PROBE, "lines", 300, 90, text=False)
        self.check_lines(result.stdout, 8, 300, 90)

    def test_long_lines_stay_whole(self):
        result = self.run_job("-n", 4, PROBE, "lines", 5, 300000, text=False)
        self.check_lines(result.stdout, 4, 5, 300000)

    def test_a_slow_reader_gets_all(self):
        job = self.start_job("-n", 4, PROBE, "lines", 40, 100000)
        time.sleep(0.5)
        output, _ = job.communicate(timeout=SECONDS)
        self.assertEqual(job.returncode, 0)
        self.check_lines(output, 4, 40, 100000)

    def test_a_slow_reader_holds_the_ecs_back(self):
        job = self.start_job("-n", 2, "sh", "-c", "yes | head -c 100000000")
        time.sleep(0.5)
        with open(f"/proc/{job.pid}/status", encoding="ascii") as file:
            resident = int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])
        self.assertLess(resident, 20000)  # KiB; not the 200 MB that the ECs would write
        job.kill()
        job.communicate(timeout=SECONDS)
        eventually(lambda: not marked_processes(), "all gone")

    def test_signals_work_while_the_output_is_blocked(self):
        job = self.start_job("-n", 2, "yes")
        time.sleep(0.3)
        job.send_signal(signal.SIGINT)
        time.sleep(0.1)
        job.send_signal(signal.SIGINT)
        job.wait(timeout=SECONDS)
        self.assertEqual(job.returncode, 130)
        job.stdout.close()
        job.stderr.close()

    def test_bytes_pass_unchanged(self):
        data = random.Random(3).randbytes(3_000_000)
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            self.assertEqual(self.run_job("-n", 1, "cat", file.name, text=False).stdout, data)
            self.assertEqual(len(self.run_job("-n", 3, "cat", file.name, text=False).stdout),
                             3 * len(data))

    def test_last_line_without_newline(self):
        self.assertEqual(self.run_job("-n", 2, "printf", "x").stdout, "xx")
        self.assertEqual(sorted(self.run_job("-n", 2, "-l", "printf", r"a\nb").stdout.splitlines()),
                         ["[0] a", "[0] b", "[1] a", "[1] b"])

    def test_tags(self):
        result = self.run_job("-n", 3, "--tag-output", "sh", "-c", "echo out; echo err >&2")
        self.assertEqual(sorted(result.stdout.splitlines()), ["[0] out", "[1] out", "[2] out"])
        self.assertEqual(sorted(result.stderr.splitlines()), ["[0] err", "[1] err", "[2] err"])

    def test_output_to_one_file_stays_whole_across_both_streams(self):
        with tempfile.NamedTemporaryFile() as file:
            subprocess.run([UCCSRUN, "-n", "4", "sh", "-c",
                            "i=0; while [ $i -lt 200 ]; do echo oooooooo; echo eeeeeeee >&2; "
                            "i=$((i+1)); done"], stdout=file, stderr=file, env=environment(),
                           timeout=SECONDS, check=True)
            file.seek(0)
            with open(file.name, encoding="ascii") as written:
                self.assertEqual(set(written.read().splitlines()), {"oooooooo", "eeeeeeee"})

    def test_a_reader_that_leaves(self):
        job = self.start_job("-n", 3, "yes")
        job.stdout.read(10)
        job.stdout.close()
        errors = job.stderr.read()
        job.stderr.close()
        self.assertEqual(job.wait(timeout=SECONDS), 128 + signal.SIGPIPE)
        self.assertEqual(errors, b"")

    def test_a_full_disk(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            result = subprocess.run([UCCSRUN, "-n", "2", "yes"], stdout=full, env=environment(),
                                    stderr=subprocess.PIPE, timeout=SECONDS, check=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(b"No space left", result.stderr)

    def test_input_goes_to_ec_0(self):
        data = "".join(f"line {i}\n" for i in range(200000))
        self.assertEqual(self.run_job("-n", 3, "cat", input=data).stdout, data)
        with tempfile.NamedTemporaryFile("w+") as file:
            file.write(data)
            file.seek(0)
            self.assertEqual(self.run_job("-n", 2, "cat", stdin=file).stdout, data)

    def test_end_of_input(self):
        job = self.start_job("-n", 2, "cat", stdin=subprocess.PIPE)
        job.stdin.write(b"abc\n")
        job.stdin.flush()
        self.assertEqual(job.stdout.readline(), b"abc\n")
        output, _ = job.communicate(timeout=SECONDS)
        self.assertEqual((job.returncode, output), (0, b""))

    def test_closed_standard_files(self):
        for redirect in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            result = subprocess.run(["sh", "-c", f'"{UCCSRUN}" -n 2 "{PROBE}" hello {redirect}'],
                                    env=environment(), stdout=subprocess.PIPE, timeout=SECONDS,
                                    check=False)
            self.assertEqual(result.returncode, 0, redirect)

    def test_terminal(self):
        """Typed lines reach EC 0, a prompt without newline is seen, ^D ends the input."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(UCCSRUN, [UCCSRUN, "-n", "2", "sh", "-c",
                                'case $UCCS_LOCAL_JOB in 2:0:*) printf "name? "; read x; '
                                'echo "hello $x"; cat;; esac'], environment())
        seen = b""

        def read_until(text):
            nonlocal seen
            while text not in seen:
                seen += os.read(terminal, 4096)

        read_until(b"name? ")
        os.write(terminal, b"bob\n")
        read_until(b"hello bob")
        os.write(terminal, b"more\n")
        os.write(terminal, b"\x04")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)
        os.close(terminal)

    def test_interrupt_from_the_terminal(self):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(UCCSRUN, [UCCSRUN, "-n", "2", "sleep", "600"], environment())
        eventually(lambda: len(marked_processes()) == 3, "two ECs")
        time.sleep(0.1)
        os.write(terminal, b"\x03")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 130)
        os.close(terminal)


if __name__ == "__main__":
    launching.main()
