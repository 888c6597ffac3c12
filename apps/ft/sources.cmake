# SPDX-License-Identifier: BSD-3-Clause
# The files of FT that do not communicate, for every program that is built from them.
set(FT_SOURCES classes.c main.c options.c problem.c report.c solve.c transform.c)
set(FT_HEADERS clock.h comm.h exchange.h options.h problem.h report.h solve.h transform.h)
list(TRANSFORM FT_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
list(TRANSFORM FT_HEADERS PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
