/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring of lines of src/coll/lines.hpp: members that make the same collectives take the same lines
 * without talking, and no line is written again before its reader is done with it.
 *
 * All sequences of CALLS collectives (broadcast from any root, full exchange, barrier) by MEMBERS
 * members with a ring of LINES lines, in all interleavings. A reader asserts that the payload it
 * reads is that of the position it waits for; a lost or overrun line is a deadlock.
 * -DGUARD=0 leaves out the guard: the model must then fail (the ctest checks that, too).
 */
#ifndef MEMBERS
#define MEMBERS 2
#endif
#ifndef LINES
#define LINES 4 /* at least two exchanges */
#endif
#ifndef CALLS
#define CALLS 7
#endif
#ifndef GUARD
#define GUARD 1
#endif

#define BARRIER 0
#define EXCHANGE 1
#define BROADCAST 2 /* + root */

byte call[CALLS];             /* the program, the same for all */
byte sequence[MEMBERS * LINES]; /* 0: nothing yet; position + 1 */
byte payload[MEMBERS * LINES];  /* the position that wrote it */
byte arrived;                 /* central barrier */
bool is_chosen;

#define LINE(member, position) ((member) * LINES + (position) % LINES)

inline post(to, position) {
  payload[LINE(to, position)] = position;
  sequence[LINE(to, position)] = position + 1
}

inline await(position) {
  sequence[LINE(me, position)] == position + 1;
  assert(payload[LINE(me, position)] == position)
}

inline synchronise() {
  barriers++;
  arrived++;
  arrived >= barriers * MEMBERS;
  safe = claimed
}

/* Takes `count` lines from `taken` on. */
inline claim(count) {
  if
  :: GUARD && claimed + count > safe + LINES -> synchronise()
  :: else
  fi;
  taken = claimed;
  claimed = claimed + count
}

proctype Member(byte me) {
  byte step, claimed, safe, taken, i, barriers;
  is_chosen;
  do
  :: step == CALLS -> break
  :: else ->
     if
     :: call[step] == BARRIER -> synchronise()
     :: call[step] == EXCHANGE ->
        claim(MEMBERS);
        for (i : 0 .. MEMBERS - 1) {
          if
          :: i != me -> post(i, taken + me)
          :: else
          fi
        }
        for (i : 0 .. MEMBERS - 1) {
          if
          :: i != me -> await(taken + i)
          :: else
          fi
        }
        safe = taken /* all have entered this, so all have left what came before */
     :: call[step] == BROADCAST + me ->
        claim(1);
        for (i : 0 .. MEMBERS - 1) {
          if
          :: i != me -> post(i, taken)
          :: else
          fi
        }
     :: else ->
        claim(1);
        await(taken)
     fi;
     step++
  od
}

init {
  byte i;
  for (i : 0 .. CALLS - 1) {
    if
    :: call[i] = BARRIER
    :: call[i] = EXCHANGE
    :: call[i] = BROADCAST
    :: call[i] = BROADCAST + 1
    fi
  }
  atomic {
    for (i : 0 .. MEMBERS - 1) { run Member(i) }
    is_chosen = true
  }
}
