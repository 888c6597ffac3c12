#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""oshrun with hosts or in an allocation: which engine gets the job, and with which words. The engines
are scripts here; tests/cluster has real ones."""

import os
import stat
import tempfile

import launching
from launching import PROBE, LauncherTest, environment

VERSIONS = {"srun": "slurm 22.05", "prterun": "prterun (PRRTE) 3.0", "mpirun": "mpirun (Open MPI) 4.1",
            "mpiexec.hydra": "HYDRA build details:"}


class HandOver(LauncherTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def install(self, *names, version=None):
        for name in names:
            path = os.path.join(self.folder.name, name)
            with open(path, "w", encoding="ascii") as file:
                file.write(f"""#!/bin/sh
case "$*" in
  --version) echo '{version or VERSIONS[name]}'; exit;;
  --mpi=list) echo "plugin types: none pmi2 ${{FAKE_PMIX}}"; exit;;
esac
echo {name} "$@"
[ -n "$FAKE_SLEEP" ] && exec /bin/sleep "$FAKE_SLEEP"
exit ${{FAKE_STATUS:-0}}
""")
            os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)

    def words(self, *arguments, status=0, **extra):
        env = environment(PATH=self.folder.name + ":/usr/bin:/bin", **extra)
        for name in VERSIONS:  # installed ones must not be found behind ours
            if not os.path.exists(os.path.join(self.folder.name, name)):
                env["PATH"] = self.folder.name
        return self.run_job(*arguments, env=env, status=status)

    def test_order(self):
        self.install("mpiexec.hydra")
        self.assertEqual(self.words("-n", 2, "--hosts", "a,b", "prog", "-n").stdout,
                         "mpiexec.hydra -n 2 -hosts a,b prog -n\n")
        self.install("mpirun")
        self.assertEqual(self.words("-n", 2, "--host", "a,b", "prog").stdout,
                         "mpirun -n 2 --host a,b --oversubscribe prog\n")
        self.install("prterun")
        self.assertEqual(self.words("-n", 2, "--hosts", "a", "prog").stdout,
                         "prterun -n 2 --host a --map-by :OVERSUBSCRIBE prog\n")
        self.install("srun")  # has nothing to run on without an allocation
        self.assertIn("prterun", self.words("-n", 2, "--hosts", "a", "prog").stdout)
        self.assertEqual(self.words("-n", 2, "prog", SLURM_JOB_ID="7").stdout,
                         "srun --ntasks=2 --mpi=pmi2 prog\n")

    def test_choice(self):
        self.install(*VERSIONS)
        for wish in ({"OSHRUN_LAUNCHER": "mpirun"}, {"SHMEM_LAUNCHER": "mpirun"},
                     {"OSHRUN_LAUNCHER": "mpirun", "SHMEM_LAUNCHER": "srun"}):
            self.assertTrue(self.words("-n", 1, "x", **wish).stdout.startswith("mpirun -n 1"))
        self.assertIn("srun", self.words("--launcher", "srun", "-n", 1, "x",
                                         OSHRUN_LAUNCHER="mpirun").stdout)
        self.assertEqual(self.words("--launcher", "local", "-n", 1, PROBE, "hello",
                                    SLURM_JOB_ID="7").stdout, "EC 0 of 1\n")
        path = os.path.join(self.folder.name, "mpirun")
        self.assertIn("mpirun", self.words("--launcher", path, "-n", 1, "x").stdout)
        self.install("mpirun", version=VERSIONS["mpiexec.hydra"])  # MPICH's
        self.assertEqual(self.words("--launcher", "mpirun", "-n", 1, "--hosts", "a", "x").stdout,
                         "mpirun -n 1 -hosts a x\n")

    def test_options(self):
        self.install(*VERSIONS)
        hosts = os.path.join(self.folder.name, "hosts")
        with open(hosts, "w", encoding="ascii") as file:
            file.write("a\nb\n")
        options = ["-n", 2, "--hostfile", hosts, "--bind", "core", "-l", "--wdir", "/tmp", "-x",
                   "A=1 2", "prog", "x y"]
        for engine, expected in {
                "srun": f"--ntasks=2 --mpi=pmix --nodefile={hosts} --cpu-bind=cores --label "
                        "--chdir=/tmp prog x y",
                "mpirun": f"-n 2 --hostfile {hosts} --oversubscribe --bind-to core --tag-output "
                          "--wdir /tmp -x UCCS_LOG=warn -x A=1 2 prog x y",
                "mpiexec.hydra": f"-n 2 -f {hosts} -bind-to core -prepend-rank -wdir /tmp -env A "
                                 "1 2 prog x y"}.items():
            result = self.words("--launcher", engine, "-v", *options, FAKE_PMIX="pmix",
                                UCCS_LOG="warn")
            self.assertEqual(result.stdout, f"{engine} {expected}\n")
            self.assertIn("handing over to: " + self.folder.name, result.stderr)
        step = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0"}
        self.assertIn("--overlap", self.words("-n", 1, "x", **step).stdout)

    def test_statuses_and_time_limit(self):
        self.install("mpirun")
        self.words("--launcher", "mpirun", "-n", 1, "x", status=7, FAKE_STATUS="7")
        self.words("--launcher", "mpirun", "-n", 1, "--timeout", "50", "x", status=7,
                   FAKE_STATUS="7")
        result = self.words("--launcher", "mpirun", "-n", 1, "--timeout", "200ms", "x", status=124,
                            FAKE_SLEEP="30")
        self.assertIn("time limit of 0.2 s", result.stderr)

    def test_nobody_there(self):
        for arguments, extra, message in [
                (["--hosts", "a"], {}, "none of prterun, mpirun and mpiexec.hydra is in PATH"),
                ([], {"SLURM_JOB_ID": "7"}, "neither srun nor prterun"),
                (["--launcher", "prterun"], {}, "prterun (--launcher) is not installed"),
                ([], {"OSHRUN_LAUNCHER": "moon"}, "OSHRUN_LAUNCHER=moon: the choices are")]:
            result = self.words("-n", 2, *arguments, "x", status=2, **extra)
            self.assertIn(message, result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)


if __name__ == "__main__":
    launching.main()
