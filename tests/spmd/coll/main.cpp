// SPDX-License-Identifier: BSD-3-Clause
/// coll_test CASE [EFFORT]: one case with the processes of a job as its ECs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.hpp"
#include "coll/coll.hpp"
#include "core/job.hpp"
#include "rte/identity.hpp"

namespace uccs::test {

void fail_check(const char* file, int line, const char* claim) {
  char text[400];
  snprintf(text, sizeof text, "EC %d: %s:%d: not true: %s", core::job.me, file, line, claim);
  rte::end_job(1, text);
}

namespace {

alignas(64) std::byte statics[kAreaBytes];

const Case* find(const Case* cases, int count, const char* name) {
  for (int i = 0; i < count; ++i)
    if (strcmp(name, cases[i].name) == 0) return &cases[i];
  return nullptr;
}

int run(const char* name, int effort) {
  if (core::job_start(false) != UCCS_OK) return 1;
  rte::set_phase(rte::Phase::kInitialized);
  Ec ec;
  ec.me = core::job.me;
  ec.size = core::job.size;
  ec.world = &core::world_group();
  ec.heap = static_cast<std::byte*>(core::heap_allocate(kAreaBytes, 64));
  ec.statics = statics;
  ec.effort = effort;
  CHECK(ec.heap != nullptr);
  const Case* wanted = find(kCases, kCaseCount, name);
  if (wanted == nullptr) wanted = find(kWrongCases, kWrongCaseCount, name);
  CHECK(wanted != nullptr);
  wanted->run(ec);
  coll::barrier(*ec.world);
  rte::set_phase(rte::Phase::kFinalized);
  core::job_stop();
  return 0;
}

}  // namespace
}  // namespace uccs::test

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: coll_test CASE [EFFORT]\n");
    return 2;
  }
  return uccs::test::run(argv[1], argc > 2 ? atoi(argv[2]) : 100);
}
