/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Model of src/models/shmem/locks.cpp for spin: PES processes take and release the lock ROUNDS times each,
 * by shmem_set_lock or shmem_test_lock. Every line between two semicolons is one atomic access to
 * memory. Claims: one holder at a time, in the order of the exchanges of `tail`, and nobody waits for
 * ever (spin finds processes that do not end by itself).
 *
 * With MISTAKE the uncontended path clears its node by a store after the exchange, as the first
 * version did: a successor that has just announced itself is lost. The test wants spin to find that.
 */
#ifndef PES
#define PES 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

byte tail = 0;       /* last PE of the queue + 1 */
bool waits[PES];     /* the two parts of `node` */
byte successor[PES]; /* + 1 */

byte holders = 0, tickets = 0, served = 0;

inline critical_section(ticket) {
  holders++;
  assert(holders == 1 && served == ticket);
  served++;
  holders--;
}

inline set_lock(me, before, ticket) {
#ifdef MISTAKE
  d_step { waits[me] = true; successor[me] = 0; }
#else
  d_step { waits[me] = false; successor[me] = 0; }
#endif
  d_step { before = tail; tail = me + 1; ticket = tickets; tickets++; }
  if
  :: before == 0 ->
#ifdef MISTAKE
    d_step { waits[me] = false; successor[me] = 0; }
#else
    skip
#endif
  :: else ->
    waits[me] = true;                /* fetch_or */
    successor[before - 1] = me + 1;  /* fetch_or */
    !waits[me]
  fi;
  before = 0
}

inline clear_lock(me, next) {
  next = successor[me];
  if
  :: next == 0 ->
    if
    :: d_step { tail == me + 1 -> tail = 0 }
    :: d_step { tail != me + 1 -> next = 255 }
    fi;
    if
    :: next == 255 -> successor[me] != 0; next = successor[me]
    :: else
    fi
  :: else
  fi;
  if
  :: next != 0 -> waits[next - 1] = false; /* fetch_and */
  :: else
  fi;
  next = 0
}

proctype pe(byte me) {
  byte round = 0, before = 0, next = 0, ticket = 0;
  do
  :: round < ROUNDS ->
    if
    :: set_lock(me, before, ticket);
      critical_section(ticket);
      clear_lock(me, next)
    :: d_step { waits[me] = false; successor[me] = 0; } /* test_lock */
      if
      :: d_step { tail == 0 -> tail = me + 1; ticket = tickets; tickets++; }
        critical_section(ticket);
        clear_lock(me, next)
      :: d_step { tail != 0 -> skip }
      fi
    fi;
    round++
  :: else -> break
  od
}

init {
  byte i = 0;
  atomic {
    do
    :: i < PES -> run pe(i); i++
    :: else -> break
    od
  }
}
