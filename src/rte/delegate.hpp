// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "rte/backend.hpp"

namespace uccs::rte {

/// The delegate: the one thread of this process that talks to the backend. Callers post commands to
/// its queue; it hands the results back in the commands. Started by the first command.

/// Queues `command`, which must stay alive until it is done. On an error nothing was queued. Any
/// thread.
uccs_status_t delegate_post(Command* command);

/// Has the thread run though nobody has a command yet: to hear what the backend says.
void delegate_start();

/// Blocks until `command` is done.
void delegate_wait(Command* command);

/// Ends the thread; commands that are not done yet end with UCCS_ERR_CANCELED. A later command
/// starts it anew. Not from the delegate itself.
void delegate_stop();

/// For backends, in the delegate thread: the answer to the posted command `reply.header.id`.
void delegate_reply(const Packet& reply);

}  // namespace uccs::rte
