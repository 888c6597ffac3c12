// SPDX-License-Identifier: BSD-3-Clause
/// The public calls of uccs/rte.h: arguments checked, turned into commands, results turned back.
#include <limits.h>
#include <string.h>

#include <mutex>
#include <new>

#include "base/clock.hpp"
#include "rte/backend.hpp"
#include "rte/delegate.hpp"
#include "rte/locality.hpp"
#include "uccs/rte.h"

using uccs::rte::Command;
using uccs::rte::PacketKind;

struct rte_request {
  Command command;
};

static_assert(RTE_KEY_MAX == uccs::rte::kKeyMax && RTE_DATA_MAX == uccs::rte::kDataMax);
static_assert(RTE_ANY_EC == uccs::rte::kAnyEc && RTE_ANY_TAG == uccs::rte::kAnyTag);

namespace {

constinit std::mutex init_mutex;
constinit std::atomic<int> init_count{0};  // changed by init_mutex

bool is_initialized() { return init_count.load(std::memory_order_relaxed) > 0; }

bool is_ec(int ec) { return ec >= 0 && ec < uccs::rte::start().num_ecs; }

bool is_key(const char* key) {
  if (key == nullptr) return false;
  const size_t length = strnlen(key, RTE_KEY_MAX + 1);
  return length > 0 && length <= RTE_KEY_MAX;
}

bool is_data(const void* data, size_t bytes) {
  return bytes <= RTE_DATA_MAX && (data != nullptr || bytes == 0);
}

uccs_status_t run(Command* command) {
  const uccs_status_t status = uccs::rte::delegate_post(command);
  if (status != UCCS_OK) return status;
  uccs::rte::delegate_wait(command);
  return command->status;
}

uccs_status_t post(rte_request_t* request, rte_request_t** request_out) {
  const uccs_status_t status = uccs::rte::delegate_post(&request->command);
  if (status == UCCS_OK)
    *request_out = request;
  else
    delete request;
  return status;
}

uccs_status_t take_result(rte_request_t* request, rte_message_t* message_out) {
  const Command& command = request->command;
  const uccs_status_t status = command.status;
  const bool has_message =
      command.kind == PacketKind::kReceive && (status == UCCS_OK || status == UCCS_ERR_TRUNCATED);
  if (has_message && message_out != nullptr)
    *message_out = {command.ec_out, command.tag_out, command.bytes_out};
  delete request;
  return status;
}

}  // namespace

extern "C" {

uccs_status_t rte_init(void) {
  uccs::rte::serve();
  const std::lock_guard<std::mutex> lock(init_mutex);
  init_count.fetch_add(1, std::memory_order_relaxed);
  return UCCS_OK;
}

uccs_status_t rte_finalize(void) {
  const std::lock_guard<std::mutex> lock(init_mutex);
  if (!is_initialized()) return UCCS_ERR_STATE;
  if (init_count.fetch_sub(1, std::memory_order_relaxed) == 1) {
    uccs::rte::delegate_stop();
    uccs::rte::serve();
  }
  return UCCS_OK;
}

int rte_get_my_ec(void) { return is_initialized() ? uccs::rte::start().ec : -1; }

int rte_get_num_ecs(void) { return is_initialized() ? uccs::rte::start().num_ecs : 0; }

const char* rte_get_backend(void) { return is_initialized() ? uccs::rte::start().backend : ""; }

uccs_status_t rte_get_locality(int ec, rte_locality_t* locality_out) {
  if (!is_initialized()) return UCCS_ERR_STATE;
  if (!is_ec(ec) || locality_out == nullptr) return UCCS_ERR_INVALID;
  uccs::rte::find_locality(ec, locality_out);
  return UCCS_OK;
}

uccs_status_t rte_srs_set_data(const char* key, const void* data, size_t bytes) {
  if (!is_initialized()) return UCCS_ERR_STATE;
  if (!is_key(key) || !is_data(data, bytes)) return UCCS_ERR_INVALID;
  Command command;
  command.kind = PacketKind::kPut;
  command.key = key;
  command.data = data;
  command.bytes = bytes;
  return run(&command);
}

uccs_status_t rte_srs_get_data(int ec, const char* key, void* data_out, size_t capacity,
                               size_t* bytes_out, int64_t timeout_ns) {
  if (!is_initialized()) return UCCS_ERR_STATE;
  const bool has_buffer = data_out != nullptr || capacity == 0;
  if (!is_ec(ec) || !is_key(key) || !has_buffer || timeout_ns < 0) return UCCS_ERR_INVALID;
  Command command;
  command.kind = PacketKind::kGet;
  command.ec = ec;
  command.key = key;
  command.buffer = data_out;
  command.capacity = capacity;
  if (timeout_ns != RTE_FOREVER)
    command.deadline_ns = uccs::base::now_ns() + static_cast<uint64_t>(timeout_ns);
  const uccs_status_t status = run(&command);
  if ((status == UCCS_OK || status == UCCS_ERR_TRUNCATED) && bytes_out != nullptr)
    *bytes_out = command.bytes_out;
  return status;
}

uccs_status_t rte_fence(void) {
  if (!is_initialized()) return UCCS_ERR_STATE;
  Command command;
  command.kind = PacketKind::kFence;
  return run(&command);
}

uccs_status_t rte_send_nb(int ec, int tag, const void* data, size_t bytes,
                          rte_request_t** request_out) {
  if (!is_initialized()) return UCCS_ERR_STATE;
  if (!is_ec(ec) || tag < 0 || !is_data(data, bytes) || request_out == nullptr)
    return UCCS_ERR_INVALID;
  auto* request = new (std::nothrow) rte_request;
  if (request == nullptr) return UCCS_ERR_NO_MEMORY;
  request->command.kind = PacketKind::kSend;
  request->command.ec = ec;
  request->command.tag = tag;
  request->command.data = data;
  request->command.bytes = bytes;
  return post(request, request_out);
}

uccs_status_t rte_recv_nb(int ec, int tag, void* buffer, size_t capacity,
                          rte_request_t** request_out) {
  if (!is_initialized()) return UCCS_ERR_STATE;
  const bool is_source = is_ec(ec) || ec == RTE_ANY_EC;
  const bool is_tag = tag >= 0 || tag == RTE_ANY_TAG;
  const bool has_buffer = buffer != nullptr || capacity == 0;
  if (!is_source || !is_tag || !has_buffer || request_out == nullptr) return UCCS_ERR_INVALID;
  auto* request = new (std::nothrow) rte_request;
  if (request == nullptr) return UCCS_ERR_NO_MEMORY;
  request->command.kind = PacketKind::kReceive;
  request->command.ec = ec;
  request->command.tag = tag;
  request->command.buffer = buffer;
  request->command.capacity = capacity;
  return post(request, request_out);
}

uccs_status_t rte_test(rte_request_t* request, rte_message_t* message_out) {
  if (request == nullptr) return UCCS_ERR_INVALID;
  // Pairs with the release in the delegate.
  if (request->command.is_done.load(std::memory_order_acquire) == 0) return UCCS_IN_PROGRESS;
  return take_result(request, message_out);
}

uccs_status_t rte_wait(rte_request_t* request, rte_message_t* message_out) {
  if (request == nullptr) return UCCS_ERR_INVALID;
  uccs::rte::delegate_wait(&request->command);
  return take_result(request, message_out);
}

void rte_abort(int status, const char* message) { uccs::rte::end_job(status & 255, message); }

}  // extern "C"
