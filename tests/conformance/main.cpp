// SPDX-License-Identifier: BSD-3-Clause
/// The contract of net/transport.hpp, checked on every transport of the registry, bare and under
/// every decorator, or on a network's plug-in. usage: conformance <case> [<network>]
#include <cstring>

#include "core/job.hpp"
#include "fixture.hpp"
#include "net/registry.hpp"

namespace {

using namespace conformance;

/// Over the transports of the registry, or over one network.
bool run_everywhere(const Case& test, const Transport* network) {
  const std::span<const Transport* const> all =
      network ? std::span(&network, size_t{1}) : transports();
  for (const Transport* transport : all) {
    std::vector<std::vector<const Transport*>> stacks = {{transport, nullptr}};
    for (const Transport* decorator : decorators())
      if (!network) stacks.push_back({decorator, transport, nullptr});
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
  if (argc < 2 || argc > 3) return 2;
  if (uccs::core::job_start(false) != UCCS_OK) return 1;
  const Transport* network = nullptr;
  if (argc == 3) {
    const char* reason;
    const Plugin* plugin = load_network(argv[2], &reason);
    if (plugin) network = plugin->table;
    if (!network) {
      std::printf("SKIP %s: %s\n", argv[2], reason);
      return 77;
    }
  }
  for (const Case* cases : {memory_cases, message_cases})
    for (; cases->name; ++cases)
      if (std::strcmp(cases->name, argv[1]) == 0) {
        run_everywhere(*cases, network);
        uccs::core::job_stop();
        return 0;
      }
  std::fprintf(stderr, "there is no case '%s'\n", argv[1]);
  return 2;
}
