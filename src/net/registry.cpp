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
constexpr const char* kNetworks[] = {"ofi", "ucx"};
constexpr const char* kNetworksWithCards[] = {"ucx", "ofi"};

/// Set before a network's library is loaded, where the user has not: its constructors read them,
/// and would take the program's signals for crash reports of their own.
constexpr const char* kSettings[][2] = {{"UCX_ERROR_SIGNALS", ""},
                                        {"UCX_DEBUG_SIGNO", ""},
                                        {"IPATH_NO_BACKTRACE", "1"},
                                        {"HFI_NO_BACKTRACE", "1"}};

/// Whether there is an InfiniBand or RoCE card. EFA and Omni-Path, which show up in the same place,
/// are libfabric's.
bool has_verbs_card() {
  DIR* folder = opendir("/sys/class/infiniband");
  if (!folder) return false;
  bool has_one = false;
  while (const dirent* entry = readdir(folder)) {
    const char* name = entry->d_name;
    const auto starts = [name](const char* with) { return strncmp(name, with, strlen(with)) == 0; };
    has_one = has_one || !(*name == '.' || starts("efa") || starts("hfi") || starts("opa"));
  }
  closedir(folder);
  return has_one;
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
  static const bool has_card = has_verbs_card();
  if (has_card) return kNetworksWithCards;
  return kNetworks;
}
const char* why_first() {
  return networks().data() == kNetworksWithCards ? "there is an InfiniBand or RoCE card"
                                                 : "there is no InfiniBand or RoCE card";
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
