// SPDX-License-Identifier: BSD-3-Clause
#include "rte/hub/card.hpp"

#include <stdlib.h>

namespace uccs::rte::hub {
namespace {

constexpr size_t kTextMax = 1024;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t from = 0;
  while (true) {
    const size_t to = text.find(separator, from);
    parts.push_back(text.substr(from, to - from));
    if (to == std::string::npos) return parts;
    from = to + 1;
  }
}

/// Host names have none of the characters that mean something in a card; be sure.
std::string plain(std::string text) {
  for (char& c : text)
    if (c <= ' ' || c == ';' || c == ',' || c == '=') c = '_';
  return text.substr(0, 63);
}

}  // namespace

std::string encode_card(const Card& card) {
  std::string text = "1;" + to_hex(card.secret.data(), card.secret.size()) + ";" + plain(card.host);
  for (const Card::Where& where : card.places)
    text += ";" + where.address + "," + std::to_string(where.port);
  return text;
}

bool decode_card(const std::string& text, Card* card_out) {
  if (text.size() > kTextMax) return false;
  const std::vector<std::string> parts = split(text, ';');
  Card card;
  if (parts.size() < 3 || parts[0] != "1" ||
      !from_hex(parts[1], card.secret.data(), card.secret.size()))
    return false;
  card.host = parts[2];
  for (size_t i = 3; i < parts.size(); ++i) {
    const std::vector<std::string> where = split(parts[i], ',');
    if (where.size() != 2 || where[0].empty() || where[1].empty()) return false;
    char* end;
    const long port = strtol(where[1].c_str(), &end, 10);
    if (*end != '\0' || port < 1 || port > 65535) return false;
    card.places.push_back({where[0], static_cast<int>(port)});
  }
  *card_out = card;
  return true;
}

}  // namespace uccs::rte::hub
