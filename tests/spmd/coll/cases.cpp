// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include <unistd.h>

#include "coll/coll.hpp"

namespace uccs::test {

void mismatch(Ec& ec) {
  int64_t from = ec.me, to = 0;
  coll::barrier(*ec.world);
  if (ec.me == ec.size - 1)
    coll::broadcast(*ec.world, &to, &from, sizeof to, 0, true);
  else
    coll::allgather(*ec.world, &to, &from, 1);
  _exit(0);  // not reached in check mode
}

void absence(Ec& ec) {
  if (ec.me == ec.size - 1) {
    sleep(1000);
  }
  coll::barrier(*ec.world);
}

const Case kCases[] = {{"broadcasts", broadcasts},
                       {"gathers", gathers},
                       {"alltoalls", alltoalls},
                       {"reductions", reductions},
                       {"scans", scans},
                       {"crowds", crowds},
                       {"subsets", subsets},
                       {"back_to_back", back_to_back},
                       {"groups_come_and_go", groups_come_and_go},
                       {"groups_run_out", groups_run_out},
                       {"groups_in_threads", groups_in_threads}};
const int kCaseCount = static_cast<int>(sizeof kCases / sizeof *kCases);

const Case kWrongCases[] = {{"mismatch", mismatch}, {"absence", absence}};
const int kWrongCaseCount = static_cast<int>(sizeof kWrongCases / sizeof *kWrongCases);

}  // namespace uccs::test
