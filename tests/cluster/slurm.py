# SPDX-License-Identifier: BSD-3-Clause
"""A Slurm of one machine in a scratch folder, without systemd: munged, slurmctld and slurmd, started
as root on ports of their own, and gone when the `with` block ends."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import processes

CONF = """
ClusterName=uccstest
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
SlurmctldPort={ctld_port}
SlurmdPort={slurmd_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
TmpFS={folder}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerType=sched/builtin
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES State=UP OverSubscribe=FORCE:4
"""


def reason_not_to():
    """Why there can be no Slurm here, or None."""
    if os.geteuid() != 0:
        return "Slurm's daemons are started as root"
    for program in ("munged", "slurmctld", "slurmd", "srun"):
        if not find(program):
            return f"{program} is not installed (packages munge, slurmctld, slurmd, slurm-client)"
    return None


def find(program):
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Slurm:
    def __enter__(self):
        processes.adopt_strays()
        self.folder = tempfile.mkdtemp(prefix="uccs-slurm-")
        self.daemons = []
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if len(self.daemons) == 3:
            self.run("scancel", "--full", "--signal=KILL", "--user=root")
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(5)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        processes.end_strays()
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def spawn(self, name, *arguments):
        with open(self.path(name + ".out"), "wb") as out:
            self.daemons.append(subprocess.Popen([find(name), *arguments], stdin=subprocess.DEVNULL,
                                                 stdout=out, stderr=out, env=self.environment()))

    def environment(self, **extra):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("SLURM_")}
        return {**clean, "SLURM_CONF": self.path("slurm.conf"), **extra}

    def start(self):
        os.chmod(self.folder, 0o755)
        for name in ("state", "spool"):
            os.mkdir(self.path(name), 0o755)
        with open(os.open(self.path("munge.key"), os.O_CREAT | os.O_WRONLY, 0o400), "wb") as key:
            key.write(os.urandom(128))
        host = socket.gethostname().split(".")[0]
        with open(self.path("slurm.conf"), "w", encoding="ascii") as conf:
            conf.write(CONF.format(host=host, folder=self.folder, ctld_port=free_port(),
                                   slurmd_port=free_port()))
        with open(self.path("cgroup.conf"), "w", encoding="ascii") as conf:
            conf.write("CgroupPlugin=cgroup/v1\n")
        self.spawn("munged", "--foreground", "--force", "--socket=" + self.path("munge.socket"),
                   "--key-file=" + self.path("munge.key"), "--pid-file=" + self.path("munged.pid"),
                   "--seed-file=" + self.path("munged.seed"),
                   "--log-file=" + self.path("munged.log"))
        self.await_(lambda: os.path.exists(self.path("munge.socket")), "munged")
        self.spawn("slurmctld", "-D", "-c", "-f", self.path("slurm.conf"))
        self.spawn("slurmd", "-D", "-f", self.path("slurm.conf"), "-N", host)
        self.await_(lambda: "idle" in self.run("sinfo", "-h", "-o", "%T").stdout, "an idle node")

        # One allocation for all: its steps start at once, jobs queue.
        granted = self.run("salloc", "--no-shell", "--ntasks=8")
        self.allocation = granted.stderr.split("Granted job allocation ")[1].split()[0]

    def await_(self, condition, what, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            dead = [d.args[0] for d in self.daemons if d.poll() is not None]
            if dead or time.monotonic() > end:
                raise RuntimeError(f"no {what} (ended: {dead})\n" + self.logs())
            time.sleep(0.05)

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith((".log", ".out")):
                with open(self.path(name), errors="replace", encoding="utf-8") as file:
                    text += f"--- {name}\n" + "".join(file.readlines()[-15:])
        return text

    def run(self, *command, timeout=60, **extra):
        return subprocess.run([find(command[0]) or command[0], *map(str, command[1:])], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, timeout=timeout,
                              env=self.environment(**extra))
