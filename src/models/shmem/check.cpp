// SPDX-License-Identifier: BSD-3-Clause
/// Check mode: who may call, and when.
#include "models/shmem/check.hpp"

#include "base/log.hpp"
#include "core/job.hpp"
#include "models/shmem/context.hpp"

namespace uccs::shmem {
namespace {

thread_local char thread_mark;
thread_local int depth = 0;  // routines this thread is inside

std::atomic<int> level_in_force{SHMEM_THREAD_SINGLE};
const void* starter = nullptr;  // the thread that called init

// At SHMEM_THREAD_SERIALIZED: who is inside, and in what.
std::atomic<const void*> inside{nullptr};
std::atomic<const char*> inside_call{nullptr};

const char* level_name(int level) {
  switch (level) {
    case SHMEM_THREAD_SINGLE:
      return "SHMEM_THREAD_SINGLE";
    case SHMEM_THREAD_FUNNELED:
      return "SHMEM_THREAD_FUNNELED";
    case SHMEM_THREAD_SERIALIZED:
      return "SHMEM_THREAD_SERIALIZED";
    default:
      return "SHMEM_THREAD_MULTIPLE";
  }
}

/// The outermost routine of this thread.
void check_level(const char* call, bool* is_exclusive_out) {
  if (level_in_force <= SHMEM_THREAD_FUNNELED) {
    if (this_thread() != starter)
      base::fatal(
          "%s: called by another thread than the one that called shmem_init: the thread level is "
          "%s; ask shmem_init_thread for SHMEM_THREAD_SERIALIZED or SHMEM_THREAD_MULTIPLE",
          call, level_name(level_in_force));
  } else if (level_in_force == SHMEM_THREAD_SERIALIZED) {
    const void* before = nullptr;
    if (!inside.compare_exchange_strong(before, this_thread())) {
      const char* const other = inside_call;
      base::fatal(
          "%s: called while another thread is inside %s: the thread level is "
          "SHMEM_THREAD_SERIALIZED; let one thread at a time call, or ask shmem_init_thread for "
          "SHMEM_THREAD_MULTIPLE",
          call, other != nullptr ? other : "another routine");
    }
    inside_call = call;
    *is_exclusive_out = true;
  }
}

void check_context_thread(const char* call, CheckedContext* context) {
  if ((context->options & SHMEM_CTX_PRIVATE) != 0 && context->creator != this_thread())
    base::fatal(
        "%s: the context was created with SHMEM_CTX_PRIVATE by another thread: only that thread "
        "may use it",
        call);
}

/// A SERIALIZED context has one user at a time.
void take_context(const char* call, CheckedContext* context) {
  const void* before = nullptr;
  if (!context->user.compare_exchange_strong(before, this_thread()))
    base::fatal(
        "%s: another thread is inside an operation on the context, which was created with "
        "SHMEM_CTX_SERIALIZED: let one thread at a time use it",
        call);
}

}  // namespace

const void* this_thread() { return &thread_mark; }

void note_start(int level, bool is_first) {
  if (is_first) starter = this_thread();
  level_in_force = level;
}

void check_finalizer() {
  if (level_in_force > SHMEM_THREAD_SINGLE && this_thread() != starter)
    base::fatal(
        "shmem_finalize: called by another thread than the one that called shmem_init_thread: that "
        "thread must finalize");
}

void Entry::enter(const char* call, shmem_ctx_t ctx) {
  if (!is_started()) fail_state(call);
  if (depth++ == 0) check_level(call, &is_exclusive_);
  context_ = &checked_context(ctx, call);
  check_context_thread(call, context_);
  if ((context_->options & SHMEM_CTX_SERIALIZED) != 0 && context_->user != this_thread())
    take_context(call, context_);
}

void Entry::leave() {
  if (--depth == 0) leave_collective();
  if (context_ != nullptr && context_->user == this_thread()) context_->user = nullptr;
  if (!is_exclusive_) return;
  inside_call = nullptr;
  inside = nullptr;
}

void check_variables(const char* name, const void* variables, size_t count, size_t bytes,
                     const char* call) {
  const Entry entry(call);
  check_symmetric(call, {name, variables, bytes_of(count, bytes)}, bytes);
}

int check_pe(const char* call, const CheckedContext& context, int pe) {
  uccs_shmem_ctx* const made = context.made;
  int ec = pe;
  if (context.is_world) {
    if (pe < 0 || pe >= core::job.size)
      base::fatal("%s: there is no PE %d: PEs are numbered 0 to %d", call, pe, core::job.size - 1);
  } else {
    if (pe < 0 || pe >= made->size)
      base::fatal("%s: there is no PE %d in the context's team: its PEs are numbered 0 to %d", call,
                  pe, made->size - 1);
    ec = made->table == nullptr ? made->first + pe * made->stride : made->table[pe];
  }
  if (made != nullptr && made->counters != nullptr) count(made, ec, call);
  return ec;
}

}  // namespace uccs::shmem
