/* SPDX-License-Identifier: BSD-3-Clause */
/* The epochs of src/core/pack.cpp: THREADS threads send SENDS messages and wait until these are answered,
 * ROUNDS times; answers come in any order. Messages are counted by the parity of the epoch in which they
 * left, and an epoch ends when those of the one before have their answers.
 *
 * Asserted, in all interleavings: who has waited has the answers to all that it sent. That nobody waits for
 * ever while others go on sending is what the two counts are for.
 *
 * -DFAULT=1 ends an epoch without a look at the one before, -DFAULT=2 waits for the end of one epoch only,
 * -DFAULT=3 does not look whether the epoch has ended while a message was counted: the model must then fail
 * (the ctest checks that, too).
 */
#ifndef THREADS
#define THREADS 2
#endif
#ifndef SENDS
#define SENDS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef FAULT
#define FAULT 0
#endif

byte epoch;
byte under_way[2];
typedef Sent { byte open[2] };  /* by the parity that they are counted by */
Sent sent[THREADS];
byte working = THREADS;

proctype Thread(byte me) {
  byte i, round, parity, began, now;
  for (round : 1 .. ROUNDS) {
    for (i : 1 .. SENDS) {
again:
      began = epoch;
      parity = began % 2;
      under_way[parity]++;
#if FAULT != 3
      if
      :: epoch != began -> under_way[parity]--; goto again
      :: else
      fi;
#endif
      sent[me].open[parity]++
    }
    began = epoch;
look:
    now = epoch;
    if
    :: now == began ->
      if
#if FAULT == 0
      :: under_way[(began + 1) % 2] != 0 -> goto look
#endif
      :: else
      fi;
      atomic {
        if
        :: epoch == began -> epoch = began + 1
        :: else
        fi;
        now = epoch
      }
    :: else
    fi;
#if FAULT == 2
    goto over;
#endif
    if
    :: now - began > 1
    :: else ->
      if
      :: under_way[began % 2] != 0 -> goto look
      :: else
      fi
    fi;
over:
    assert(sent[me].open[0] == 0 && sent[me].open[1] == 0)
  }
  working--
}

active proctype Answers() {
  byte who, parity;
  for (who : 0 .. THREADS - 1) { run Thread(who) }
  do
  :: working == 0 -> break
  :: else ->
    select(who : 0 .. THREADS - 1);
    select(parity : 0 .. 1);
    if
    :: sent[who].open[parity] > 0 ->
      sent[who].open[parity]--;
      under_way[parity]--
    :: else
    fi
  od
}
