#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""uccsrun: options, errors before anything is started, limits."""

import os
import resource
import tempfile

import launching
from launching import HOST, PROBE, LauncherTest, environment


class Options(LauncherTest):
    def test_wrong_usage(self):
        table = [
            (["-n", "0", "true"], 2, "must be from 1 to"),
            (["-n", "-3", "true"], 2, "must be from 1 to"),
            (["-n", "abc", "true"], 2, "must be a whole number"),
            (["-n", "2x", "true"], 2, "must be a whole number"),
            (["-n", "", "true"], 2, "must be a whole number"),
            (["-n", "99999999", "true"], 2, "must be from 1 to"),
            (["-n", "99999999999999999999999", "true"], 2, "must be from 1 to"),
            (["-n"], 2, "needs a value"),
            (["-n", "2"], 2, "which program"),
            (["-n", "2", ""], 2, "empty"),
            (["true"], 2, "-n N"),
            ([], 2, "-n N"),
            (["--bogus", "-n", "2", "true"], 2, "--bogus"),
            (["-n", "2", "--bind", "moon", "true"], 2, "none, core and socket"),
            (["-n", "2", "--timeout", "soon", "true"], 2, "time limit"),
            (["-n", "2", "--timeout", "-1", "true"], 2, "time limit"),
            (["-n", "2", "--wdir", "/no/such/place", "true"], 2, "no such directory"),
            (["-n", "2", "-x", "NOT_SET_ANYWHERE", "true"], 2, "not set"),
            (["-n", "2", "-x", "=x", "true"], 2, "needs a name"),
            (["-n", "2", "--hosts", "", "true"], 2, "at least one host"),
            (["-n", "2", "--hostfile", "/no/such/file", "true"], 2, "No such file"),
            (["-n", "2", "--hosts", "a", "--launcher", "local", "true"], 2, "launcher across hosts"),
            (["-n", "2", "--launcher", "moon", "true"], 2, "the choices are auto, local, srun"),
            (["-n", "2", "--launcher", "/no/such/srun", "true"], 2, "not installed"),
            (["-n", "2", "no-such-program"], 127, "no such program in PATH"),
            (["-n", "2", "./no-such-program"], 127, "no such file"),
            (["-n", "2", "/"], 126, "is a directory"),
            (["-n", "2", "/etc/passwd"], 126, "cannot be executed"),
            (["-n", "2", "--bind-to", "board", "true"], 2, "none, core and socket"),
            (["-n", "2", "-mca", "btl"], 2, "two values"),
            (["-n", "4", "-ppn", "2", "true"], 2, "leave out"),
            (["-n", "2", "-ppn", "x", "true"], 2, "whole number"),
            (["-n", "2", "--output-filename", "f", "true"], 2, "redirect"),
            (["-n", "2", "--cpu-list", "1", "true"], 2, "taskset"),
            (["-n", "2", "-machinefile", "f", "true"], 2, "f"),
        ]
        for arguments, status, message in table:
            with self.subTest(arguments=arguments):
                result = self.run_job(*arguments, status=status)
                self.assertIn(message, result.stderr)
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                self.assertEqual(result.stdout, "")

    def test_program_in_the_current_directory(self):
        result = self.run_job("-n", 1, os.path.basename(PROBE), status=127,
                              cwd=os.path.dirname(PROBE))
        self.assertIn("did you mean ./", result.stderr)
        self.run_job("-n", 1, "./" + os.path.basename(PROBE), "hello",
                     cwd=os.path.dirname(PROBE))

    def test_help_and_version(self):
        self.assertIn("Usage: uccsrun", self.run_job("--help").stdout)
        self.assertRegex(self.run_job("--version").stdout, r"^uccsrun \d+\.\d+")

    def test_spellings_of_the_number(self):
        for option in (["-n", "2"], ["-np", "2"], ["--np", "2"], ["-n2"], ["--np=2"]):
            self.assertEqual(self.run_job(*option, "echo", "x").stdout, "x\nx\n")

    def test_options_of_other_launchers(self):
        for options in (["--oversubscribe"], ["--allow-run-as-root"], ["-mca", "btl", "self,sm"],
                        ["--map-by", "core:PE=1"], ["--bind-to", "core:overload-allowed"], ["-N", "2"],
                        ["-ppn", "2"], ["--npernode=2"], ["-genvall"], ["--mca", "a", "-n"], ["-q"]):
            with self.subTest(options=options):
                self.assertEqual(self.run_job("-n", 2, *options, "echo", "x").stdout, "x\nx\n")
        self.assertEqual(self.run_job("-ppn", 3, "echo", "x").stdout, "x\n" * 3)
        self.assertEqual(self.run_job("-genv", "A", "1 2", "-env", "B", "-n", "-np", 1, "sh", "-c",
                                      'echo "$A|$B"').stdout, "1 2|-n\n")
        self.assertEqual(self.run_job("-n", 1, "-wd", "/", "pwd").stdout, "/\n")
        self.assertEqual(self.run_job("-n", 1, "-prepend-rank", "echo", "x").stdout, "[0] x\n")

    def test_options_end_at_the_program(self):
        self.assertEqual(self.run_job("-n", 1, "echo", "-n", "-v", "--help").stdout,
                         "-v --help")
        self.assertEqual(self.run_job("-n", 1, "--", "echo", "-l").stdout, "-l\n")

    def test_environment(self):
        result = self.run_job("-n", 2, "-x", "A=1 2", "-x", "HOME", "-x", "EMPTY=", "-x", "B=0", "-x", "B=1", "sh", "-c",
                              'echo "$A|$HOME|${EMPTY-unset}|$B"', env=environment(A="0", HOME="/h"))
        self.assertEqual(result.stdout, "1 2|/h||1\n" * 2)

    def test_directory(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.run_job("-n", 2, "--wdir", folder, "pwd").stdout,
                             (os.path.realpath(folder) + "\n") * 2)
            with open(folder + "/script", "w", encoding="ascii") as file:
                file.write("echo from a script without interpreter line: $1\n")
            os.chmod(folder + "/script", 0o700)
            self.assertIn("line: x", self.run_job("-n", 1, "--wdir", folder, "./script", "x").stdout)

    def test_binding(self):
        allowed = os.sched_getaffinity(0)
        mask = 'grep Cpus_allowed_list /proc/self/status'
        masks = self.run_job("-n", 4, "--bind", "core", "sh", "-c", mask).stdout.splitlines()
        self.assertEqual(len(masks), 4)
        if len(allowed) > 1 and len(set(masks)) == 1:
            self.assertRegex(masks[0], "[-,]")  # one core with several threads
        # Bound to a CPU each, the ECs of a job that fits have no reason to yield at once.
        fits = self.run_job("-n", len(allowed), "--bind", "core", PROBE, "spins").stdout.split()
        tight = self.run_job("-n", len(allowed) + 1, PROBE, "spins").stdout.split()
        self.assertGreaterEqual(min(map(int, fits)), 1000)
        self.assertLessEqual(max(map(int, tight)), 20)
        self.run_job("-n", 3, "--bind", "socket", "true")
        free = self.run_job("-n", 1, "--bind", "none", "sh", "-c", mask).stdout
        with open("/proc/self/status", encoding="ascii") as file:
            self.assertIn(free.strip(), file.read())

    def test_verbose(self):
        result = self.run_job("-n", 2, "-v", "true")
        self.assertRegex(result.stderr, rf"EC 1 of 2 on {HOST} \(pid \d+\): true")
        self.assertIn("ended with status 0", result.stderr)


class Limits(LauncherTest):
    def test_many_ecs(self):
        result = self.run_job("-n", 64, PROBE, "hello")
        self.assertEqual(len(set(result.stdout.splitlines())), 64)
        result = self.run_job("-n", 512, "echo", "x")
        self.assertEqual(result.stdout, "x\n" * 512)

    def test_few_open_files(self):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        soft_is_raised = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
        result = self.run_job("-n", 50, "sh", "-c", "ulimit -n", preexec_fn=soft_is_raised)
        self.assertEqual(result.stdout, "64\n" * 50)  # the ECs keep what they were given
        hard_is_not = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        result = self.run_job("-n", 50, "true", preexec_fn=hard_is_not, status=2)
        self.assertIn("ulimit -Hn", result.stderr)

    def test_small_files_only(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 31, 1 << 31))
        self.run_job("-n", 2, PROBE, "hello", preexec_fn=limit)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        result = self.run_job("-n", 2, PROBE, "hello", preexec_fn=limit, status=2)
        self.assertIn("ulimit -f", result.stderr)

    def test_nothing_is_left_in_the_file_system(self):
        def files():
            return sorted(os.listdir("/dev/shm")), sorted(
                name for name in os.listdir("/tmp") if "uccs-" in name)
        before = files()
        self.run_job("-n", 4, PROBE, "crash", status=139)
        self.run_job("-n", 4, PROBE, "hello")
        self.assertEqual(files(), before)


if __name__ == "__main__":
    launching.main()
