/* SPDX-License-Identifier: BSD-3-Clause */
/* The parcels of src/core/parcel.cpp: THREADS threads append records for one target and then wait for all that came
 * before, ROUNDS times. A parcel is filled by all, closed by whoever waits or finds it full, and sent outside the
 * lock; what cannot leave is closed again, and anybody may send it. Answers come in any order.
 *
 * Asserted, in all interleavings: who has waited has the answers to all that it appended. In some end state
 * all have waited: nobody is left with a parcel that no one sends (no deadlock; spin's own check).
 *
 * -DFAULT=1 numbers a parcel when it is closed, not when its first record comes; -DFAULT=2 lets flushes wait for
 * what has left only; -DFAULT=3 takes the last closed one's number for the oldest; -DFAULT=4 looks at what is awaited
 * before it looks whether one is filled: the model must then fail (the ctest checks that, too).
 */
#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef PARCELS
#define PARCELS 4
#endif
#ifndef FAULT
#define FAULT 0
#endif
#define NONE 255

mtype = { FREE, OPEN, CLOSED, POSTED, OUT };
typedef Parcel { mtype state; byte number; bool has[THREADS] };
Parcel parcels[PARCELS];
byte open;         /* the one that is filled */
byte flushes = 1;  /* that have begun */
byte last_closed = NONE;
byte filled;       /* with records; less one only after it is closed */
byte out;          /* parcels whose answers are to come */
byte working = THREADS;

inline is_any_in(p, which) {
  p = 0;
  do
  :: p < PARCELS && parcels[p].state != which -> p++
  :: else -> break
  od
}

inline is_empty(result) {
  result = true;
  for (t : 0 .. THREADS - 1) { result = result && !parcels[open].has[t] }
}

inline close_open(p) {
  is_any_in(p, FREE);
  if
  :: p < PARCELS ->
#if FAULT == 1
    parcels[open].number = flushes;
#endif
    parcels[open].state = CLOSED;
    last_closed = open;
    open = p;
    parcels[p].state = OPEN;
    closed++
  :: else  /* the model's memory ends here: later */
  fi
}

inline is_any_awaited(result) {
  result = false;
  for (p : 0 .. PARCELS - 1) {
    result = result || parcels[p].state == CLOSED || parcels[p].state == POSTED || parcels[p].state == OUT
  }
}

inline look_for_older(result, flush) {
  result = false;
  for (p : 0 .. PARCELS - 1) {
    if
#if FAULT == 2
    :: parcels[p].state == OUT && parcels[p].number < flush -> result = true
#elif FAULT == 3
    :: (parcels[p].state == CLOSED || parcels[p].state == POSTED || parcels[p].state == OUT) &&
       parcels[last_closed].number < flush -> result = true
#else
    :: (parcels[p].state == CLOSED || parcels[p].state == POSTED || parcels[p].state == OUT) &&
       parcels[p].number < flush -> result = true
#endif
    :: else
    fi
  }
}

inline answer(p) {
  parcels[p].state = FREE;
  out--;
  for (t : 0 .. THREADS - 1) { parcels[p].has[t] = false }
}

proctype Thread(byte me) {
  byte round, p, t, flush, closed;
  bool flag, is_filled;
  for (round : 1 .. ROUNDS) {
    atomic {  /* append: under the lock */
      is_empty(flag);
      if
      :: flag -> parcels[open].number = flushes; filled++
      :: else
      fi;
      parcels[open].has[me] = true
    }
    if  /* it was full: whoever appends may close it as well */
    :: atomic { is_empty(flag); if :: !flag -> close_open(p) :: else fi }
    :: skip
    fi;
    atomic { filled = filled - closed; closed = 0 };
#if THREADS == 2 /* with more, too many states */
#if FAULT == 4
    atomic { is_any_awaited(flag) };
    is_filled = filled > 0;
#else
    is_filled = filled > 0;
    atomic { is_any_awaited(flag) };
#endif
    if  /* nothing to wait for */
    :: !is_filled && !flag -> goto over
    :: else
    fi;
#endif
    atomic { flushes++; flush = flushes };
look:
    atomic {
      is_empty(flag);
      if
      :: !flag && parcels[open].number < flush -> close_open(p)
      :: else
      fi
    };
    atomic { filled = filled - closed; closed = 0 };
    atomic {  /* send_closed */
      is_any_in(p, CLOSED);
      if
      :: p < PARCELS -> parcels[p].state = POSTED
      :: else -> p = NONE
      fi
    };
    if
    :: p != NONE ->
      if
      :: parcels[p].state = CLOSED  /* not now */
      :: atomic { parcels[p].state = OUT; out++ }
      fi
    :: else
    fi;
    atomic {
      is_empty(flag);
      if
      :: !flag && parcels[open].number < flush -> flag = true
      :: else -> look_for_older(flag, flush)
      fi
    };
    if
    :: flag -> goto look
    :: else
    fi;
over:
    skip;
    for (p : 0 .. PARCELS - 1) {
      assert(parcels[p].state == FREE || !parcels[p].has[me])
    }
  }
  working--
}

active proctype Answers() {
  byte p, t;
  atomic {
    for (p : 0 .. PARCELS - 1) { parcels[p].state = FREE };
    parcels[0].state = OPEN;
    for (t : 0 .. THREADS - 1) { run Thread(t) }
  }
  do
  :: working == 0 -> break
  :: atomic { out > 0 -> is_any_in(p, OUT); answer(p) }
  :: atomic {  /* the last one */
      out > 0 ->
      p = PARCELS - 1;
      do
      :: parcels[p].state != OUT -> p--
      :: else -> break
      od;
      answer(p)
    }
  od
}
