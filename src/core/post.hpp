// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/context.hpp"

namespace uccs::core {

/// Posts a message by `link` of the channel, whose lock is held unless the link needs none; counts
/// it where the end of the context waits for it. Otherwise as net::Transport::message.
[[gnu::always_inline]] inline uccs_status_t post_message(Channel* channel, int link, int ec,
                                                         net::Envelope envelope, const void* head,
                                                         size_t head_bytes,
                                                         const net::Payload* payload) {
  const Link& by = channel->context->links[link];
  const uccs_status_t status =
      by.table->message(channel->paths[link], ec, envelope, head, head_bytes, payload);
  if (status == UCCS_OK && by.is_counted() && is_counted(static_cast<Kind>(envelope.kind())))
    ++channel->sent;
  return status;
}

}  // namespace uccs::core
