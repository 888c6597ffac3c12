// SPDX-License-Identifier: BSD-3-Clause
#include "options.hpp"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iterator>
#include <string>
#include <vector>

#include "foreign.hpp"
#include "rte/local/wire.hpp"

namespace uccs::run {
namespace {

constexpr const char* kUsage =
    "Usage: uccsrun -n N [options] [--] program [arguments]\n"
    "Starts N processes (ECs) of a UCCS program, or of any other.\n"
    "\n"
    "  -n, -np, --np N      number of ECs, 1 to 4096\n"
    "  --bind WHERE         bind each EC to one core or socket; none (default), core, socket\n"
    "  --timeout SECONDS    end the job after this time (also 90s, 1.5m, 2h; default: the\n"
    "                       environment variable UCCS_TIMEOUT, or never)\n"
    "  -l, --tag-output     put `[EC] ` before every line of output\n"
    "  -x NAME[=VALUE]      set an environment variable for the ECs (repeatable)\n"
    "  --wdir DIRECTORY     start the ECs there; the program is found from there, too\n"
    "  --hosts A,B          run on these hosts (also --host), or on those of a file\n"
    "  --hostfile FILE      (--hostfile): the job is handed to srun, prterun, mpirun or\n"
    "                       mpiexec.hydra, as it is inside a Slurm allocation\n"
    "  --launcher WHICH     auto (default), local (here, by this program), or one of these four\n"
    "                       (default: the environment variable OSHRUN_LAUNCHER)\n"
    "  -v, --verbose        say what is started and how it ended\n"
    "  --version            print the version\n"
    "  -h, --help           print this\n"
    "\n"
    "Common options of mpirun, mpiexec and srun are taken as ours (--bind-to, -genv, -ppn, ...) "
    "or\n"
    "ignored (--oversubscribe, --allow-run-as-root, -mca NAME VALUE, ...).\n"
    "\n"
    "Standard input goes to EC 0. SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGTSTP and SIGCONT\n"
    "are passed on to all ECs, a second SIGINT kills them. SIGUSR2 prints where each EC waits.\n"
    "Exit status: that of the first EC that failed (128 + signal number if it was killed) or of\n"
    "the global exit; 2 wrong usage, 124 timeout, 126 not executable, 127 not found.\n";

[[noreturn]] __attribute__((format(printf, 1, 2))) void refuse(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("uccsrun: ", stderr);
  vfprintf(stderr, format, arguments);
  fputs(" (uccsrun --help lists the options)\n", stderr);
  va_end(arguments);
  exit(kExitUsage);
}

int parse_count(const char* text) {
  errno = 0;
  char* end;
  const long value = strtol(text, &end, 10);
  if (end == text || *end != '\0') refuse("-n %s: the number of ECs must be a whole number", text);
  if (errno != 0 || value < 1 || value > rte::local::kEcsMax)
    refuse("-n %s: the number of ECs must be from 1 to %d", text, rte::local::kEcsMax);
  return static_cast<int>(value);
}

/// Seconds, or a number with ns, us, ms, s, m or h: what the setting UCCS_TIMEOUT may be.
uint64_t parse_timeout(const char* name, const char* text) {
  struct Unit {
    const char* name;
    double ns;
  };
  constexpr Unit kUnits[] = {{"", 1e9},  {"ns", 1},   {"us", 1e3},  {"ms", 1e6},
                             {"s", 1e9}, {"m", 6e10}, {"h", 3.6e12}};
  const size_t digits = strspn(text, "0123456789.");
  const std::string number(text, digits);  // strtod alone would take hexadecimal and "inf", too
  char* end;
  const double value = strtod(number.c_str(), &end);
  for (const Unit& unit : kUnits)
    if (digits > 0 && *end == '\0' && strcmp(text + digits, unit.name) == 0 &&
        value * unit.ns < 1e18)
      return static_cast<uint64_t>(value * unit.ns);
  refuse("%s %s: the time limit must be a number of seconds, or one with s, m or h", name, text);
}

Binding parse_binding(const char* text) {
  if (strcmp(text, "none") == 0) return Binding::kNone;
  if (strcmp(text, "core") == 0) return Binding::kCore;
  if (strcmp(text, "socket") == 0) return Binding::kSocket;
  refuse("--bind %s: the choices are none, core and socket", text);
}

std::string parse_variable(const char* text) {
  const size_t name_length = strcspn(text, "=");
  if (name_length == 0) refuse("-x %s: a variable needs a name", text);
  if (text[name_length] == '=') return text;
  const char* value = getenv(text);
  if (value == nullptr) refuse("-x %s: the variable is not set; use -x %s=VALUE", text, text);
  return std::string(text) + "=" + value;
}

enum LongOption : int {
  kHelp = 256,
  kVersion,
  kBind,
  kTimeout,
  kDirectory,
  kHosts,
  kHostFile,
  kLauncher
};

constexpr option kLongOptions[] = {{"np", required_argument, nullptr, 'n'},
                                   {"bind", required_argument, nullptr, kBind},
                                   {"timeout", required_argument, nullptr, kTimeout},
                                   {"tag-output", no_argument, nullptr, 'l'},
                                   {"wdir", required_argument, nullptr, kDirectory},
                                   {"verbose", no_argument, nullptr, 'v'},
                                   {"version", no_argument, nullptr, kVersion},
                                   {"help", no_argument, nullptr, kHelp},
                                   {"host", required_argument, nullptr, kHosts},
                                   {"hosts", required_argument, nullptr, kHosts},
                                   {"hostfile", required_argument, nullptr, kHostFile},
                                   {"launcher", required_argument, nullptr, kLauncher},
                                   {nullptr, 0, nullptr, 0}};

/// Output that a script waits for must not be lost unnoticed.
[[noreturn]] void print_and_exit(const char* text) {
  const bool is_written = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
  exit(is_written ? 0 : 1);
}

void apply(int option_char, const char* argument, Options* options) {
  switch (option_char) {
    case 'n':
      options->num_ecs = parse_count(argument);
      break;
    case 'x':
      options->environment.push_back(parse_variable(argument));
      break;
    case 'l':
      options->is_tagged = true;
      break;
    case 'v':
      options->is_verbose = true;
      break;
    case kBind:
      options->binding = parse_binding(argument);
      options->is_binding_given = true;
      break;
    case kTimeout:
      options->timeout_ns = parse_timeout("--timeout", argument);
      break;
    case kDirectory:
      options->directory = argument;
      break;
    case kHosts:
      if (*argument == '\0') refuse("--hosts: name at least one host");
      options->hosts = argument;
      break;
    case kHostFile:
      if (access(argument, R_OK) != 0) refuse("--hostfile %s: %s", argument, strerror(errno));
      options->hostfile = argument;
      break;
    case kLauncher:
      options->launcher = argument;
      break;
    case 'h':
    case kHelp:
      print_and_exit(kUsage);
    case kVersion:
      print_and_exit("uccsrun " UCCS_VERSION "\n");
    default:
      break;
  }
}

/// The option of ours with this name, as getopt would have returned it.
int our_option(const std::string& name) {
  for (const option& ours : kLongOptions)
    if (ours.name != nullptr && name == ours.name) return ours.val;
  return name[0];
}

/// ECs per node: there is one node, so they are all of them.
void apply_per_node(int per_node, Options* options) {
  if (options->num_ecs == 0) options->num_ecs = per_node;
  if (options->num_ecs > per_node)
    refuse("%d ECs of which %d on each node: leave out how many are on each, -n says enough",
           options->num_ecs, per_node);
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options options;
  if (const char* limit = getenv("UCCS_TIMEOUT"); limit != nullptr && *limit != '\0')
    options.timeout_ns = parse_timeout("UCCS_TIMEOUT", limit);
  opterr = 0;
  int per_node = 0;
  std::vector<option> known(std::begin(kLongOptions), std::end(kLongOptions) - 1);
  add_foreign_options(&known);
  known.push_back({nullptr, 0, nullptr, 0});
  while (true) {
    // '+': what follows the program belongs to it.
    const int argument_index = optind;
    const int found = getopt_long_only(argc, argv, "+:n:x:lvh", known.data(), nullptr);
    if (found == -1) break;
    if (found == '?')
      refuse("%s: no such option, or short for more than one", argv[argument_index]);
    if (found == ':') refuse("%s: the option needs a value", argv[argument_index]);
    if (found < kForeignOption) {
      apply(found, optarg, &options);
      continue;
    }
    const Translation meant = translate_foreign_option(found, optarg, argv, &optind);
    if (!meant.refusal.empty()) refuse("%s", meant.refusal.c_str());
    if (meant.option == "N")
      per_node = parse_count(meant.value.c_str());
    else if (!meant.option.empty())
      apply(our_option(meant.option), meant.value.c_str(), &options);
  }
  if (per_node != 0) apply_per_node(per_node, &options);
  if (options.num_ecs == 0) refuse("say how many ECs to start: -n N");
  if (optind >= argc) refuse("say which program to start");
  options.command = argv + optind;
  if (*options.command[0] == '\0') refuse("the name of the program is empty");
  return options;
}

}  // namespace uccs::run
