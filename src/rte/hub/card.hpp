// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "rte/hub/proof.hpp"

namespace uccs::rte::hub {

/// What rank 0 tells all others over the launcher: how to reach the hub, and the job's secret. The
/// launcher shows it to nobody but the job.
struct Card {
  struct Where {
    std::string address;
    int port;
  };
  Secret secret{};
  std::string host;           ///< of rank 0, for messages
  std::vector<Where> places;  ///< none if all ranks are on one node
};

/// "1;secret;host;address,port;address,port": no blanks, no "=", at most kCardMax bytes.
std::string encode_card(const Card& card);
/// False unless `text` is of that form.
bool decode_card(const std::string& text, Card* card_out);

}  // namespace uccs::rte::hub
