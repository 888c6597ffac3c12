// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Check mode of locks: which this PE holds, or waits for.
namespace uccs::shmem {

/// Before a lock is asked for: ends the job if this PE has it already, or asks for it in another
/// thread.
void note_lock_wanted(const long* lock, const char* call);
/// After: whether it was got.
void note_lock(const long* lock, bool is_held);
/// Before it is cleared: ends the job if this PE does not hold it.
void note_lock_cleared(const long* lock, const char* call);
/// At the last finalize: a warning for each lock that is held. Forgets them.
void end_locks_check();

}  // namespace uccs::shmem
