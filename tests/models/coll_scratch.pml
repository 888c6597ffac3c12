/* SPDX-License-Identifier: BSD-3-Clause */
/* A group's scratch comes back clean (src/coll/group.cpp): members release a group by a dissemination
 * barrier, each then zeroes its own scratch and marks the number free; a number is given away again
 * when all members of a parent say that it is free, and who leaves that agreement first writes into
 * the others' scratch at once.
 *
 * There is one number. First all three members make a group of it, then members 0 and 1, whose
 * parent does not know member 2, and then all three again. Each group is used for one central barrier
 * (a counter at member 0 that the others poll) and one round of signals. A signal or an arrival lost
 * to somebody's zeroing is a deadlock; one left over from an earlier group lets somebody leave a
 * barrier early, which is asserted.
 * -DRELEASE=CENTRAL releases with the barrier of oversubscribed groups instead, -DRELEASE=NONE with
 * none: the model must then fail.
 */
#define MEMBERS 3
#define ROUNDS 2
#define CYCLES 3
#define NONE 0
#define CENTRAL 1
#define DISSEMINATION 2
#ifndef RELEASE
#define RELEASE DISSEMINATION
#endif

#define SIZE(cycle) (MEMBERS - (cycle) % 2) /* 3, 2, 3 */

byte counter[MEMBERS];                       /* scratch: the central barrier's */
byte flag[MEMBERS * ROUNDS];                 /* scratch: dissemination's */
byte agreed[CYCLES];                         /* the parents' agreements */
byte entered[CYCLES];                        /* members that use the group, for the assertion */

inline central() {
  centrals++;
  d_step { counter[0] = counter[0] + 1 };
  counter[0] >= centrals * SIZE(cycle)
}

inline disseminate() {
  number++;
  round = 0;
  do
  :: (1 << round) < SIZE(cycle) ->
     flag[((me + (1 << round)) % SIZE(cycle)) * ROUNDS + round] = number;
     flag[me * ROUNDS + round] >= number;
     round++
  :: else -> break
  od
}

inline use_and_release() {
  /* An exchange in the parent, which nobody leaves before all have entered. */
  agreed[cycle]++;
  agreed[cycle] == SIZE(cycle);
  number = 0;
  centrals = 0;
  entered[cycle]++;
  central();
  assert(entered[cycle] == SIZE(cycle));
  disseminate();
  central();
  if
  :: RELEASE == DISSEMINATION -> disseminate()
  :: RELEASE == CENTRAL -> central()
  :: else
  fi;
  counter[me] = 0;
  for (i : 0 .. ROUNDS - 1) { flag[me * ROUNDS + i] = 0 }
}

proctype Member(byte me) {
  byte cycle, number, centrals, round, i;
  for (cycle : 0 .. CYCLES - 1) {
    if
    :: me < SIZE(cycle) -> use_and_release()
    :: else
    fi
  }
}

init {
  byte i;
  atomic {
    for (i : 0 .. MEMBERS - 1) { run Member(i) }
  }
}
