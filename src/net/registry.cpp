// SPDX-License-Identifier: BSD-3-Clause
#include "net/registry.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mutex>

#include "base/config.hpp"
#include "base/config_values.hpp"

namespace uccs::net {

// Each is defined in its own folder; nothing else of it is visible outside.
namespace shm {
extern const Transport transport;
}
namespace wrap {
extern const Transport check, fault, trace;
}

namespace {
constexpr const Transport* kTransports[] = {&shm::transport};
constexpr const Transport* kDecorators[] = {&wrap::check, &wrap::fault, &wrap::trace};
constexpr const char* kNetworks[] = {"ucx", "ofi"};
constexpr const char* kNetworksOfCards[] = {"ofi", "ucx"};

/// Set before a network's library is loaded, where the user has not: its constructors read them,
/// and would take the program's signals for crash reports of their own.
constexpr const char* kSettings[][2] = {{"UCX_ERROR_SIGNALS", ""},
                                        {"UCX_DEBUG_SIGNO", ""},
                                        {"IPATH_NO_BACKTRACE", "1"},
                                        {"HFI_NO_BACKTRACE", "1"}};

/// What there is for networks to choose by.
struct Cards {
  bool has_verbs = false;  ///< InfiniBand or RoCE: UCX's
  bool has_other = false;  ///< EFA, Omni-Path, Slingshot: libfabric's
};

Cards find_cards() {
  Cards cards;
  const auto look = [](const char* path, auto note) {
    DIR* folder = opendir(path);
    if (!folder) return;
    while (const dirent* entry = readdir(folder))
      if (entry->d_name[0] != '.') note(entry->d_name);
    closedir(folder);
  };
  look("/sys/class/infiniband", [&cards](const char* name) {
    const auto starts = [name](const char* with) { return strncmp(name, with, strlen(with)) == 0; };
    (starts("efa") || starts("hfi") || starts("opa") ? cards.has_other : cards.has_verbs) = true;
  });
  look("/sys/class/cxi", [&cards](const char*) { cards.has_other = true; });
  return cards;
}

const Cards& cards() {
  static const Cards found = find_cards();
  return found;
}

/// Beside the library, or where UCCS_NET_PLUGINS says.
bool plugin_path(const char* name, char* path, size_t capacity) {
  const char* folder = base::config().net_plugins;
  Dl_info self;
  if (*folder) return snprintf(path, capacity, "%s/libuccs-net-%s.so", folder, name) > 0;
  if (dladdr(reinterpret_cast<const void*>(&kNetworks), &self) == 0 || !self.dli_fname)
    return false;
  const char* slash = strrchr(self.dli_fname, '/');
  const int length = slash ? static_cast<int>(slash - self.dli_fname) : 1;
  return snprintf(path, capacity, "%.*s/libuccs-net-%s.so", length, slash ? self.dli_fname : ".",
                  name) < static_cast<int>(capacity);
}
}  // namespace

std::span<const Transport* const> transports() { return kTransports; }
std::span<const Transport* const> decorators() { return kDecorators; }

std::span<const char* const> networks() {
  if (cards().has_other && !cards().has_verbs) return kNetworksOfCards;
  return kNetworks;
}
const char* why_first() {
  return cards().has_verbs   ? "there is an InfiniBand or RoCE card"
         : cards().has_other ? "there is a card of EFA, Omni-Path or Slingshot"
                             : "there is only tcp, over which UCX takes less time and memory";
}

const Plugin* load_network(const char* name, const char** reason_out) {
  static std::mutex lock;  // dlerror's text is the process's
  const std::lock_guard guard(lock);
  char path[4096];
  *reason_out = "its plug-in cannot be located";
  if (!plugin_path(name, path, sizeof path)) return nullptr;
  for (const auto& [variable, value] : kSettings) setenv(variable, value, 0);
  // Never unloaded: its threads and handlers outlive contexts.
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    static char reason[512];
    snprintf(reason, sizeof reason, "%s", dlerror());
    *reason_out = reason;
    return nullptr;
  }
  const auto* plugin = static_cast<const Plugin*>(dlsym(handle, "uccs_net_plugin"));
  if (!plugin || plugin->version != kPluginVersion || plugin->table_bytes != sizeof(Transport) ||
      strcmp(plugin->table->name, name) != 0) {
    *reason_out = "its plug-in belongs to another version of UCCS";
    return nullptr;
  }
  return plugin;
}

}  // namespace uccs::net
