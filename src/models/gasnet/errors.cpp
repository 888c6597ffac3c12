// SPDX-License-Identifier: BSD-3-Clause
#include <gasnet.h>

namespace {

struct Error {
  int value;
  const char* name;
  const char* description;
};

constexpr Error kErrors[] = {
    {GASNET_OK, "GASNET_OK", "no error"},
    {GASNET_ERR_NOT_INIT, "GASNET_ERR_NOT_INIT",
     "GASNet is not initialized, or was initialized before"},
    {GASNET_ERR_RESOURCE, "GASNET_ERR_RESOURCE", "a resource is missing or has failed"},
    {GASNET_ERR_BAD_ARG, "GASNET_ERR_BAD_ARG", "an argument is out of its range"},
    {GASNET_ERR_NOT_READY, "GASNET_ERR_NOT_READY", "not complete or not available yet"},
    {GASNET_ERR_BARRIER_MISMATCH, "GASNET_ERR_BARRIER_MISMATCH",
     "the nodes' barriers do not match"},
};
constexpr Error kUnknown = {-1, "*unknown*", "no error of GASNet"};

const Error& find(int value) {
  for (const Error& error : kErrors)
    if (error.value == value) return error;
  return kUnknown;
}

}  // namespace

// The specification says `char*` for strings that nobody may write to.
extern "C" {
char* gasnet_ErrorName(int errval) { return const_cast<char*>(find(errval).name); }
char* gasnet_ErrorDesc(int errval) { return const_cast<char*>(find(errval).description); }
}
