/*
 * The whole life cycle of seed 001's configuration: 4 crawlers, 2 buffers of 2, 2 builders, a pool of 6 URLs of which
 * 4 are seeds, the indexed URL tree, the cleaner. README.md tells what is claimed and how it is run.
 */

#ifndef BUFFER_SIZE
#define BUFFER_SIZE 2
#endif
#ifdef ONE_BUFFER
#define NUM_BUFFERS 1
#define NUM_CRAWLERS 2
#else
#define NUM_BUFFERS 2
#define NUM_CRAWLERS 4
#endif
#define CRAWLERS_PER_BUFFER 2
#define NUM_SEEDS 4
#define NUM_URLS 6
#define NONE 7

/* The pool: the page of URL u links to NEXT(u). */
#ifdef DISTINCT_POOL
#define NEXT(u) ((u) == 0 -> 5 : ((u) == 1 -> 4 : NONE))               /* [5, 4, -1, -1, -1, -1] */
#elif defined(TERMINATING_POOL)
#define NEXT(u) ((u) == 0 -> 5 : ((u) == 2 || (u) == 4 -> NONE : 4))   /* [5, 4, -1, 4, -1, 4] */
#else
#define NEXT(u) ((u) == 0 || (u) == 4 -> 5 : 4)                        /* [5, 4, 4, 4, 5, 4] */
#endif

/* One claim at a time, so that each has its own figures; ALL checks them together. */
#define ALL 0
#define FULL_IS_N 9
#define NOTHING_LOST 10
#define PERMITS_BACK 11
#define ALL_WRITTEN 12
#ifndef CHECK
#define CHECK ALL
#endif
#define CLAIM(number, holds) assert((CHECK != ALL && CHECK != (number)) || (holds))

byte joinedCrawlers;
byte joinedBuilders;
#ifdef INTERRUPT
bool stopped;
#define STOPPED stopped
#else
#define STOPPED false
#endif
#if defined(INTERRUPT) || defined(CRAWLER_DIES)
#define REMEMBERS
byte admitted;                       /* URLs that some crawler has admitted, as bits */
byte uncrawled;                      /* those that are left for the list of uncrawled URLs */
#endif
#if defined(CRAWLER_DIES) || defined(BUILDER_DIES)
bool somebodyDied;
#endif

#ifdef BUILDER_DIES
#define mayDie() if :: true :: atomic { me == 0 && !somebodyDied -> somebodyDied = true; dead = true } fi
#else
#define mayDie() skip
#define dead false
#endif

#include "hand-off.pml"
#include "url-tree.pml"

/* The result is [5, 4]: both files exist, created once, written once. */
#define CORRECT (files[0] == 1 && files[1] == 1 && data[0] == 1 && data[1] == 1)
#ifdef ONE_BUFFER
#define NOTHING_HELD (USED(0) == 0)
#else
#define NOTHING_HELD (USED(0) == 0 && USED(1) == 0)
#endif
#define BIT(u) (1 << (u))

inline leave(u) {
#ifdef REMEMBERS
  uncrawled = uncrawled | BIT(u);
#endif
  u = NONE
}

/* Fetch the page and admit its link: once per crawler, and only while the tree does not have it. */
inline fetch(u) {
  next = NEXT(u);
  if
  :: next != NONE && !(seen & BIT(next)) && !EXISTS(next) ->
    seen = seen | BIT(next);
#ifdef REMEMBERS
    admitted = admitted | BIT(next)
#endif
  :: else -> next = NONE
  fi
}

proctype Crawler(byte me) {
  byte url;
  byte next;
  byte seen;
#ifdef INTERRUPT
  bool permitted;
#endif
  d_step { fetch(me); url = next; next = 0 };  /* the seed itself is not stored */
  do
  :: url != NONE && !STOPPED ->
    d_step { fetch(url) };
    takePermit(me);
#ifdef CRAWLER_DIES
    if
    :: true
    :: atomic { me == 0 && !somebodyDied -> somebodyDied = true }; goto died
    fi;
#endif
#ifdef INTERRUPT
    if
    :: permitted -> put(me, url); permitted = false
#ifdef D2
    :: !permitted                    /* the seed: the URL was popped, the wait for a permit was interrupted */
#else
    :: atomic { !permitted -> leave(url) }
#endif
    fi;
    atomic { url = next; next = 0 }
#else
    put(me, url)
#endif
  :: atomic { url != NONE && STOPPED -> leave(url) }
  :: url == NONE -> break
  od;
  flush(me);
  atomic { held[me] == 0 -> joinedCrawlers++ }
#ifdef CRAWLER_DIES
  ; goto end;
died:
  /* The supervisor: a permit without an item comes back, what was leased is known to the frontier. */
  atomic {
#ifndef D3
    held[me]--;
#endif
    leave(url);
    if
    :: next != NONE -> leave(next)
    :: else
    fi
  };
  flush(me);
  atomic { waiting[BUFFER_OF(me)] == 0 -> joinedCrawlers++ };
end:
  skip
#endif
}

proctype Builder(byte me) {
  byte first;
  byte second;
  byte taken;
  byte place;
  byte current;
  byte object;
#ifdef BUILDER_DIES
  bool dead;
#endif
  do
  :: due[me] != 0 ->
    takeBatch(me);
    do
    :: place < taken ->
      addToTree(current);
#ifdef BUILDER_DIES
      if
      :: atomic { dead -> dead = false }  /* a new builder begins with the first item that is not stored */
      :: atomic { !dead -> place++; current = URL_OF(second) }
      fi
#else
      atomic { place++; current = URL_OF(second) }
#endif
    :: place == taken -> break
    od;
    atomic {
      giveBack(first);
      if
      :: taken == 2 -> giveBack(second)
      :: else
      fi;
      taken = 0;
      place = 0;
      current = 0
    }
  :: atomic { joinedCrawlers == NUM_CRAWLERS && due[me] == 0 -> break }
  od;
  joinedBuilders++
}

init {
  atomic {
    run Crawler(0); run Crawler(1); run Builder(0);
#ifndef ONE_BUFFER
    run Crawler(2); run Crawler(3); run Builder(1)
#endif
  };
#ifdef INTERRUPT
  if
  :: stopped = true                  /* the time limit, at any moment */
  :: joinedCrawlers == NUM_CRAWLERS
  fi;
#endif
  joinedBuilders == NUM_BUFFERS;
  /* The cleaner: everything is in the tree or in the list of what was not crawled, nothing is held any more. */
  d_step {
    CLAIM(PERMITS_BACK, NOTHING_HELD);
#ifdef REMEMBERS
    CLAIM(NOTHING_LOST, !(admitted & BIT(4)) || EXISTS(4) || (uncrawled & BIT(4)));
    CLAIM(NOTHING_LOST, !(admitted & BIT(5)) || EXISTS(5) || (uncrawled & BIT(5)))
#else
    CLAIM(ALL_WRITTEN, CORRECT)
#endif
  }
}

ltl crawlersJoin { <> (joinedCrawlers == NUM_CRAWLERS) }
ltl buildersJoin { <> (joinedBuilders == NUM_BUFFERS) }
ltl correct { <> CORRECT }
