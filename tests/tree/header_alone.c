// SPDX-License-Identifier: BSD-3-Clause
// What the compilation of a header alone needs beside it: a declaration, for headers of macros.
extern int one_declaration;
