// SPDX-License-Identifier: BSD-3-Clause
#include "foreign.hpp"

#include <string.h>

namespace uccs::run {
namespace {

enum class Meaning : unsigned char {
  kIgnored,   // right for every job here, or about something that UCCS has not
  kOurs,      // our option `text`
  kVariable,  // NAME VALUE
  kBinding,   // what to bind to, in Open MPI's words
  kRefused,   // `text` says what to do
};

struct ForeignOption {
  const char* name;
  int num_values;
  Meaning meaning;
  const char* text;
};

constexpr const char* kOneProgram =
    "all ECs run one program; start `sh -c` with a case on the EC's number if they must differ";
constexpr const char* kFiles =
    "redirect the output of uccsrun, or start `sh -c 'exec program >file.$$'`";
constexpr const char* kDebugger = "start the debugger as the program: uccsrun -n 2 gdb --args ...";

constexpr ForeignOption kForeign[] = {
    {"oversubscribe", 0, Meaning::kIgnored, ""},
    {"nooversubscribe", 0, Meaning::kRefused, "ECs take turns when they outnumber the CPUs"},
    {"overcommit", 0, Meaning::kIgnored, ""},
    {"O", 0, Meaning::kIgnored, ""},
    {"allow-run-as-root", 0, Meaning::kIgnored, ""},
    {"use-hwthread-cpus", 0, Meaning::kIgnored, ""},
    {"report-bindings", 0, Meaning::kIgnored, ""},
    {"display-map", 0, Meaning::kIgnored, ""},
    {"display-allocation", 0, Meaning::kIgnored, ""},
    {"genvall", 0, Meaning::kIgnored, ""},
    {"envall", 0, Meaning::kIgnored, ""},
    {"export-all", 0, Meaning::kIgnored, ""},
    {"q", 0, Meaning::kIgnored, ""},
    {"quiet", 0, Meaning::kIgnored, ""},
    {"mca", 2, Meaning::kIgnored, ""},
    {"gmca", 2, Meaning::kIgnored, ""},
    {"omca", 2, Meaning::kIgnored, ""},
    {"prtemca", 2, Meaning::kIgnored, ""},
    {"pmixmca", 2, Meaning::kIgnored, ""},
    {"map-by", 1, Meaning::kIgnored, ""},
    {"rank-by", 1, Meaning::kIgnored, ""},
    {"ranks-by", 1, Meaning::kIgnored, ""},
    {"mpi", 1, Meaning::kIgnored, ""},
    {"prefix", 1, Meaning::kIgnored, ""},
    {"rmk", 1, Meaning::kIgnored, ""},
    {"bind-to", 1, Meaning::kBinding, ""},
    {"bind-to-core", 0, Meaning::kOurs, "bind=core"},
    {"bind-to-socket", 0, Meaning::kOurs, "bind=socket"},
    {"bind-to-none", 0, Meaning::kOurs, "bind=none"},
    {"ntasks", 1, Meaning::kOurs, "np"},
    {"N", 1, Meaning::kOurs, "N"},
    {"npernode", 1, Meaning::kOurs, "N"},
    {"ppn", 1, Meaning::kOurs, "N"},
    {"perhost", 1, Meaning::kOurs, "N"},
    {"ntasks-per-node", 1, Meaning::kOurs, "N"},
    {"H", 1, Meaning::kOurs, "hosts"},
    {"nodelist", 1, Meaning::kOurs, "hosts"},
    {"machinefile", 1, Meaning::kOurs, "hostfile"},
    {"f", 1, Meaning::kOurs, "hostfile"},
    {"wd", 1, Meaning::kOurs, "wdir"},
    {"chdir", 1, Meaning::kOurs, "wdir"},
    {"D", 1, Meaning::kOurs, "wdir"},
    {"label", 0, Meaning::kOurs, "tag-output"},
    {"prepend-rank", 0, Meaning::kOurs, "tag-output"},
    {"genv", 2, Meaning::kVariable, ""},
    {"env", 2, Meaning::kVariable, ""},
    {"output-filename", 1, Meaning::kRefused, kFiles},
    {"outfile-pattern", 1, Meaning::kRefused, kFiles},
    {"errfile-pattern", 1, Meaning::kRefused, kFiles},
    {"app", 1, Meaning::kRefused, kOneProgram},
    {"configfile", 1, Meaning::kRefused, kOneProgram},
    {"multi-prog", 0, Meaning::kRefused, kOneProgram},
    {"debug", 0, Meaning::kRefused, kDebugger},
    {"gdb", 0, Meaning::kRefused, kDebugger},
    {"xterm", 1, Meaning::kRefused, kDebugger},
    {"cpus-per-proc", 1, Meaning::kRefused,
     "ECs are not bound unless --bind says so; leave it out"},
    {"cpus-per-task", 1, Meaning::kRefused,
     "ECs are not bound unless --bind says so; leave it out"},
    {"cpu-set", 1, Meaning::kRefused, "start `taskset -c LIST uccsrun ...`"},
    {"cpu-list", 1, Meaning::kRefused, "start `taskset -c LIST uccsrun ...`"},
};

/// Our word for a place that Open MPI binds to, "" if there is none. What follows ':' are
/// modifiers.
const char* binding_of(const std::string& place) {
  struct Place {
    const char* theirs;
    const char* ours;
  };
  constexpr Place kPlaces[] = {{"none", "none"},     {"core", "core"},      {"hwthread", "core"},
                               {"socket", "socket"}, {"package", "socket"}, {"numa", "socket"}};
  for (const Place& known : kPlaces)
    if (place.substr(0, place.find(':')) == known.theirs) return known.ours;
  return "";
}

}  // namespace

void add_foreign_options(std::vector<option>* table) {
  int number = kForeignOption;
  for (const ForeignOption& foreign : kForeign)
    table->push_back({foreign.name, foreign.num_values == 0 ? no_argument : required_argument,
                      nullptr, number++});
}

Translation translate_foreign_option(int found, const char* value, char** argv, int* next) {
  const ForeignOption& foreign = kForeign[found - kForeignOption];
  const std::string name = std::string(strlen(foreign.name) > 1 ? "--" : "-") + foreign.name;
  const char* second = "";
  if (foreign.num_values == 2) {
    if (argv[*next] == nullptr) return {"", "", name + ": the option needs two values"};
    second = argv[(*next)++];
  }
  switch (foreign.meaning) {
    case Meaning::kIgnored:
      return {};
    case Meaning::kOurs: {
      const std::string ours = foreign.text;
      const size_t equals = ours.find('=');
      if (equals == std::string::npos) return {ours, value != nullptr ? value : "", ""};
      return {ours.substr(0, equals), ours.substr(equals + 1), ""};
    }
    case Meaning::kVariable:
      return {"x", std::string(value) + "=" + second, ""};
    case Meaning::kBinding: {
      const char* const ours = binding_of(value);
      if (*ours != '\0') return {"bind", ours, ""};
      return {"", "", name + " " + value + ": the choices of --bind are none, core and socket"};
    }
    case Meaning::kRefused:
      break;
  }
  return {"", "", name + ": another launcher's option: " + foreign.text};
}

}  // namespace uccs::run
