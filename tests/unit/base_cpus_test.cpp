// SPDX-License-Identifier: BSD-3-Clause
#include "base/cpus.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "uccs/info.h"

namespace uccs::base {
namespace {

/// A made-up machine below a temporary directory.
class Cgroups : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/uccs-cpus-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    root_ = name;
  }
  void TearDown() override {
    const std::string command = "rm -r " + root_;
    EXPECT_EQ(system(command.c_str()), 0);
  }

  void write(const std::string& path, const std::string& text) {
    for (size_t slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1))
      mkdir((root_ + path.substr(0, slash)).c_str(), 0700);
    std::ofstream(root_ + path) << text;
  }
  void memberships(const std::string& text) { write("/cgroup", text); }
  void mounts(const std::string& text) { write("/mountinfo", text); }
  int cpus() const {
    return cgroup_cpus((root_ + "/cgroup").c_str(), (root_ + "/mountinfo").c_str());
  }
  std::string v2_mount(const std::string& root = "/") const {
    return "30 20 0:27 " + root + " " + root_ + "/v2 rw,nosuid shared:4 - cgroup2 cgroup2 rw\n";
  }
  std::string v1_mount(const std::string& root = "/") const {
    return "31 20 0:28 " + root + " " + root_ +
           "/v1 rw - cgroup cgroup rw,cpu,cpuacct\n"
           "32 20 0:29 / " +
           root_ + "/cpuset rw - cgroup cgroup rw,cpuset\n";
  }

  std::string root_;
};

TEST_F(Cgroups, NothingThereMeansNoLimit) { EXPECT_EQ(cpus(), 0); }

TEST_F(Cgroups, V2Quota) {
  memberships("0::/job\n");
  mounts(v2_mount());
  write("/v2/job/cpu.max", "200000 100000\n");
  EXPECT_EQ(cpus(), 2);
}

TEST_F(Cgroups, RoundsUp) {
  memberships("0::/job\n");
  mounts(v2_mount());
  write("/v2/job/cpu.max", "250000 100000\n");
  EXPECT_EQ(cpus(), 3);
  write("/v2/job/cpu.max", "1000 100000\n");
  EXPECT_EQ(cpus(), 1);
}

TEST_F(Cgroups, MaxIsNoLimit) {
  memberships("0::/job\n");
  mounts(v2_mount());
  write("/v2/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cpus(), 0);
}

TEST_F(Cgroups, ParentsBindToo) {
  memberships("0::/a/b/c\n");
  mounts(v2_mount());
  write("/v2/a/b/c/cpu.max", "800000 100000\n");
  write("/v2/a/cpu.max", "300000 100000\n");
  EXPECT_EQ(cpus(), 3);
  write("/v2/cpu.max", "100000 100000\n");
  EXPECT_EQ(cpus(), 1);
}

TEST_F(Cgroups, ContainerSeesASubtree) {
  memberships("0::/docker/123/job\n");
  mounts(v2_mount("/docker/123"));
  write("/v2/job/cpu.max", "400000 100000\n");
  EXPECT_EQ(cpus(), 4);
}

TEST_F(Cgroups, PathOutsideTheMountFallsBackToIt) {
  memberships("0::/elsewhere/entirely\n");
  mounts(v2_mount("/docker/123"));
  write("/v2/cpu.max", "500000 100000\n");
  EXPECT_EQ(cpus(), 5);
}

TEST_F(Cgroups, V1Quota) {
  memberships("5:cpuset:/other\n4:cpu,cpuacct:/job\n0::/\n");
  mounts(v1_mount());
  write("/v1/job/cpu.cfs_quota_us", "150000\n");
  write("/v1/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus(), 2);
}

TEST_F(Cgroups, V1MinusOneIsNoLimit) {
  memberships("4:cpu,cpuacct:/job\n");
  mounts(v1_mount());
  write("/v1/job/cpu.cfs_quota_us", "-1\n");
  write("/v1/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus(), 0);
}

TEST_F(Cgroups, CpusetIsNotTheCpuController) {
  memberships("5:cpuset:/job\n");
  mounts(v1_mount());
  write("/v1/job/cpu.cfs_quota_us", "100000\n");
  write("/v1/job/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus(), 0);
}

TEST_F(Cgroups, TheSmallerOfBothVersions) {
  memberships("4:cpu:/one\n0::/two\n");
  mounts(v1_mount() + v2_mount());
  write("/v1/one/cpu.cfs_quota_us", "300000\n");
  write("/v1/one/cpu.cfs_period_us", "100000\n");
  write("/v2/two/cpu.max", "200000 100000\n");
  EXPECT_EQ(cpus(), 2);
}

TEST_F(Cgroups, RubbishIsNoLimit) {
  memberships("rubbish\n::\n0::/job\n\n");
  mounts("rubbish\n1 2 3\n\n1 2 0:1 / /x rw -\n" + v2_mount());
  write("/v2/job/cpu.max", "lots of CPUs\n");
  EXPECT_EQ(cpus(), 0);
  write("/v2/job/cpu.max", "");
  EXPECT_EQ(cpus(), 0);
  write("/v2/job/cpu.max", "100000 0\n");
  EXPECT_EQ(cpus(), 0);
}

TEST(UsableCpus, AtMostTheAffinityMask) {
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  EXPECT_GE(usable_cpus(), 1);
  EXPECT_LE(usable_cpus(), CPU_COUNT(&mask));
  EXPECT_EQ(uccs_usable_cpus(), usable_cpus());
}

}  // namespace
}  // namespace uccs::base
