// SPDX-License-Identifier: BSD-3-Clause
/* What a PE holds after init: under 4 MB resident, whatever the reserve of its heap. */
#include <stdio.h>

#include "check.h"

static long status_kib(const char* field) {
  FILE* file = fopen("/proc/self/status", "r");
  char line[256], format[64];
  long value = -1;
  snprintf(format, sizeof format, "%s: %%ld kB", field);
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, format, &value) == 1) break;
  if (file) fclose(file);
  return value;
}

int main(void) {
  shmem_init();
  shmem_barrier_all();
  const long resident = status_kib("VmRSS"), shared = status_kib("RssShmem");
  if (shmem_my_pe() == 0)
    printf("resident %ld KiB, of it shared memory %ld KiB\n", resident, shared);
  CHECK(resident > 0 && resident < 4096);
  shmem_finalize();
  return 0;
}
