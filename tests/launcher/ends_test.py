#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""uccsrun: how jobs end, with which status and message, and that nothing is left."""

import os
import random
import signal
import time

import launching
from launching import HOST, PROBE, SECONDS, UCCSRUN, LauncherTest, environment, eventually, marked_processes


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

    def test_the_last_words_of_an_ec_come_before_the_message_about_it(self):
        for _ in range(20):
            result = self.run_job("-n", 1, "sh", "-c", "echo why >&2; exit 3", status=3)
            self.assertEqual(result.stderr.splitlines()[0], "why")

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
                     'trap "" TERM; case $UCCS_LOCAL_JOB in 2:1:*) sleep 0.2; exit 9;; esac; '
                     "while :; do sleep 1; done", status=9)

    def test_stopped_processes_are_killed(self):
        self.run_job("-n", 3, "sh", "-c",
                     "case $UCCS_LOCAL_JOB in 2:1:*) sleep 0.2; exit 9;; esac; kill -STOP $$",
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


if __name__ == "__main__":
    launching.main()
