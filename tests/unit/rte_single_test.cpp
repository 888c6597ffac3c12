// SPDX-License-Identifier: BSD-3-Clause
/// The public calls in a process without launcher.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "rte/identity.hpp"
#include "uccs/rte.h"

namespace {

class Single : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(rte_init(), UCCS_OK); }
  void TearDown() override { EXPECT_EQ(rte_finalize(), UCCS_OK); }
};

TEST(Rte, CallsOutsideInitAndFinalize) {
  rte_request_t* request = nullptr;
  rte_locality_t place;
  EXPECT_EQ(rte_get_my_ec(), -1);
  EXPECT_EQ(rte_get_num_ecs(), 0);
  EXPECT_STREQ(rte_get_backend(), "");
  EXPECT_EQ(rte_finalize(), UCCS_ERR_STATE);
  EXPECT_EQ(rte_fence(), UCCS_ERR_STATE);
  EXPECT_EQ(rte_srs_set_data("k", "v", 1), UCCS_ERR_STATE);
  EXPECT_EQ(rte_srs_get_data(0, "k", nullptr, 0, nullptr, 0), UCCS_ERR_STATE);
  EXPECT_EQ(rte_send_nb(0, 0, nullptr, 0, &request), UCCS_ERR_STATE);
  EXPECT_EQ(rte_recv_nb(0, 0, nullptr, 0, &request), UCCS_ERR_STATE);
  EXPECT_EQ(rte_get_locality(0, &place), UCCS_ERR_STATE);
  EXPECT_EQ(rte_test(nullptr, nullptr), UCCS_ERR_INVALID);
}

TEST_F(Single, Identity) {
  EXPECT_EQ(rte_get_my_ec(), 0);
  EXPECT_EQ(rte_get_num_ecs(), 1);
  EXPECT_STREQ(rte_get_backend(), "single");
  const uccs::rte::Identity& identity = uccs::rte::start();
  EXPECT_EQ(identity.node_size, 1);
  EXPECT_EQ(identity.segment_fd, -1);
  EXPECT_STRNE(identity.host, "");
  EXPECT_FALSE(uccs::rte::job_is_ending());
  uccs::rte::set_phase(uccs::rte::Phase::kInitialized);  // nobody looks, nothing breaks
  uccs::rte::set_activity("test");
  uccs::rte::set_activity(nullptr);
}

TEST_F(Single, CountsItsInits) {
  EXPECT_EQ(rte_init(), UCCS_OK);
  EXPECT_EQ(rte_finalize(), UCCS_OK);
  EXPECT_EQ(rte_get_num_ecs(), 1);
}

TEST_F(Single, Locality) {
  rte_locality_t place;
  ASSERT_EQ(rte_get_locality(0, &place), UCCS_OK);
  EXPECT_EQ(place.node, 0);
  EXPECT_STRNE(place.architecture, "");
  EXPECT_STRNE(place.host, "");
  EXPECT_EQ(rte_get_locality(1, &place), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_get_locality(-1, &place), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_get_locality(0, nullptr), UCCS_ERR_INVALID);
}

TEST_F(Single, KeyValueStore) {
  char data[8] = "";
  size_t bytes = 99;
  EXPECT_EQ(rte_srs_set_data("k", "hello", 5), UCCS_OK);
  EXPECT_EQ(rte_srs_get_data(0, "k", data, sizeof data, &bytes, 0), UCCS_OK);
  EXPECT_EQ(bytes, 5u);
  EXPECT_EQ(memcmp(data, "hello", 5), 0);
  EXPECT_EQ(rte_srs_get_data(0, "k", data, 2, &bytes, 0), UCCS_ERR_TRUNCATED);
  EXPECT_EQ(bytes, 5u);
  EXPECT_EQ(rte_srs_get_data(0, "k", nullptr, 0, nullptr, 0), UCCS_ERR_TRUNCATED);
  EXPECT_EQ(rte_srs_set_data("empty", nullptr, 0), UCCS_OK);
  EXPECT_EQ(rte_srs_get_data(0, "empty", nullptr, 0, &bytes, 0), UCCS_OK);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(rte_fence(), UCCS_OK);
}

TEST_F(Single, LimitsOfKeysAndData) {
  const std::string key(RTE_KEY_MAX, 'k');
  const std::vector<char> data(RTE_DATA_MAX, 'd');
  std::vector<char> back(RTE_DATA_MAX);
  EXPECT_EQ(rte_srs_set_data(key.c_str(), data.data(), data.size()), UCCS_OK);
  EXPECT_EQ(rte_srs_get_data(0, key.c_str(), back.data(), back.size(), nullptr, 0), UCCS_OK);
  EXPECT_EQ(data, back);
  EXPECT_EQ(rte_srs_set_data((key + "k").c_str(), "v", 1), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_srs_set_data("", "v", 1), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_srs_set_data(nullptr, "v", 1), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_srs_set_data("k", data.data(), RTE_DATA_MAX + 1), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_srs_set_data("k", nullptr, 1), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_srs_get_data(0, "k", nullptr, 1, nullptr, 0), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_srs_get_data(0, "k", nullptr, 0, nullptr, -1), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_srs_get_data(1, "k", nullptr, 0, nullptr, 0), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_srs_get_data(-1, "k", nullptr, 0, nullptr, 0), UCCS_ERR_INVALID);
}

TEST_F(Single, GetWaitsForAnotherThread) {
  std::thread setter([] { EXPECT_EQ(rte_srs_set_data("late", "v", 1), UCCS_OK); });
  char data;
  EXPECT_EQ(rte_srs_get_data(0, "late", &data, 1, nullptr, RTE_FOREVER), UCCS_OK);
  setter.join();
}

TEST_F(Single, GetTimesOut) {
  EXPECT_EQ(rte_srs_get_data(0, "never", nullptr, 0, nullptr, 0), UCCS_ERR_TIMEOUT);
  EXPECT_EQ(rte_srs_get_data(0, "never", nullptr, 0, nullptr, 20000000), UCCS_ERR_TIMEOUT);
}

TEST_F(Single, MessagesToItself) {
  char buffer[8] = "";
  rte_request_t* receive;
  rte_request_t* send;
  rte_message_t message = {-7, -7, 77};
  ASSERT_EQ(rte_recv_nb(RTE_ANY_EC, RTE_ANY_TAG, buffer, sizeof buffer, &receive), UCCS_OK);
  EXPECT_EQ(rte_test(receive, nullptr), UCCS_IN_PROGRESS);
  ASSERT_EQ(rte_send_nb(0, 5, "abc", 3, &send), UCCS_OK);
  EXPECT_EQ(rte_wait(send, &message), UCCS_OK);
  EXPECT_EQ(message.ec, -7);  // written for receives only
  EXPECT_EQ(rte_wait(receive, &message), UCCS_OK);
  EXPECT_EQ(message.ec, 0);
  EXPECT_EQ(message.tag, 5);
  EXPECT_EQ(message.bytes, 3u);
  EXPECT_STREQ(buffer, "abc");
}

TEST_F(Single, TruncatedMessage) {
  char buffer[2];
  rte_request_t* request;
  rte_message_t message;
  ASSERT_EQ(rte_send_nb(0, 1, "abc", 3, &request), UCCS_OK);
  ASSERT_EQ(rte_wait(request, nullptr), UCCS_OK);
  ASSERT_EQ(rte_recv_nb(0, 1, buffer, sizeof buffer, &request), UCCS_OK);
  EXPECT_EQ(rte_wait(request, &message), UCCS_ERR_TRUNCATED);
  EXPECT_EQ(message.bytes, 3u);
  EXPECT_EQ(memcmp(buffer, "ab", 2), 0);
}

TEST_F(Single, BadMessageArguments) {
  rte_request_t* request = nullptr;
  EXPECT_EQ(rte_send_nb(1, 0, "x", 1, &request), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_send_nb(RTE_ANY_EC, 0, "x", 1, &request), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_send_nb(0, -1, "x", 1, &request), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_send_nb(0, 0, nullptr, 1, &request), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_send_nb(0, 0, "x", RTE_DATA_MAX + 1, &request), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_send_nb(0, 0, "x", 1, nullptr), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_recv_nb(1, 0, nullptr, 0, &request), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_recv_nb(-2, 0, nullptr, 0, &request), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_recv_nb(0, -2, nullptr, 0, &request), UCCS_ERR_INVALID);
  EXPECT_EQ(rte_recv_nb(0, 0, nullptr, 1, &request), UCCS_ERR_INVALID);
  EXPECT_EQ(request, nullptr);
}

TEST_F(Single, SendsBeyondTheMailboxWaitForTheReceiver) {
  constexpr int kMessages = 200;  // of 64 KiB: three times what is held
  std::vector<std::vector<char>> data;
  std::vector<rte_request_t*> sends(kMessages);
  for (int i = 0; i < kMessages; ++i) {
    data.emplace_back(RTE_DATA_MAX, static_cast<char>(i));
    ASSERT_EQ(rte_send_nb(0, 9, data.back().data(), RTE_DATA_MAX, &sends[size_t(i)]), UCCS_OK);
  }
  std::vector<char> buffer(RTE_DATA_MAX);
  for (int i = 0; i < kMessages; ++i) {
    rte_request_t* receive;
    ASSERT_EQ(rte_recv_nb(0, 9, buffer.data(), buffer.size(), &receive), UCCS_OK);
    ASSERT_EQ(rte_wait(receive, nullptr), UCCS_OK);
    ASSERT_EQ(buffer[0], static_cast<char>(i));  // in order
  }
  for (rte_request_t* send : sends) EXPECT_EQ(rte_wait(send, nullptr), UCCS_OK);
}

TEST(Rte, FinalizeCancelsAndInitWorksAgain) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(rte_init(), UCCS_OK);
    rte_request_t* receive;
    ASSERT_EQ(rte_recv_nb(RTE_ANY_EC, 3, nullptr, 0, &receive), UCCS_OK);
    EXPECT_EQ(rte_finalize(), UCCS_OK);
    EXPECT_EQ(rte_wait(receive, nullptr), UCCS_ERR_CANCELED);
  }
}

TEST_F(Single, ManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 50; ++i) {
        const std::string key = std::to_string(t) + "." + std::to_string(i);
        EXPECT_EQ(rte_srs_set_data(key.c_str(), &i, sizeof i), UCCS_OK);
        int back = -1;
        EXPECT_EQ(rte_srs_get_data(0, key.c_str(), &back, sizeof back, nullptr, 0), UCCS_OK);
        EXPECT_EQ(back, i);
        rte_request_t* send;
        rte_request_t* receive;
        ASSERT_EQ(rte_send_nb(0, t, &i, sizeof i, &send), UCCS_OK);
        ASSERT_EQ(rte_recv_nb(0, t, &back, sizeof back, &receive), UCCS_OK);
        while (rte_test(receive, nullptr) == UCCS_IN_PROGRESS) std::this_thread::yield();
        EXPECT_EQ(rte_wait(send, nullptr), UCCS_OK);
        EXPECT_EQ(back, i);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

[[noreturn]] void abort_with_pending_output() {
  fputs("buffered", stdout);
  rte_abort(7, "enough");
}

TEST(Rte, AbortPrintsFlushesAndExits) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(abort_with_pending_output(), testing::ExitedWithCode(7),
              "^uccs: pid [0-9]+: error: enough\n$");
}

[[noreturn]] void init_with(const char* name, const char* value) {
  setenv(name, value, 1);
  exit(rte_init() == UCCS_OK ? 0 : 3);
}

TEST(Rte, ForeignLaunchersAreRefusedWithTheRemedy) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto kFails = testing::ExitedWithCode(1);
  const auto kWorks = testing::ExitedWithCode(0);
  EXPECT_EXIT(init_with("OMPI_COMM_WORLD_SIZE", "4"), kFails,
              "OMPI_COMM_WORLD_SIZE is set.*oshrun -n 4 rte_test");
  EXPECT_EXIT(init_with("OMPI_COMM_WORLD_SIZE", "1"), kWorks, "^$");
  EXPECT_EXIT(init_with("PMI_RANK", "0"), kFails, "PMI_RANK is set.*oshrun -n N rte_test");
  EXPECT_EXIT(init_with("PMI_FD", "7"), kFails, "is no place in a job: start the job with");
  EXPECT_EXIT(init_with("PMI_PORT", "host:7"), kFails, "start mpiexec without -pmi-port");
  EXPECT_EXIT(init_with("PMIX_NAMESPACE", "x"), kFails, "connection has not come through");
  EXPECT_EXIT(init_with("SLURM_NTASKS", "4"), kWorks, "^$");  // salloc
  EXPECT_EXIT(init_with("UCCS_RTE", "local"), kFails, "uccsrun did not start this program");
  EXPECT_EXIT(init_with("UCCS_RTE", "pmix"), kFails, "no PMIx launcher started this program");
  EXPECT_EXIT(init_with("UCCS_RTE", "pmi"), kFails, "no launcher that speaks PMI started");
  setenv("PMI_RANK", "0", 1);
  setenv("PMI_SIZE", "2", 1);
  EXPECT_EXIT(init_with("PMI_FD", "900"), kFails, "PMI_FD=900 is not the launcher's socket");
  EXPECT_EXIT(init_with("PMI_FD", "2"), kFails, "PMI_FD=2 is not the launcher's socket");
  for (const char* name : {"PMI_RANK", "PMI_SIZE"}) unsetenv(name);
}

TEST(Rte, SlurmTasksAndShells) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto kFails = testing::ExitedWithCode(1);
  const auto kWorks = testing::ExitedWithCode(0);
  setenv("SLURM_PROCID", "0", 1);
  setenv("SLURM_NTASKS", "4", 1);
  EXPECT_EXIT(init_with("SLURM_JOB_ID", "1"), kWorks, "^$");            // script of sbatch
  EXPECT_EXIT(init_with("SLURM_STEP_ID", "4294967291"), kWorks, "^$");  // the same, named
  EXPECT_EXIT(init_with("SLURM_STEP_ID", "4294967290"), kWorks, "^$");  // interactive step
  EXPECT_EXIT(init_with("SLURM_STEP_ID", "0"), kFails, "srun --mpi=pmi2 -n 4 rte_test");
  setenv("SLURM_STEP_NUM_TASKS", "1", 1);
  EXPECT_EXIT(init_with("SLURM_STEP_ID", "0"), kWorks, "^$");
  setenv("UCCS_RTE", "single", 1);
  setenv("SLURM_STEP_NUM_TASKS", "4", 1);
  EXPECT_EXIT(init_with("SLURM_STEP_ID", "0"), kWorks, "^$");
  for (const char* name : {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_STEP_NUM_TASKS", "UCCS_RTE"})
    unsetenv(name);
}

TEST(Rte, RefusesABadHandOver) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto kFails = testing::ExitedWithCode(1);
  EXPECT_EXIT(init_with("UCCS_LOCAL_JOB", "rubbish"), kFails,
              "UCCS_LOCAL_JOB=rubbish.*oshrun -n N");
  EXPECT_EXIT(init_with("UCCS_LOCAL_JOB", "2:0:1:900:901:902:903:0123456789abcdef"), kFails,
              "file descriptor 901 .board., which is not open");
  EXPECT_EXIT(init_with("UCCS_LOCAL_JOB", "2:0:1:0:0:0:0:0123456789abcdef"), kFails,
              "which is not what uccsrun made");
}

}  // namespace
