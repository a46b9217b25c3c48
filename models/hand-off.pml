/*
 * The hand-off buffer: what src/sync/hand-off-buffer.ts does, between two crawlers and one builder.
 *
 * A permit is taken before an item is put and comes back after the builder has stored it, or at once when nothing was
 * put. The builder is called when the buffer is full, or when the crawlers have nothing more to bring: each for
 * itself (count-or-time; time stands still here) or all of a buffer together (HAND_OFF_FULL).
 */

#define FULL 1                       /* why the builder is called: exactly BUFFER_SIZE items wait */
#define FLUSH 2                      /* nobody brings more for now */

/* One more than fits, so that the model can show a buffer that is too full. */
#define SLOTS (BUFFER_SIZE + 1)
#define BUFFER_OF(crawler) ((crawler) / CRAWLERS_PER_BUFFER)
#define FIRST_OF(buffer) ((buffer) * CRAWLERS_PER_BUFFER)
#define USED(buffer) (held[FIRST_OF(buffer)] + held[FIRST_OF(buffer) + 1])
#define SLOT(buffer, place) item[(buffer) * SLOTS + (place)]
#define URL_OF(record) ((record) & 7)
#define OWNER_OF(record) ((record) >> 3)
#define IS_AT(buffer, place, u) (waiting[buffer] > (place) && URL_OF(SLOT(buffer, place)) == (u))
#define IS_IN_BUFFER(buffer, u) (IS_AT(buffer, 0, u) || IS_AT(buffer, 1, u))

byte held[NUM_CRAWLERS];             /* permits by owner, so that a dead owner's can be told from the others' */
byte waiting[NUM_BUFFERS];           /* items in each buffer */
byte item[NUM_BUFFERS * SLOTS];
byte due[NUM_BUFFERS];
#ifdef HAND_OFF_FULL
byte idle[NUM_BUFFERS];              /* crawlers of the buffer that have nothing left to bring */
#define CALLS(buffer) (idle[buffer] == CRAWLERS_PER_BUFFER)
#else
#define CALLS(buffer) true
#endif
#ifdef D5
byte passed[NUM_BUFFERS];            /* permits that went to the builder, with an item or without */
#define MET(buffer) passed[buffer]
#else
#define MET(buffer) waiting[buffer]
#endif

/* One CAS that takes a permit or leaves everything as it is. A crawler that is told to stop keeps its URL. */
#ifdef NO_PERMITS
#define FREE(buffer) true
#else
#define FREE(buffer) (USED(buffer) < BUFFER_SIZE)
#endif

inline takePermit(me) {
#ifdef INTERRUPT
  if
  :: atomic { FREE(BUFFER_OF(me)) -> held[me]++; permitted = true }
  :: STOPPED && !FREE(BUFFER_OF(me))
  fi
#else
  atomic { FREE(BUFFER_OF(me)) -> held[me]++ }
#endif
}

/* Publishes an item; whoever makes the buffer full calls the builder. */
inline put(me, u) {
  d_step {
    if
#ifndef NO_BUFFER_CHECK
    :: IS_IN_BUFFER(BUFFER_OF(me), u) ->
#ifdef D5
      passed[BUFFER_OF(me)]++        /* the seed: the permit goes on to the builder although nothing was put */
#else
      held[me]--
#endif
#endif
    :: else ->
      CLAIM(4, !IS_IN_BUFFER(BUFFER_OF(me), u));
      SLOT(BUFFER_OF(me), waiting[BUFFER_OF(me)]) = (u) | ((me) << 3);
      waiting[BUFFER_OF(me)]++;
      CLAIM(5, waiting[BUFFER_OF(me)] <= BUFFER_SIZE);
#ifdef D5
      passed[BUFFER_OF(me)]++
#endif
    fi;
    if
    :: MET(BUFFER_OF(me)) == BUFFER_SIZE -> due[BUFFER_OF(me)] = FULL
    :: else
    fi;
#ifndef INTERRUPT
    url = next;
    next = 0
#endif
  }
}

/* "I have nothing ready": what waits goes to the builder now. */
inline flush(me) {
#ifdef D6
  skip                               /* the seed: below BUFFER_SIZE nothing moves until all crawlers have joined */
#else
  atomic {
#ifdef HAND_OFF_FULL
    idle[BUFFER_OF(me)]++;
#endif
    if
    :: CALLS(BUFFER_OF(me)) && waiting[BUFFER_OF(me)] > 0 && due[BUFFER_OF(me)] == 0 -> due[BUFFER_OF(me)] = FLUSH
    :: else
    fi
  }
#endif
}

/* The builder's side: everything that waits changes hands in one step. */
inline takeBatch(b) {
  d_step {
    first = SLOT(b, 0);
    second = SLOT(b, 1);
    taken = waiting[b];
    current = URL_OF(first);
    CLAIM(FULL_IS_N, due[b] != FULL || taken == BUFFER_SIZE);
    SLOT(b, 0) = 0;
    SLOT(b, 1) = 0;
    waiting[b] = 0;
#ifdef D5
    passed[b] = 0;
#endif
    due[b] = 0
  }
}

/* An item is stored: its permit comes back. */
inline giveBack(record) {
  held[OWNER_OF(record)]--;
  record = 0
}
