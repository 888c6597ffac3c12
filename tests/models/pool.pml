/* SPDX-License-Identifier: BSD-3-Clause */
/* The pool of src/base/pool.hpp: the owner takes objects, GIVERS threads give them back by
 * compare-and-swap onto a list that the owner takes whole.
 *
 * TAKES objects change hands, in all interleavings. Asserted: no object is taken while it is taken, and
 * none is lost: in the end all are fresh or on one of the two lists.
 *
 * -DFAULT=1 empties the returned list by a load and a store, not by an exchange: the model must then fail
 * (the ctest checks that, too).
 */
#ifndef GIVERS
#define GIVERS 2
#endif
#ifndef TAKES
#define TAKES 6
#endif
#ifndef CAPACITY
#define CAPACITY 3
#endif
#ifndef FAULT
#define FAULT 0
#endif
#define NONE 0 /* objects are 1 to CAPACITY */

byte next[CAPACITY + 1];
bool is_taken[CAPACITY + 1];
byte own, returned, used;
chan handed = [CAPACITY] of { byte };
byte given;

proctype Giver() {
  byte object, head;
  do
  :: handed?object ->
    is_taken[object] = false;
    head = returned;
retry:
    next[object] = head;
    atomic {
      if
      :: returned == head -> returned = object; head = NONE
      :: else -> head = returned; goto retry
      fi
    }
    given++
  :: given == TAKES && empty(handed) -> break
  od
}

active proctype Owner() {
  byte object, takes;
  byte i;
  for (i : 1 .. GIVERS) { run Giver() }
  do
  :: takes == TAKES -> break
  :: takes < TAKES ->
    object = NONE;
    if
    :: own == NONE ->
      if
      :: returned != NONE ->
#if FAULT == 1
        own = returned;
        returned = NONE
#else
        atomic { own = returned; returned = NONE }
#endif
      :: else ->
        if
        :: used < CAPACITY -> used++; object = used
        :: else
        fi
      fi
    :: else
    fi;
    if
    :: object == NONE && own != NONE -> object = own; own = next[own]
    :: else
    fi;
    if
    :: object != NONE ->
      assert(!is_taken[object]);
      is_taken[object] = true;
      takes++;
      handed!object
    :: else
    fi
  od;
  (given == TAKES);
  /* All are somewhere. */
  takes = CAPACITY - used;
  for (i : 1 .. CAPACITY) {
    if
    :: own != NONE -> takes++; own = next[own]
    :: else
    fi
  }
  for (i : 1 .. CAPACITY) {
    if
    :: returned != NONE -> takes++; returned = next[returned]
    :: else
    fi
  }
  assert(takes == CAPACITY && own == NONE && returned == NONE)
}
