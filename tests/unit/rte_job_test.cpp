// SPDX-License-Identifier: BSD-3-Clause
/// The public calls of rte.h in a job: to be run by any launcher with any number of ECs. Exit
/// status 0 if all holds.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "uccs/rte.h"

#define CHECK(condition)                                                                      \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "EC %d: %s:%d: %s\n", rte_get_my_ec(), __FILE__, __LINE__, #condition); \
      rte_abort(1, "a check failed");                                                         \
    }                                                                                         \
  } while (false)

namespace {

int me;
int size;

void check_identity() {
  const char* expected = getenv("EXPECTED_ECS");
  CHECK(expected == nullptr || size == atoi(expected));
  CHECK(me >= 0 && me < size);
  const char* backend = getenv("EXPECTED_BACKEND");
  if (backend == nullptr) backend = expected == nullptr ? "single" : "local";
  CHECK(strcmp(rte_get_backend(), backend) == 0);
  CHECK(getenv("UCCS_LOCAL_JOB") == nullptr);
  rte_locality_t mine;
  CHECK(rte_get_locality(me, &mine) == UCCS_OK);
  const char* expected_nodes = getenv("EXPECTED_NODES");
  const int nodes = expected_nodes != nullptr ? atoi(expected_nodes) : 1;
  int last = 0;
  for (int ec = 0; ec < size; ++ec) {
    rte_locality_t place;
    CHECK(rte_get_locality(ec, &place) == UCCS_OK);
    CHECK(place.node == mine.node || nodes > 1);
    CHECK(place.node != mine.node || strcmp(place.host, mine.host) == 0);
    CHECK(place.node == last || place.node == last + 1);  // a node's ECs are consecutive
    last = place.node;
    CHECK(strcmp(place.architecture, mine.architecture) == 0);
  }
  CHECK(last == nodes - 1);
}

void check_store() {
  const std::string value = "value of " + std::to_string(me);
  CHECK(rte_srs_set_data("name", value.data(), value.size()) == UCCS_OK);
  for (int ec = 0; ec < size; ++ec) {  // waits: nobody has promised anything yet
    char data[64];
    size_t bytes;
    CHECK(rte_srs_get_data(ec, "name", data, sizeof data, &bytes, RTE_FOREVER) == UCCS_OK);
    CHECK(std::string(data, bytes) == "value of " + std::to_string(ec));
  }
  CHECK(rte_srs_get_data((me + 1) % size, "never", nullptr, 0, nullptr, 0) == UCCS_ERR_TIMEOUT);
  CHECK(rte_srs_get_data(me, "never", nullptr, 0, nullptr, 10000000) == UCCS_ERR_TIMEOUT);
}

void check_fence() {
  for (int round = 0; round < 20; ++round) {
    const std::string key = "round " + std::to_string(round);
    CHECK(rte_srs_set_data(key.c_str(), &round, sizeof round) == UCCS_OK);
    CHECK(rte_fence() == UCCS_OK);
    int data = -1;  // after the fence all is there at once
    CHECK(rte_srs_get_data((me + round) % size, key.c_str(), &data, sizeof data, nullptr, 0) ==
          UCCS_OK);
    CHECK(data == round);
  }
}

/// Every thread of every EC exchanges with the same thread of every EC, itself included.
void exchange_as_thread(int thread) {
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<rte_request_t*> sends;
    std::vector<std::vector<int>> sent;
    for (int ec = 0; ec < size; ++ec)
      sent.push_back(std::vector<int>(static_cast<size_t>(1 + round * 50), me * 1000 + round));
    for (int ec = 0; ec < size; ++ec) {
      rte_request_t* request;
      const std::vector<int>& data = sent[static_cast<size_t>(ec)];
      CHECK(rte_send_nb(ec, thread, data.data(), data.size() * sizeof(int), &request) == UCCS_OK);
      sends.push_back(request);
    }
    for (int ec = 0; ec < size; ++ec) {
      std::vector<int> data(1024);
      rte_request_t* request;
      rte_message_t message;
      CHECK(rte_recv_nb(ec, thread, data.data(), data.size() * sizeof(int), &request) == UCCS_OK);
      CHECK(rte_wait(request, &message) == UCCS_OK);
      CHECK(message.ec == ec && message.tag == thread);
      CHECK(message.bytes == static_cast<size_t>(1 + round * 50) * sizeof(int));
      CHECK(data[0] == ec * 1000 + round && data[static_cast<size_t>(round * 50)] == data[0]);
    }
    for (rte_request_t* request : sends) CHECK(rte_wait(request, nullptr) == UCCS_OK);
  }
}

void check_threads() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) threads.emplace_back(exchange_as_thread, t);
  // The store works beside the messages.
  threads.emplace_back([] {
    for (int i = 0; i < 100; ++i) {
      const std::string key = "beside " + std::to_string(i);
      CHECK(rte_srs_set_data(key.c_str(), &i, sizeof i) == UCCS_OK);
      int data;
      CHECK(rte_srs_get_data((me + i) % size, key.c_str(), &data, sizeof data, nullptr,
                             RTE_FOREVER) == UCCS_OK);
      CHECK(data == i);
    }
  });
  for (std::thread& thread : threads) thread.join();
  CHECK(rte_fence() == UCCS_OK);
}

/// All send EC 0 more than is held for it, before it receives anything.
void check_back_pressure() {
  constexpr int kTag = 100;
  constexpr int kMessages = 80;
  const std::vector<char> data(RTE_DATA_MAX, static_cast<char>(me));
  std::vector<rte_request_t*> sends(kMessages);
  for (rte_request_t*& request : sends)
    CHECK(rte_send_nb(0, kTag, data.data(), data.size(), &request) == UCCS_OK);
  CHECK(rte_srs_set_data("sent", nullptr, 0) == UCCS_OK);
  if (me == 0) {
    for (int ec = 0; ec < size; ++ec)
      CHECK(rte_srs_get_data(ec, "sent", nullptr, 0, nullptr, RTE_FOREVER) == UCCS_OK);
    std::vector<char> buffer(RTE_DATA_MAX);
    std::vector<int> counts(static_cast<size_t>(size));
    for (int i = 0; i < kMessages * size; ++i) {
      rte_request_t* request;
      rte_message_t message;
      CHECK(rte_recv_nb(RTE_ANY_EC, kTag, buffer.data(), buffer.size(), &request) == UCCS_OK);
      CHECK(rte_wait(request, &message) == UCCS_OK);
      CHECK(message.bytes == RTE_DATA_MAX && buffer[77] == static_cast<char>(message.ec));
      ++counts[static_cast<size_t>(message.ec)];
    }
    for (const int count : counts) CHECK(count == kMessages);
  }
  for (rte_request_t* request : sends) CHECK(rte_wait(request, nullptr) == UCCS_OK);
  CHECK(rte_fence() == UCCS_OK);
}

/// What an EC starts is no EC.
void check_children() { CHECK(system("test -z \"$UCCS_LOCAL_JOB\"") == 0); }

}  // namespace

int main() {
  CHECK(rte_init() == UCCS_OK);
  me = rte_get_my_ec();
  size = rte_get_num_ecs();
  check_identity();
  check_store();
  check_fence();
  check_threads();
  check_back_pressure();
  check_children();
  // A second life: pending requests are cancelled, late answers disturb nobody.
  CHECK(rte_fence() == UCCS_OK);
  rte_request_t* request;
  CHECK(rte_recv_nb(RTE_ANY_EC, 999, nullptr, 0, &request) == UCCS_OK);
  CHECK(rte_finalize() == UCCS_OK);
  CHECK(rte_wait(request, nullptr) == UCCS_ERR_CANCELED);
  CHECK(rte_init() == UCCS_OK);
  rte_request_t* send;  // the cancelled receive does not swallow what comes later
  CHECK(rte_send_nb(me, 999, nullptr, 0, &send) == UCCS_OK);
  CHECK(rte_recv_nb(me, 999, nullptr, 0, &request) == UCCS_OK);
  CHECK(rte_wait(request, nullptr) == UCCS_OK && rte_wait(send, nullptr) == UCCS_OK);
  CHECK(rte_fence() == UCCS_OK);
  // The last EC leaves: a fence without it fails, and what it has set is still there.
  if (me == size - 1) {
    CHECK(rte_finalize() == UCCS_OK);
    return 0;
  }
  CHECK(rte_fence() == UCCS_ERR_PEER_FAILED);
  CHECK(rte_srs_get_data(size - 1, "sent", nullptr, 0, nullptr, 0) == UCCS_OK);
  CHECK(rte_srs_get_data(size - 1, "never", nullptr, 0, nullptr, RTE_FOREVER) ==
        UCCS_ERR_PEER_FAILED);
  CHECK(rte_recv_nb(size - 1, 5, nullptr, 0, &request) == UCCS_OK);
  CHECK(rte_wait(request, nullptr) == UCCS_ERR_PEER_FAILED);
  CHECK(rte_finalize() == UCCS_OK);
  return 0;
}
