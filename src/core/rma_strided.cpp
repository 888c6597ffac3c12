// SPDX-License-Identifier: BSD-3-Clause
/// Puts and gets of array sections.
#include "core/transfer.hpp"
#include "mem/copy.hpp"
#include "uccs/rma.h"

namespace uccs::core {
namespace {

bool read_section(const ptrdiff_t local_strides[], const ptrdiff_t remote_strides[],
                  const size_t counts[], size_t levels, Section* section_out) {
  if (levels > UCCS_STRIDED_LEVELS_MAX || !counts) return false;
  if (levels > 0 && (!local_strides || !remote_strides)) return false;
  section_out->levels = levels;
  for (size_t i = 0; i <= levels; ++i) section_out->counts[i] = counts[i];
  for (size_t i = 0; i < levels; ++i) {
    section_out->local_strides[i] = local_strides[i];
    section_out->remote_strides[i] = remote_strides[i];
  }
  return true;
}

bool is_empty(const Section& section) {
  for (size_t i = 0; i <= section.levels; ++i)
    if (section.counts[i] == 0) return true;
  return false;
}

/// How far the remote side reaches below and above its first byte.
void remote_span(const Section& section, size_t* below_out, size_t* bytes_out) {
  size_t below = 0, above = section.counts[0];
  for (size_t i = 0; i < section.levels; ++i) {
    const ptrdiff_t stride = section.remote_strides[i];
    const size_t steps = section.counts[i + 1] - 1;
    if (stride < 0) {
      below += steps * static_cast<size_t>(-stride);
    } else {
      above += steps * static_cast<size_t>(stride);
    }
  }
  *below_out = below;
  *bytes_out = below + above;
}

uccs_status_t move_section(Endpoint* endpoint, bool is_put, uccs_region_t region,
                           const void* remote, void* local, const Section& section,
                           uccs_request_t* request_out) {
  if (is_empty(section)) return answer_done(request_out);
  size_t below, bytes;
  remote_span(section, &below, &bytes);
  Target target;
  const auto* lowest = static_cast<const std::byte*>(remote) - below;
  const uccs_status_t found = resolve(endpoint, region, lowest, bytes, &target);
  if (found != UCCS_OK) return found;
  Walk walk = Walk::strided(local, below, section);
  if (!target.mapped)
    return start_transfer(endpoint, is_put, target, walk, false, nullptr, request_out);
  for (Run run; walk.next(&run);) {
    std::byte* there = target.mapped + run.remote;
    mem::copy(is_put ? there : run.local, is_put ? run.local : there, run.bytes);
  }
  return answer_done(request_out);
}

}  // namespace
}  // namespace uccs::core

extern "C" {

using namespace uccs::core;

uccs_status_t uccs_put_strided_nb(uccs_endpoint_t endpoint, uccs_region_t region, void* dest,
                                  const ptrdiff_t dest_strides[], const void* source,
                                  const ptrdiff_t source_strides[], const size_t counts[],
                                  size_t levels, uccs_request_t* request_out) {
  Section section;
  if (!read_section(source_strides, dest_strides, counts, levels, &section))
    return UCCS_ERR_INVALID;
  return move_section(endpoint, true, region, dest, const_cast<void*>(source), section,
                      request_out);
}

uccs_status_t uccs_get_strided_nb(uccs_endpoint_t endpoint, uccs_region_t region, void* dest,
                                  const ptrdiff_t dest_strides[], const void* source,
                                  const ptrdiff_t source_strides[], const size_t counts[],
                                  size_t levels, uccs_request_t* request_out) {
  Section section;
  if (!read_section(dest_strides, source_strides, counts, levels, &section))
    return UCCS_ERR_INVALID;
  return move_section(endpoint, false, region, source, dest, section, request_out);
}

}  // extern "C"
