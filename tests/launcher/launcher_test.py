#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""uccsrun, end to end: options, output, input, signals, exit statuses, and that nothing is left."""

import os
import pty
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

UCCSRUN, PROBE = sys.argv[1:3]
HOST = socket.gethostname()
MARK = f"uccs-launcher-test-{os.getpid()}"
SECONDS = 60  # patience; nothing here takes long


def environment(**extra):
    """Ours without settings of UCCS; the mark shows up in every process of a test's jobs."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("UCCS_", "SHMEM_", "SMA_"))}
    return {**env, **extra, "LAUNCHER_TEST_MARK": MARK}


def marked_processes():
    """Processes that carry the mark in their environment, apart from this one."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                if f"LAUNCHER_TEST_MARK={MARK}".encode() not in file.read().split(b"\0"):
                    continue
            with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as file:
                if file.read().rsplit(")", 1)[1].split()[0] != "Z":
                    found.append(int(entry))
        except OSError:
            pass
    return found


def eventually(condition, what):
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"never: {what}")
        time.sleep(0.005)


class LauncherTest(unittest.TestCase):
    def tearDown(self):
        left = marked_processes()
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [], "processes were left")

    def run_job(self, *arguments, status=0, stdin=subprocess.DEVNULL, env=None, text=True, **more):
        result = subprocess.run([UCCSRUN, *map(str, arguments)], env=env or environment(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=text,
                                timeout=SECONDS, check=False,
                                **({} if "input" in more else {"stdin": stdin}), **more)
        self.assertEqual(result.returncode, status, (result.stdout[-2000:], result.stderr[-2000:]))
        return result

    def start_job(self, *arguments, **more):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE,
                   "stderr": subprocess.PIPE, "env": environment(), **more}
        return subprocess.Popen([UCCSRUN, *map(str, arguments)], **options)

    def ecs_of(self, job, count):
        """The processes that `job` has started, once they are `count` and run their programs."""
        def children():
            with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as file:
                return [int(pid) for pid in file.read().split()]
        eventually(lambda: len(children()) == count, f"{count} ECs")
        return children()


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
            (["-n", "2", "--hosts", "a,b", "true"], 2, "one machine"),
            (["-n", "2", "--hostfile", "f", "true"], 2, "one machine"),
            (["-n", "2", "no-such-program"], 127, "no such program in PATH"),
            (["-n", "2", "./no-such-program"], 127, "no such file"),
            (["-n", "2", "/"], 126, "is a directory"),
            (["-n", "2", "/etc/passwd"], 126, "cannot be executed"),
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

    def test_options_end_at_the_program(self):
        self.assertEqual(self.run_job("-n", 1, "echo", "-n", "-v", "--help").stdout,
                         "-v --help")
        self.assertEqual(self.run_job("-n", 1, "--", "echo", "-l").stdout, "-l\n")

    def test_environment(self):
        result = self.run_job("-n", 2, "-x", "A=1 2", "-x", "HOME", "-x", "EMPTY=", "sh", "-c",
                              'echo "$A|$HOME|${EMPTY-unset}"', env=environment(A="0", HOME="/h"))
        self.assertEqual(result.stdout, "1 2|/h|\n" * 2)

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
        self.run_job("-n", 3, "--bind", "socket", "true")
        free = self.run_job("-n", 1, "--bind", "none", "sh", "-c", mask).stdout
        with open("/proc/self/status", encoding="ascii") as file:
            self.assertIn(free.strip(), file.read())

    def test_verbose(self):
        result = self.run_job("-n", 2, "-v", "true")
        self.assertRegex(result.stderr, rf"EC 1 of 2 on {HOST} \(pid \d+\): true")
        self.assertIn("ended with status 0", result.stderr)


class Ends(LauncherTest):
    def test_success(self):
        self.assertEqual(self.run_job("-n", 3, "true").stderr, "")
        result = self.run_job("-n", 3, PROBE, "hello")
        self.assertEqual(sorted(result.stdout.splitlines()),
                         ["EC 0 of 3", "EC 1 of 3", "EC 2 of 3"])

    def test_status_of_the_first_failure(self):
        result = self.run_job("-n", 4, "sh", "-c", "exit 3", status=3)
        self.assertRegex(result.stderr, rf"^uccsrun: EC \d of 4 on {HOST} \(pid \d+\) exited with "
                         r"status 3; command: sh -c exit 3\n$")

    def test_crash_is_named_with_its_activity(self):
        result = self.run_job("-n", 4, PROBE, "crash", status=139)
        self.assertRegex(result.stderr, rf"^uccsrun: EC 1 of 4 on {HOST} \(pid \d+\) was killed by "
                         r"signal 11 \(Segmentation fault\)(, core dumped)?, in wait_until for "
                         r"[\d.]+ s; command: \S+ crash\n$")
        self.assertIn("last words\n", result.stdout)

    def test_quitting_without_finalize_is_an_error(self):
        result = self.run_job("-n", 3, PROBE, "quit-initialized", status=1)
        self.assertRegex(result.stderr, r"EC 1 of 3 .* exited with status 0 without finalizing")

    def test_never_starting_is_an_error(self):
        result = self.run_job("-n", 3, PROBE, "skip-start", status=1)
        self.assertRegex(result.stderr, r"EC 1 of 3 .* without starting UCCS")

    def test_failure_after_finalize_lets_others_finish(self):
        result = self.run_job("-n", 3, PROBE, "fail-finalized", status=5)
        self.assertEqual(result.stdout, "finished in its own time\n" * 2)
        self.assertIn("EC 1 of 3", result.stderr)

    def test_ending_the_job(self):
        for status in (0, 1, 7, 255):
            result = self.run_job("-n", 3, PROBE, "end", status, status=status)
            self.assertEqual(result.stdout, "no newline")
            if status:
                self.assertRegex(result.stderr, rf"EC 1 of 3 .* ended the job with status {status}$")
            else:
                self.assertEqual(result.stderr, "")
        result = self.run_job("-n", 3, PROBE, "end", 4, "the reason", status=4)
        self.assertRegex(result.stderr, r"EC 1 of 3 .* ended the job with status 4: the reason\n$")

    def test_ending_while_others_are_stuck(self):
        result = self.run_job("-n", 2, PROBE, "end-while-delegate-waits", status=6)
        self.assertIn("from another thread", result.stderr)
        self.run_job("-n", 2, PROBE, "end-with-locked-stdout", status=8)

    def test_fatal_error_is_printed_once(self):
        result = self.run_job("-n", 4, PROBE, "fatal", status=1)
        self.assertEqual(result.stderr.count("the heap is exhausted"), 1)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_invalid_setting_ends_the_job(self):
        result = self.run_job("-n", 4, PROBE, "hello", status=1, env=environment(UCCS_LANES="x"))
        self.assertIn("UCCS_LANES=x is not valid", result.stderr)

    def test_rubbish_on_the_control_socket(self):
        result = self.run_job("-n", 3, PROBE, "rubbish", status=1)
        self.assertRegex(result.stderr, "EC 1 of 3 .* no message of UCCS")

    def test_forked_children_are_no_ecs(self):
        self.run_job("-n", 2, PROBE, "fork")

    def test_unknown_settings_warn_once(self):
        result = self.run_job("-n", 4, PROBE, "hello", env=environment(UCCS_LOGG="1"))
        self.assertEqual(result.stderr.count("did you mean UCCS_LOG?"), 1)

    def test_wrappers(self):
        self.run_job("-n", 2, "sh", "-c", f"{PROBE} hello; true")
        self.run_job("-n", 2, "env", "A=b", "nice", PROBE, "hello")
        result = self.run_job("-n", 2, "sh", "-c", f"{PROBE} hello; {PROBE} hello", status=1)
        self.assertIn("was already taken", result.stderr)
        # A job within a job is a job of its own.
        result = self.run_job("-n", 2, UCCSRUN, "-n", 2, PROBE, "hello")
        self.assertEqual(sorted(result.stdout.splitlines()),
                         ["EC 0 of 2"] * 2 + ["EC 1 of 2"] * 2)

    def test_grandchildren_do_not_survive(self):
        self.run_job("-n", 2, "sh", "-c", "sleep 600 & setsid sleep 600 & exit 0")
        self.run_job("-n", 2, "sh", "-c", "setsid sleep 600 & sleep 600 & kill -KILL $$",
                     status=137)

    def test_those_that_ignore_sigterm_are_killed(self):
        self.run_job("-n", 3, "sh", "-c",
                     'trap "" TERM; case $UCCS_LOCAL_JOB in 1:1:*) sleep 0.2; exit 9;; esac; '
                     "while :; do sleep 1; done", status=9)

    def test_stopped_processes_are_killed(self):
        self.run_job("-n", 3, "sh", "-c",
                     "case $UCCS_LOCAL_JOB in 1:1:*) sleep 0.2; exit 9;; esac; kill -STOP $$",
                     status=9)

    def test_random_kills(self):
        """kill -9 of any EC at any moment: the job ends, says who it was, and nothing is left."""
        numbers = random.Random(7)
        for _ in range(20):
            job = self.start_job("-n", 4, PROBE, "wait")
            ecs = self.ecs_of(job, 4)
            time.sleep(numbers.random() * 0.05)
            os.kill(numbers.choice(ecs), signal.SIGKILL)
            _, errors = job.communicate(timeout=SECONDS)
            self.assertEqual(job.returncode, 137)
            self.assertRegex(errors.decode(), r"^uccsrun: EC \d of 4 .* signal 9 \(Killed\)[^\n]*\n$")
            self.assertEqual(marked_processes(), [])

    def test_nothing_outlives_a_killed_launcher(self):
        for command in ([PROBE, "wait"], ["sleep", "600"], ["sh", "-c", f"{PROBE} wait; true"]):
            job = self.start_job("-n", 3, *command)
            self.ecs_of(job, 3)
            if PROBE in " ".join(command):
                time.sleep(0.2)  # the ECs have connected
            job.kill()
            job.communicate(timeout=SECONDS)
            eventually(lambda: not marked_processes(), "all gone")


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
                                'case $UCCS_LOCAL_JOB in 1:0:*) printf "name? "; read x; '
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


class Signals(LauncherTest):
    def test_passed_on(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1,
                       signal.SIGQUIT):
            with self.subTest(number=number):
                job = self.start_job("-n", 3, PROBE, "signal", int(number))
                for _ in range(3):
                    self.assertEqual(job.stdout.readline(), b"ready\n")
                job.send_signal(number)
                output, errors = job.communicate(timeout=SECONDS)
                self.assertEqual((job.returncode, errors), (0, b""))
                self.assertEqual(output.count(b"got it"), 3)

    def test_uncaught_signals_end_the_job_quietly(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            job = self.start_job("-n", 3, "sleep", "600")
            self.ecs_of(job, 3)
            job.send_signal(number)
            _, errors = job.communicate(timeout=SECONDS)
            self.assertEqual((job.returncode, errors), (128 + number, b""))

    def test_second_interrupt_kills(self):
        job = self.start_job("-n", 2, "sh", "-c", 'trap "" INT; echo ready; while :; do sleep 1; done')
        for _ in range(2):
            self.assertEqual(job.stdout.readline(), b"ready\n")
        job.send_signal(signal.SIGINT)
        time.sleep(0.1)
        self.assertIsNone(job.poll())
        job.send_signal(signal.SIGINT)
        job.communicate(timeout=SECONDS)
        self.assertEqual(job.returncode, 130)

    def test_ignored_signals_stay_ignored(self):
        job = subprocess.Popen(["nohup", UCCSRUN, "-n", "2", "sh", "-c", "echo ready; sleep 0.3"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, env=environment())
        self.assertEqual(job.stdout.readline(), b"ready\n")
        job.send_signal(signal.SIGHUP)
        job.communicate(timeout=SECONDS)
        self.assertEqual(job.returncode, 0)

    def test_stop_and_continue(self):
        def state(pid):
            with open(f"/proc/{pid}/stat", encoding="ascii") as file:
                return file.read().rsplit(")", 1)[1].split()[0]
        job = self.start_job("-n", 2, PROBE, "signal", int(signal.SIGUSR1))
        ecs = self.ecs_of(job, 2)
        for _ in range(2):
            self.assertEqual(job.stdout.readline(), b"ready\n")
        job.send_signal(signal.SIGTSTP)
        eventually(lambda: all(state(pid) == "T" for pid in [job.pid, *ecs]), "all stopped")
        job.send_signal(signal.SIGCONT)
        eventually(lambda: all(state(pid) != "T" for pid in [job.pid, *ecs]), "all continued")
        job.send_signal(signal.SIGUSR1)
        job.communicate(timeout=SECONDS)
        self.assertEqual(job.returncode, 0)

    def test_report(self):
        job = self.start_job("-n", 2, PROBE, "wait")
        self.ecs_of(job, 2)
        time.sleep(0.3)
        job.send_signal(signal.SIGUSR2)
        self.assertIn(b"where the ECs are", job.stderr.readline())
        for ec in range(2):
            self.assertRegex(job.stderr.readline().decode(), rf"EC {ec} of 2 on {HOST} \(pid \d+\): "
                             r"initialized, in barrier_all for [\d.]+ s")
        self.assertIsNone(job.poll())
        job.terminate()
        job.communicate(timeout=SECONDS)
        self.assertEqual(job.returncode, 143)

    def test_timeout(self):
        result = self.run_job("-n", 2, "--timeout", "0.3", PROBE, "wait", status=124)
        self.assertIn("time limit of 0.3 s reached", result.stderr)
        self.assertRegex(result.stderr, r"EC 1 of 2 .* initialized, in barrier_all")
        result = self.run_job("-n", 2, "sleep", "600", status=124,
                              env=environment(UCCS_TIMEOUT="200ms"))
        self.assertIn("not using UCCS", result.stderr)
        self.run_job("-n", 2, "--timeout", "1h", "true")


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
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
