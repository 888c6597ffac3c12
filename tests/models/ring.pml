/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring of src/base/ring.hpp: PRODUCERS producers, one consumer, CAPACITY slots that say by their
 * generation whether they are filled; the consumer publishes its head every quarter; producers keep
 * what they saw of it.
 *
 * Each producer sends EACH messages, in all interleavings. Asserted: no slot is written while its
 * message has not been read, none is read before it is written, nothing is lost or doubled, each
 * producer's messages arrive in order, and head <= position <= tail <= head + CAPACITY. A ring that
 * stays full is a deadlock.
 * Generations wrap at GENERATIONS (256 in the code): two suffice.
 *
 * These leave out a rule, and the model must then fail (the ctest checks that, too):
 * -DFAULT=1 the word is stored before the data, -DFAULT=2 head is published before the slot was read,
 * -DFAULT=3 head is published less often than once in a ring.
 */
#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef EACH
#define EACH 5
#endif
#ifndef CAPACITY
#define CAPACITY 4
#endif
#ifndef GENERATIONS
#define GENERATIONS 2
#endif
#ifndef FAULT
#define FAULT 0
#endif
#if FAULT == 3
#define QUARTER (CAPACITY + 1)
#else
#define QUARTER (CAPACITY / 4)
#endif

#define SLOT(position) ((position) % CAPACITY)
#define GENERATION(position) (((position) / CAPACITY + 1) % GENERATIONS)

byte tail, head_seen, head; /* positions: they do not wrap in so few messages */
byte generation[CAPACITY];
byte data[CAPACITY];        /* producer * EACH + number + 1; 0: read, or never written */
byte position;              /* the consumer's */

inline fill(at) {
  assert(data[SLOT(at)] == 0); /* what was there has been read */
  data[SLOT(at)] = me * EACH + sent + 1
}
inline commit(at) { generation[SLOT(at)] = GENERATION(at) }

proctype Producer(byte me) {
  byte sent, mine, seen;
  bool has_room;
  do
  :: sent == EACH -> break
  :: else ->
    mine = tail;
retry:
    has_room = true;
    if
    :: mine < head_seen || mine >= head_seen + CAPACITY -> /* unsigned difference */
      seen = head;
      if
      :: mine < seen -> mine = tail; goto retry /* others went on meanwhile */
      :: mine >= seen && mine >= seen + CAPACITY -> has_room = false
      :: else -> head_seen = seen
      fi
    :: else
    fi;
    if
    :: !has_room -> /* UCCS_AGAIN: the caller comes again when something has changed */
      tail < head + CAPACITY
    :: else ->
      atomic { /* compare-and-swap */
        if
        :: tail == mine -> tail = mine + 1
        :: else -> mine = tail; goto retry
        fi
      };
      assert(tail <= head + CAPACITY || FAULT);
#if FAULT == 1
      commit(mine);
      fill(mine);
#else
      fill(mine);
      commit(mine);
#endif
      sent++
    fi
  od
}

proctype Consumer() {
  byte taken, value, published;
  byte next[PRODUCERS];
  do
  :: taken == PRODUCERS * EACH -> break
  :: else ->
    generation[SLOT(position)] == GENERATION(position); /* peek */
#if FAULT == 2
    head = position + 1;
#endif
    value = data[SLOT(position)];
    assert(value != 0); /* it has been written */
    value = value - 1;
    assert(value % EACH == next[value / EACH]); /* in order, once */
    next[value / EACH] = next[value / EACH] + 1;
    data[SLOT(position)] = 0;
    position = position + 1;
    taken++;
    if
    :: position - published >= QUARTER -> published = position; head = position
    :: else
    fi;
    assert(head <= position || FAULT)
  od;
  assert(generation[SLOT(position)] != GENERATION(position) || tail > position)
}

init {
  byte p;
  atomic {
    do
    :: p < PRODUCERS -> run Producer(p); p++
    :: else -> break
    od;
    run Consumer()
  }
}
