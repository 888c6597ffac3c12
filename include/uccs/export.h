// SPDX-License-Identifier: BSD-3-Clause
/// How UCCS's headers declare what the library exports.
#ifndef UCCS_EXPORT_H
#define UCCS_EXPORT_H

#if defined(__GNUC__)
/// Constants of the library.
#define UCCS_DATA __attribute__((visibility("default")))
#define UCCS_NODISCARD __attribute__((warn_unused_result))
#else
#define UCCS_DATA
#define UCCS_NODISCARD
#endif

/// Functions. A program calls them without the detour over its procedure linkage table, which takes
/// as long as an 8-byte put.
#if defined(__has_attribute)
#if __has_attribute(noplt)
#define UCCS_API __attribute__((visibility("default"), noplt))
#endif
#endif
#ifndef UCCS_API
#define UCCS_API UCCS_DATA
#endif

#endif
