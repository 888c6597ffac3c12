// SPDX-License-Identifier: BSD-3-Clause
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>

#include "rte/hub/sockets.hpp"

namespace uccs::rte::hub {
namespace {

constexpr size_t kAddressesMax = 4;

struct Address {
  std::string interface;
  std::string text;
  bool is_loopback;
  bool is_v4;
};

bool print(const sockaddr* address, std::string* out) {
  char text[INET6_ADDRSTRLEN + IF_NAMESIZE];
  const socklen_t bytes =
      address->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  if (getnameinfo(address, bytes, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) return false;
  *out = text;
  return true;
}

/// Of interfaces that are up; a link-local one has a meaning on its link only and is left out.
std::vector<Address> all_addresses() {
  std::vector<Address> found;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return found;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || (one->ifa_flags & IFF_UP) == 0) continue;
    const int family = one->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr);
    if (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr)) continue;
    Address address = {one->ifa_name, "", (one->ifa_flags & IFF_LOOPBACK) != 0, family == AF_INET};
    if (print(one->ifa_addr, &address.text)) found.push_back(address);
  }
  freeifaddrs(list);
  std::stable_sort(found.begin(), found.end(),
                   [](const Address& a, const Address& b) { return a.is_v4 && !b.is_v4; });
  return found;
}

/// What the name of this node stands for: its administrator's choice.
std::vector<std::string> addresses_of_own_name() {
  std::vector<std::string> found;
  char name[256] = "";
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (gethostname(name, sizeof name - 1) != 0 || getaddrinfo(name, nullptr, &hints, &list) != 0)
    return found;
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    std::string text;
    if (print(one->ai_addr, &text)) found.push_back(text);
  }
  freeaddrinfo(list);
  return found;
}

}  // namespace

std::vector<std::string> reachable_addresses(const std::string& wanted, const std::string& hint) {
  const std::vector<Address> all = all_addresses();
  std::vector<std::string> chosen;
  const auto take = [&](const Address& address) {
    if (chosen.size() < kAddressesMax) chosen.push_back(address.text);
  };
  for (const Address& address : all)
    if (!wanted.empty() && (address.interface == wanted || address.text == wanted)) take(address);
  if (!wanted.empty()) return chosen;
  for (const Address& address : all)
    if (!address.is_loopback && address.text == hint) take(address);
  if (!chosen.empty()) return chosen;
  const std::vector<std::string> own = addresses_of_own_name();
  for (const Address& address : all)
    if (!address.is_loopback && std::find(own.begin(), own.end(), address.text) != own.end())
      take(address);
  if (!chosen.empty()) return chosen;
  for (const Address& address : all)
    if (!address.is_loopback) take(address);
  return chosen;
}

}  // namespace uccs::rte::hub
