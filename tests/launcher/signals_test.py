#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""uccsrun: signals, the report of where the ECs are, the time limit."""

import signal
import subprocess
import time

import launching
from launching import HOST, PROBE, SECONDS, UCCSRUN, LauncherTest, environment, eventually


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


if __name__ == "__main__":
    launching.main()
