// SPDX-License-Identifier: BSD-3-Clause
/// The contract of net/transport.hpp, checked on every transport of the registry, bare and under
/// every decorator. usage: conformance <case>
#include <cstring>

#include "core/job.hpp"
#include "fixture.hpp"
#include "net/registry.hpp"

namespace {

using namespace conformance;

bool run_everywhere(const Case& test) {
  for (const Transport* transport : transports()) {
    std::vector<std::vector<const Transport*>> stacks = {{transport, nullptr}};
    for (const Transport* decorator : decorators())
      stacks.push_back({decorator, transport, nullptr});
    for (std::vector<const Transport*>& layers : stacks) {
      layers.pop_back();
      for (const Shape shape : {Shape{1, 1}, Shape{3, 4}, Shape{1, 1}}) {
        Fixture fixture = open(layers, shape);
        test.run(fixture);
        close(fixture);
      }
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (uccs::core::job_start() != UCCS_OK) return 1;
  for (const Case* cases : {memory_cases, message_cases})
    for (; cases->name; ++cases)
      if (std::strcmp(cases->name, argv[1]) == 0) {
        run_everywhere(*cases);
        uccs::core::job_stop();
        return 0;
      }
  std::fprintf(stderr, "there is no case '%s'\n", argv[1]);
  return 2;
}
