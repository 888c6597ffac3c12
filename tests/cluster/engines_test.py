#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs on this machine under mpirun, mpiexec.hydra and srun: that they run, and how they end.

    engines_test.py ENGINE JOB RTE_JOB PROBE BOTH [Runs|Ends]    exit status 77: skipped
"""

import os
import shutil
import subprocess
import sys
import time
import unittest

import processes
import slurm

ENGINE, JOB, RTE_JOB, PROBE = sys.argv[1:5]
BOTH = sys.argv[5] if os.path.exists(sys.argv[5]) else None
SECONDS = 60
BACKEND = {"mpirun": "pmix", "mpiexec.hydra": "pmi", "srun-pmi2": "pmi", "srun-pmix": "pmix"}[ENGINE]
cluster = None  # the Slurm


def environment(**extra):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("UCCS_", "SHMEM_", "OMPI_", "PMI", "SLURM_"))}
    env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
               OMPI_MCA_btl="self,vader", OMPI_MCA_pml="ob1",
               OMPI_MCA_odls_base_sigkill_timeout="0", UCCS_START_TIMEOUT="20")
    if cluster:
        env.update(SLURM_CONF=cluster.path("slurm.conf"), SLURM_JOB_ID=cluster.allocation)
    return {**env, **extra}


def line(count, *words):
    start = {"mpirun": ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", count],
             "mpiexec.hydra": ["mpiexec.hydra", "-n", count],
             "srun-pmi2": ["srun", "--quiet", "--mpi=pmi2", "-n", count],
             "srun-pmix": ["srun", "--quiet", "--mpi=pmix", "-n", count]}[ENGINE]
    return [str(word) for word in [*start, *words]]


class Engine:
    def tearDown(self):
        left = [pid for program in (JOB, RTE_JOB, PROBE) for pid in processes.named(program)
                if self.is_ours(pid)]
        end = time.monotonic() + 5
        while any(os.path.exists(f"/proc/{pid}/exe") for pid in left) and time.monotonic() < end:
            time.sleep(0.02)
        left = [pid for pid in left if os.path.exists(f"/proc/{pid}/exe")]
        for pid in left:
            os.kill(pid, 9)
        self.assertEqual(left, [], "processes were left")

    @staticmethod
    def is_ours(pid):
        """Other tests run the same programs at the same time."""
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                return f"ENGINES_TEST={os.getpid()}".encode() in file.read().split(b"\0")
        except OSError:
            return False

    def run_job(self, count, *words, **extra):
        return subprocess.run(line(count, *words), stdin=subprocess.DEVNULL, capture_output=True,
                              env=environment(ENGINES_TEST=str(os.getpid()), **extra),
                              timeout=SECONDS, text=True, check=False)


class Runs(Engine, unittest.TestCase):
    def test_runs(self):
        for count in (1, 4):
            result = self.run_job(count, JOB)
            self.assertEqual((result.returncode, result.stderr), (0, ""), result)
            self.assertEqual(sorted(result.stdout.split("\n"))[1:],
                             [f"PE {i} of {count}" for i in range(count)])

    def test_runtime_environment(self):
        result = self.run_job(3, RTE_JOB, EXPECTED_ECS="3", EXPECTED_BACKEND=BACKEND)
        self.assertEqual((result.returncode, result.stderr), (0, ""), result)

    def test_two_nodes_on_one_machine(self):
        # UCCS_NODE splits, and ECs are numbered node by node whatever the ranks are. Rank 0 comes
        # later than servers of PMIx are patient by themselves.
        rank = {"pmi": "PMI_RANK", "pmix": "PMIX_RANK"}[BACKEND]
        result = self.run_job(4, "sh", "-c", f"[ ${rank} = 0 ] && sleep 2.5; "
                              f"UCCS_NODE=n$(({rank} % 2)) exec {RTE_JOB}",
                              EXPECTED_ECS="4", EXPECTED_BACKEND=BACKEND, EXPECTED_NODES="2")
        self.assertEqual((result.returncode, result.stderr), (0, ""), result)

    def test_children_and_wrappers(self):
        result = self.run_job(2, "sh", "-c", f"exec {JOB}")
        self.assertEqual((result.returncode, result.stderr), (0, ""), result)
        result = self.run_job(2, PROBE, "child", PROBE)  # a program that an EC starts is no EC
        self.assertEqual((result.returncode, result.stderr), (0, ""), result)
        self.assertEqual(sorted(result.stdout.split()), ["pe0of2", "pe1of2", "single", "single"])

        result = self.run_job(2, "sh", "-c", f"{PROBE} who; {PROBE} who")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("can run one program that uses UCCS", result.stderr)

    @unittest.skipIf(BOTH is None, "no MPI of this engine to compile with")
    def test_mpi_in_the_same_program(self):
        if ENGINE == "srun-pmi2":
            result = self.run_job(2, BOTH, "mpi", "mpi")
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("`srun --mpi=pmix` (Open MPI)", result.stderr)
            return
        for first in ("mpi", "shmem"):
            for last in ("mpi", "shmem"):
                with self.subTest(first=first, last=last):
                    result = self.run_job(2, BOTH, first, last)
                    # Not by lines: MPICH's mpiexec mixes them.
                    self.assertEqual((result.returncode, result.stdout.count("both")), (0, 2),
                                     result)

    @unittest.skipUnless(ENGINE == "srun-pmi2", "of Slurm")
    def test_srun_without_pmi(self):
        result = subprocess.run(["srun", "--quiet", "--mpi=none", "-n", "2", JOB], text=True,
                                stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS,
                                env=environment(), check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("srun --mpi=pmi2 -n 2", result.stderr)

    @unittest.skipUnless(ENGINE.startswith("srun"), "of Slurm")
    def test_oshrun_in_an_allocation(self):
        oshrun = os.path.join(os.path.dirname(JOB), "oshrun")
        result = subprocess.run([oshrun, "-v", "-n", "3", JOB], stdin=subprocess.DEVNULL,
                                capture_output=True, text=True, timeout=SECONDS,
                                env=environment(), check=False)
        self.assertEqual(result.returncode, 0, result)
        self.assertIn("srun --ntasks=3 --mpi=pmix", result.stderr)
        self.assertIn("PE 2 of 3", result.stdout)


class Ends(Engine, unittest.TestCase):
    def test_ends(self):
        for ec, how, statuses, message in [
                (1, ["kill"], (9, 137), None), (0, ["kill"], (1, 9, 137), None),
                (1, ["exit", "5"], (5, 9, 137), None),
                # Hydra kills the others and may report the status of the one that left.
                (1, ["quit"], (0, 1, 9, 137) if ENGINE == "mpiexec.hydra" else (1, 9, 137), None),
                (1, ["end", "7"], (7, 137), None),
                (1, ["wrong-pe"], (1, 137), "there is no PE 999: PEs are numbered 0 to 3")]:
            with self.subTest(ec=ec, how=how):
                begin = time.monotonic()
                result = self.run_job(4, JOB, ec, *how)
                self.assertIn(result.returncode, statuses, result)
                self.assertLess(time.monotonic() - begin, SECONDS / 2)
                if message:
                    self.assertIn(message, result.stderr)
                elif ENGINE != "mpiexec.hydra" and how != ["end", "7"]:
                    # By us, or by a launcher that is quicker than our words, as hydra always is.
                    self.assertRegex(result.stderr, rf"EC {ec} on|rank {ec} |task {ec}:|\],{ec}\]")
        result = self.run_job(2, JOB, 1, "end", 0)
        self.assertIn(result.returncode, (0, 137), result)  # srun counts its own SIGKILL
        self.assertEqual(result.stdout, "")

    def test_a_process_that_is_missing(self):
        rank = {"pmi": "PMI_RANK", "pmix": "PMIX_RANK"}[BACKEND]
        result = self.run_job(3, "sh", "-c", f"[ ${rank} = 1 ] && exec sleep 30; exec {JOB}",
                              UCCS_START_TIMEOUT="1")
        self.assertNotEqual(result.returncode, 0)
        if ENGINE == "mpiexec.hydra":
            return  # it may end everything before our words are through
        self.assertRegex(result.stderr, "1 of its 3 processes have not reached this one in time"
                         r" \(rank 1\)" if BACKEND == "pmix" else "did not answer in time")


def skip(reason):
    print("SKIP " + reason)
    sys.exit(77)


def main():
    global cluster
    if ENGINE.startswith("srun"):
        reason = slurm.reason_not_to()
        if reason:
            skip(reason)
        with slurm.Slurm() as cluster:
            program = unittest.main(argv=[sys.argv[0], *sys.argv[6:]], exit=False)
            if not program.result.wasSuccessful():
                print(cluster.logs())
    else:
        if not shutil.which(ENGINE):
            skip(f"{ENGINE} is not installed")
        program = unittest.main(argv=[sys.argv[0], *sys.argv[6:]], exit=False)
    sys.exit(0 if program.result.wasSuccessful() else 1)


main()
