// SPDX-License-Identifier: BSD-3-Clause
/// The table is read once per process, so every test of values runs in a process of its own.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <set>
#include <string>

#include "base/config_values.hpp"
#include "base/log.hpp"
#include "uccs/info.h"

namespace uccs::base {
namespace {

/// Exits 0 if `holds(config())`, after `setenv(name, value)`.
template <typename Check>
[[noreturn]] void exit_with(const char* name, const char* value, Check holds) {
  setenv(name, value, 1);
  exit(holds(config()) ? 0 : 3);
}

#define EXPECT_VALUE(name, value, expression)                                       \
  EXPECT_EXIT(exit_with(name, value, [](const Config& c) { return (expression); }), \
              testing::ExitedWithCode(0), "")                                       \
      << name << "=" << value

#define EXPECT_REFUSED(name, value, pattern)                              \
  EXPECT_EXIT(exit_with(name, value, [](const Config&) { return true; }), \
              testing::ExitedWithCode(1), name "=" value " is not valid: it must be " pattern)

class ConfigValues : public testing::Test {
 protected:
  // A death test then starts the program anew, and nothing was read before.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST(Config, Defaults) {
  EXPECT_STREQ(config().symmetric_size, "auto");
  EXPECT_EQ(config().log, LogLevel::kWarn);
  EXPECT_EQ(config().lanes, 0);
  EXPECT_EQ(config().channels, 0);
  EXPECT_EQ(config().spin, -1);
  EXPECT_EQ(config().progress, ProgressMode::kPolling);
  EXPECT_EQ(config().huge_pages, HugePages::kNever);
  EXPECT_EQ(config().rte, RteChoice::kAuto);
  EXPECT_TRUE(config().line_buffer);
  EXPECT_FALSE(config().check);
  EXPECT_FALSE(config().shmem_info);
  EXPECT_EQ(config().timeout_ns, 0u);
}

TEST_F(ConfigValues, Values) {
  EXPECT_VALUE("UCCS_LOG", "debug", c.log == LogLevel::kDebug);
  EXPECT_VALUE("UCCS_LOG", "ERROR", c.log == LogLevel::kError);
  EXPECT_VALUE("UCCS_LOG", "", c.log == LogLevel::kWarn);  // empty: not set
  EXPECT_VALUE("UCCS_CHECK", "1", c.check);
  EXPECT_VALUE("UCCS_CHECK", "Yes", c.check);
  EXPECT_VALUE("UCCS_CHECK", "off", !c.check);
  EXPECT_VALUE("UCCS_LANES", "64", c.lanes == 64);
  EXPECT_VALUE("UCCS_SPIN", "-1", c.spin == -1);
  EXPECT_VALUE("UCCS_PROGRESS", "thread", c.progress == ProgressMode::kThread);
  EXPECT_VALUE("UCCS_HUGE_PAGES", "advise", c.huge_pages == HugePages::kAdvise);
  EXPECT_VALUE("UCCS_RTE", "single", c.rte == RteChoice::kSingle);
  EXPECT_VALUE("UCCS_TIMEOUT", "1.5", c.timeout_ns == 1500000000);
  EXPECT_VALUE("UCCS_TIMEOUT", "20ms", c.timeout_ns == 20000000);
  EXPECT_VALUE("SHMEM_INFO", "0", c.shmem_info);  // a flag is on by being there
  EXPECT_VALUE("SHMEM_DEBUG", "", c.check);       // a switch, too, unless it says no
  EXPECT_VALUE("SHMEM_DEBUG", "anything", c.check);
  EXPECT_VALUE("SHMEM_DEBUG", "0", !c.check);
  EXPECT_VALUE("SHMEM_DEBUG", "off", !c.check);
  EXPECT_VALUE("SMA_DEBUG", "No", !c.check);
  EXPECT_VALUE("SMA_INFO", "1", c.shmem_info);
  EXPECT_VALUE("SMA_SYMMETRIC_SIZE", "1G", std::string(c.symmetric_size) == "1G");
  EXPECT_VALUE("SHMEM_SYMMETRIC_HEAP_SIZE", "2G", std::string(c.symmetric_size) == "2G");
}

TEST_F(ConfigValues, TheNameWinsOverItsAliases) {
  setenv("SMA_SYMMETRIC_SIZE", "1G", 1);
  EXPECT_VALUE("SHMEM_SYMMETRIC_SIZE", "3G", std::string(c.symmetric_size) == "3G");
  unsetenv("SMA_SYMMETRIC_SIZE");
}

TEST_F(ConfigValues, RefusesWhatIsNotLegal) {
  EXPECT_REFUSED("UCCS_LOG", "loud", "one of error.warn.info.debug");
  EXPECT_REFUSED("UCCS_LOG", "err", "one of");
  EXPECT_REFUSED("UCCS_CHECK", "2", "0 or 1");
  EXPECT_REFUSED("UCCS_LANES", "65", "a whole number from 0 to 64");
  EXPECT_REFUSED("UCCS_LANES", "-1", "a whole number");
  EXPECT_REFUSED("UCCS_LANES", "1x", "a whole number");
  EXPECT_REFUSED("UCCS_LANES", "99999999999999999999", "a whole number");
  EXPECT_REFUSED("UCCS_TIMEOUT", "soon", "a time such as");
}

TEST(Config, TableIsConsistent) {
  size_t count;
  const ConfigEntry* entries = config_entries(&count);
  std::set<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    EXPECT_TRUE(names.insert(entries[i].name).second) << entries[i].name;
    EXPECT_LT(std::string(entries[i].name).size(), sizeof(ConfigName));
    EXPECT_STRNE(entries[i].help, "");
    EXPECT_TRUE(config_is_known(entries[i].name));
    uccs_config_entry_t shown;
    ASSERT_EQ(uccs_config_get(i, &shown), UCCS_OK);
    EXPECT_STREQ(shown.name, entries[i].name);
    EXPECT_STREQ(shown.origin, "");
    EXPECT_STREQ(shown.value, entries[i].default_text);
  }
  uccs_config_entry_t none;
  EXPECT_EQ(uccs_config_get(count, &none), UCCS_ERR_NOT_FOUND);
}

TEST(Config, ShowsWhereAValueComesFrom) {
  setenv("SMA_SYMMETRIC_SIZE", "8M", 1);
  uccs_config_entry_t shown;
  ASSERT_EQ(uccs_config_get(0, &shown), UCCS_OK);
  EXPECT_STREQ(shown.origin, "SMA_SYMMETRIC_SIZE");
  EXPECT_STREQ(shown.value, "8M");
  unsetenv("SMA_SYMMETRIC_SIZE");
}

TEST(Config, NearestName) {
  EXPECT_STREQ(config_nearest("SHMEM_SYMETRIC_SIZE"), "SHMEM_SYMMETRIC_SIZE");
  EXPECT_STREQ(config_nearest("SHMEM_SYMMETRIC_SIEZ"), "SHMEM_SYMMETRIC_SIZE");
  EXPECT_STREQ(config_nearest("SMA_SYMETRIC_SIZE"), "SHMEM_SYMMETRIC_SIZE");
  EXPECT_STREQ(config_nearest("UCCS_LGO"), "UCCS_LOG");
  EXPECT_STREQ(config_nearest("UCCS_LANE"), "UCCS_LANES");
  EXPECT_EQ(config_nearest("UCCS_SOMETHING_ELSE"), nullptr);
  EXPECT_EQ(config_nearest(std::string(500, 'X').c_str()), nullptr);
}

TEST(Config, KnowsForeignNames) {
  for (const char* name : {"SHMEM_CC", "SHMEM_CXX", "SHMEM_FC", "SHMEM_LAUNCHER", "UCCS_LOCAL_JOB"})
    EXPECT_TRUE(config_is_known(name)) << name;
  EXPECT_FALSE(config_is_known("UCCS_LO"));
  EXPECT_FALSE(config_is_known("UCCS_LOGG"));
}

[[noreturn]] void warn_twice_and_exit() {
  setenv("UCCS_LGO", "1", 1);
  setenv("SHMEM_TOTALLY_UNRELATED", "1", 1);
  setenv("SHMEM_CC", "gcc", 1);
  config_warn_unknown();
  config_warn_unknown();
  exit(0);
}

TEST_F(ConfigValues, WarnsOnceAboutUnknownNames) {
  EXPECT_EXIT(warn_twice_and_exit(), testing::ExitedWithCode(0),
              "^uccs: pid [0-9]+: warning: UCCS_LGO is no setting of UCCS: did you mean UCCS_LOG.\n"
              "uccs: pid [0-9]+: warning: SHMEM_TOTALLY_UNRELATED is no setting of UCCS "
              ".uccs-info --config lists them.\n$");
}

}  // namespace
}  // namespace uccs::base
