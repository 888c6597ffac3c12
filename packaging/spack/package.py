# SPDX-License-Identifier: BSD-3-Clause
# Spack recipe of UCCS: copy this folder to packages/uccs of a repository of yours, and
#
#   spack dev-build uccs@main         in the source tree, or
#   spack install uccs                with `git` below set to where you keep it
from spack.package import *


class Uccs(CMakePackage):
    """Universal Common Communication Substrate: OpenSHMEM for C, C++ and Fortran, on one thread-safe
    substrate that runs at the speed of shared memory."""

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("fortran", default=True, description="Module for Fortran; shmem.fh is always there")
    variant("apps", default=False, description="NAS FT, which is verified as it runs")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2:", type=("build", "run"))
    depends_on("fftw@3 precision=double", when="+apps")

    provides("shmem")

    conflicts("platform=darwin", msg="UCCS needs Linux")
    conflicts("platform=windows", msg="UCCS needs Linux")
    conflicts("%gcc@:10", msg="UCCS is written in C++20")

    generator("ninja")

    def cmake_args(self):
        args = [self.define("BUILD_TESTING", self.run_tests)]
        if "+fortran" in self.spec:
            args.append(self.define("UCCS_FORTRAN_COMPILER", self.compiler.fc))
        else:
            args.append(self.define("UCCS_FORTRAN_COMPILER", "OFF"))
        return args

    def setup_dependent_build_environment(self, env, dependent_spec):
        env.set("OSHCC", self.prefix.bin.oshcc)

    def setup_dependent_package(self, module, dependent_spec):
        self.spec.shmemcc = self.prefix.bin.oshcc
        self.spec.shmemcxx = join_path(self.prefix.bin, "oshc++")
        self.spec.shmemfc = self.prefix.bin.oshfort

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.oshrun)("-n", "2", join_path(self.prefix.bin, "uccs-info"))
