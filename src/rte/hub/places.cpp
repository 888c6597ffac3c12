// SPDX-License-Identifier: BSD-3-Clause
#include "rte/hub/places.hpp"

#include <string.h>

#include <algorithm>
#include <unordered_map>

#include "rte/packet.hpp"

namespace uccs::rte::hub {
namespace {

constexpr size_t kHostMax = sizeof Node::host - 1;

/// In place of the length of a name: four bytes follow that say how many nodes are like this one.
constexpr size_t kRun = 255;
static_assert(kHostMax < kRun);

/// A node while it is being counted.
struct Share {
  CpuMask cpus{};  ///< that its ECs may run on
  int ecs = 0;
};

/// The CPUs of one of a machine's nodes, or its part of those that others may use as well: at least
/// one.
int share_of(const Share& node, const std::vector<Share>& of_machine) {
  double share = 0;
  for (size_t i = 0; i < node.cpus.size(); ++i) {
    for (uint64_t left = node.cpus[i]; left != 0; left &= left - 1) {
      const uint64_t cpu = left & -left;
      int crowd = 0;
      for (const Share& one : of_machine) crowd += (one.cpus[i] & cpu) != 0 ? one.ecs : 0;
      share += static_cast<double>(node.ecs) / crowd;
    }
  }
  return std::max(static_cast<int>(share + 0.5), 1);
}

}  // namespace

Places arrange(const std::vector<Hello>& hello_of_rank) {
  std::unordered_map<std::string, size_t> index_of;
  std::vector<std::vector<int>> ranks_of;
  for (size_t rank = 0; rank < hello_of_rank.size(); ++rank) {
    const auto [found, is_new] = index_of.emplace(hello_of_rank[rank].node, ranks_of.size());
    if (is_new) ranks_of.emplace_back();
    ranks_of[found->second].push_back(static_cast<int>(rank));
  }
  Places places;
  places.ec_of_rank.resize(hello_of_rank.size());
  int next = 0;
  std::unordered_map<uint64_t, std::vector<Share>> machines;
  std::vector<Share> shares;
  for (const std::vector<int>& ranks : ranks_of) {
    Node node;
    node.first = next;
    node.size = static_cast<int>(ranks.size());
    const std::string& host = hello_of_rank[static_cast<size_t>(ranks[0])].host;
    memcpy(node.host, host.data(), std::min(host.size(), kHostMax));
    Share share;
    share.ecs = node.size;
    for (const int rank : ranks) {
      places.ec_of_rank[static_cast<size_t>(rank)] = next++;
      const CpuMask& mask = hello_of_rank[static_cast<size_t>(rank)].cpus;
      for (size_t i = 0; i < mask.size(); ++i) share.cpus[i] |= mask[i];
    }
    places.nodes.push_back(node);
    shares.push_back(share);
    machines[hello_of_rank[static_cast<size_t>(ranks[0])].machine].push_back(share);
  }
  for (size_t i = 0; i < places.nodes.size(); ++i) {
    const auto rank = static_cast<size_t>(ranks_of[i][0]);
    places.nodes[i].cpus = share_of(shares[i], machines[hello_of_rank[rank].machine]);
  }
  return places;
}

std::string encode_nodes(const std::vector<Node>& nodes) {
  size_t full = 0;
  for (const Node& node : nodes) full += 2 * sizeof(uint32_t) + 1 + strlen(node.host);
  const bool has_names = full <= kDataMax;
  std::string bytes;
  for (size_t i = 0; i < nodes.size();) {
    const Node& node = nodes[i];
    const uint32_t numbers[2] = {static_cast<uint32_t>(node.size),
                                 static_cast<uint32_t>(node.cpus)};
    bytes.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
    uint32_t count = 1;
    while (!has_names && i + count < nodes.size() && nodes[i + count].size == node.size &&
           nodes[i + count].cpus == node.cpus)
      ++count;
    i += count;
    if (count > 1) {
      bytes += static_cast<char>(kRun);
      bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
      continue;
    }
    const size_t length = has_names ? strlen(node.host) : 0;
    bytes += static_cast<char>(length);
    bytes.append(node.host, length);
  }
  return bytes;
}

bool decode_nodes(const char* data, size_t bytes, int num_ecs, std::vector<Node>* nodes_out) {
  std::vector<Node> nodes;
  int next = 0;
  while (bytes > 0) {
    uint32_t numbers[2];
    if (bytes < sizeof numbers + 1) return false;
    memcpy(numbers, data, sizeof numbers);
    size_t length = static_cast<unsigned char>(data[sizeof numbers]);
    uint32_t count = 1;
    const bool is_run = length == kRun;
    const size_t taken = sizeof numbers + 1 + (is_run ? sizeof count : length);
    if ((length > kHostMax && !is_run) || taken > bytes) return false;
    if (is_run) {
      memcpy(&count, data + sizeof numbers + 1, sizeof count);
      length = 0;
    }
    const auto left = static_cast<uint32_t>(num_ecs - next);
    if (numbers[0] == 0 || count == 0 || uint64_t{numbers[0]} * count > left) return false;
    if (numbers[1] == 0 || numbers[1] > 1u << 20) return false;
    for (; count > 0; --count) {
      Node node;
      node.first = next;
      node.size = static_cast<int>(numbers[0]);
      node.cpus = static_cast<int>(numbers[1]);
      memcpy(node.host, data + sizeof numbers + 1, length);
      next += node.size;
      nodes.push_back(node);
    }
    data += taken;
    bytes -= taken;
  }
  if (next != num_ecs) return false;
  *nodes_out = std::move(nodes);
  return true;
}

std::string encode_hello_data(const Hello& hello) {
  std::string bytes(reinterpret_cast<const char*>(&hello.machine), sizeof hello.machine);
  bytes.append(reinterpret_cast<const char*>(hello.cpus.data()), sizeof hello.cpus);
  return bytes + hello.host.substr(0, kHostMax);
}

bool decode_hello_data(const char* data, size_t bytes, Hello* hello_out) {
  constexpr size_t kNumbers = sizeof hello_out->machine + sizeof hello_out->cpus;
  if (bytes < kNumbers || bytes > kNumbers + kHostMax) return false;
  memcpy(&hello_out->machine, data, sizeof hello_out->machine);
  memcpy(hello_out->cpus.data(), data + sizeof hello_out->machine, sizeof hello_out->cpus);
  hello_out->host.assign(data + kNumbers, bytes - kNumbers);
  return true;
}

}  // namespace uccs::rte::hub
