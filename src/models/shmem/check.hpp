// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "models/shmem/api.hpp"
#include "models/shmem/guard.hpp"

/// Check mode: what a routine is looked at for, before it does anything. Whatever is wrong ends the
/// job with a line that names routine, argument, value and what is legal; what is only suspicious
/// gets a warning. None of it runs while the gate (guard.hpp) is open.
namespace uccs::shmem {

/// What check mode knows about a context.
struct CheckedContext {
  long options = 0;
  const void* creator = nullptr;   ///< thread, see `this_thread`
  uccs_shmem_ctx* made = nullptr;  ///< what the handle stands for; nullptr: the default context
  bool is_world = true;            ///< numbers PEs as the world does
  bool is_live = true;
  std::atomic<uint64_t> pending{0};                ///< _nbi operations since the last quiet
  std::atomic<const char*> pending_call{nullptr};  ///< the routine of one of them
  std::atomic<const void*> user{nullptr};          ///< thread inside, of a SERIALIZED context
};

/// One call of a routine: the library is started, this thread may call, the context is one. Costs
/// a test of `is_guarded` when off. Routines that call others nest.
class Entry {
 public:
  explicit Entry(const char* call, shmem_ctx_t ctx = SHMEM_CTX_DEFAULT) : is_checked_(is_guarded) {
    if (is_checked_) [[unlikely]]
      enter(call, ctx);
  }
  ~Entry() {
    if (is_checked_) [[unlikely]]
      leave();
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  /// True in check mode: look at the arguments.
  bool is_checked() const { return is_checked_; }
  /// Check mode's notes of the context; never nullptr there.
  CheckedContext* context() const { return context_; }

 private:
  [[gnu::cold]] void enter(const char* call, shmem_ctx_t ctx);
  [[gnu::cold]] void leave();
  bool is_checked_;
  bool is_exclusive_ = false;
  CheckedContext* context_ = nullptr;
};

/// The thread is no longer inside the collective, if any, that it entered last: at the end of every
/// entry, or before the group ends.
void leave_collective();

/// A name for the calling thread.
const void* this_thread();

/// By init and finalize: which thread, and which thread level is in force. `is_first`: of a phase.
void note_start(int level, bool is_first);
/// The thread that calls finalize must be the one that called init.
void check_finalizer();

/// Bytes that an argument names. Saturated sizes are not legal ones.
struct Span {
  const char* name;
  const void* address;
  size_t bytes;
};

/// `count * element`, SIZE_MAX if that is too much.
size_t bytes_of(size_t count, size_t element);

/// Ends the job unless all of a span, if it is not empty, lies in one live block of the symmetric
/// heap or in the executable's static data, aligned to `alignment`.
void check_symmetric(const char* call, const Span& span, size_t alignment);
/// The same for any memory of this process: only what the heap and static data can tell.
void check_local(const char* call, const Span& span);
/// Enters a routine that looks at `count` symmetric variables.
[[gnu::cold]] void check_variables(const char* name, const void* variables, size_t count,
                                   size_t bytes, const char* call);
/// Ends the job if they share memory. `ec`: whose copy of `a`; `b` is memory of this process. If
/// they are the same to the byte and `may_be_same`, a warning does.
void check_disjoint(const char* call, const Span& a, int ec, const Span& b);
void check_disjoint(const char* call, const Span& a, const Span& b, bool may_be_same = true);

/// Ends the job unless `pe` is a PE of the context's team; returns it as EC.
int check_pe(const char* call, const CheckedContext& context, int pe);

/// Contexts. The default one is always there.
CheckedContext& default_context();
void note_context(shmem_ctx_t ctx, long options, uccs_shmem_ctx* made, bool is_world);
/// The notes of a live context; ends the job for a handle that is none, or was destroyed.
CheckedContext& checked_context(shmem_ctx_t ctx, const char* call);
void note_context_end(shmem_ctx_t ctx);
void note_nbi(CheckedContext& context, const char* call);
inline void note_quiet(CheckedContext& context) { context.pending = 0; }
/// What the program left undone at the last finalize: warnings. Forgets all contexts.
void end_contexts_check();

/// The heap: blocks that were freed are held back from use for a while, so that late uses are seen.
void note_freed(void* block, size_t bytes, const char* call);
/// "it is in a block of ... that ... freed", or nullptr. Thread safe; the text is the thread's own.
const char* describe_freed(const void* address);
/// Makes room for `bytes` if only blocks held back are in the way.
void make_room(size_t bytes);
void forget_freed();

}  // namespace uccs::shmem
