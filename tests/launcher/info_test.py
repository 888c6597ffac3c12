#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""uccs-info: what it prints, and its exit statuses."""

import os
import subprocess
import sys
import unittest

INFO, UCCSRUN = sys.argv[1:3]
CONFIGURATION = os.path.join(os.path.dirname(__file__), "../../docs/configuration.md")


def run(*arguments, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("UCCS_", "SHMEM_", "SMA_"))}
    return subprocess.run(arguments, env={**env, **environment}, capture_output=True, text=True,
                          timeout=30)


class InfoTest(unittest.TestCase):
    def test_summary_names_backend_and_changes(self):
        result = run(INFO, UCCS_LANES="3")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("runtime backend: single, EC 0 of 1", result.stdout)
        self.assertIn("UCCS_LANES=3  [environment, default 0]", result.stdout)
        self.assertNotIn("UCCS_LOG", result.stdout)

    def test_in_a_job(self):
        result = run(UCCSRUN, "-n", "2", INFO)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("runtime backend: local, EC 1 of 2", result.stdout)

    def test_config_shows_every_setting_and_its_origin(self):
        result = run(INFO, "--config", SMA_SYMMETRIC_SIZE="2G", UCCS_LOG="loud")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("SHMEM_SYMMETRIC_SIZE=2G (bytes)  [environment, as SMA_SYMMETRIC_SIZE",
                      result.stdout)
        self.assertIn("UCCS_LOG=loud", result.stdout)  # shown, not judged
        self.assertIn("UCCS_PROGRESS=polling  [default]", result.stdout)

    def test_documentation_is_up_to_date(self):
        with open(CONFIGURATION, encoding="utf-8") as file:
            self.assertEqual(file.read(), run(INFO, "--table").stdout,
                             "regenerate: uccs-info --table > docs/configuration.md")

    def test_doctor(self):
        result = run(INFO, "--doctor")
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        for check in ("memfd", "address space", "overcommit", "huge pages", "memlock", "CPUs",
                      "open files", "ptrace scope", "launcher", "runtime", "locality"):
            self.assertIn(check, result.stdout)

    def test_doctor_names_an_unusable_launcher(self):
        result = run(INFO, "--doctor", OMPI_COMM_WORLD_SIZE="4")
        self.assertEqual(result.returncode, 1)
        self.assertIn("oshrun -n 4 uccs-info", result.stderr)

    def test_openshmem(self):
        osh_info = os.path.join(os.path.dirname(INFO), "osh_info")
        result = run(osh_info)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"OpenSHMEM: 1\.6\n")
        self.assertIn("Fortran bindings: yes", result.stdout)
        self.assertEqual(run(INFO, "--openshmem").stdout, result.stdout)
        facts = dict(line.split(":", 1) for line in run(INFO, "--parsable", SMA_DEBUG="1").stdout.splitlines())
        self.assertTrue(os.access(facts["Launcher"], os.X_OK), facts)
        self.assertTrue(os.path.isdir(facts["Prefix"] + "/bin"))
        self.assertIn("SHMEM_SYMMETRIC_SIZE", facts)
        self.assertEqual(facts["Thread_support"], "SHMEM_THREAD_MULTIPLE")
        self.assertIn("UCCS_PROGRESS=polling", run(osh_info, "--all").stdout)

    def test_options(self):
        self.assertIn("uccs-info ", run(INFO, "--version").stdout)
        self.assertIn("Usage:", run(INFO, "--help").stdout)
        for arguments in (["--bogus"], ["x"], ["--config", "--doctor"]):
            result = run(INFO, *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("Usage:", result.stderr)

    def test_full_disk_is_an_error(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            result = subprocess.run([INFO, "--config"], stdout=full, check=False, timeout=30)
        self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
