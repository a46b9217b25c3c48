/*
 * The indexed URL tree: a file per URL, and a lock per path in a table that is filled when a path is first wanted and
 * emptied when nobody wants it any more (src/sync/lock-table.ts and the tree writer in src/store).
 */

#define NEW_URLS (NUM_URLS - NUM_SEEDS)
#define PLACE(u) ((u) - NUM_SEEDS)
#define EXISTS(u) (files[PLACE(u)] > 0)
#define NO_LOCK 2                    /* the table has no entry for this path */
#define LOCKS 2                      /* lock objects one path can have here; correct code never has more than one */
#define LOCK(u, object) (PLACE(u) * LOCKS + (object))

byte files[NEW_URLS];                /* how often the file of a URL was created */
byte data[NEW_URLS];                 /* how often its data was written */
byte table[NEW_URLS] = NO_LOCK;
byte users[NEW_URLS * LOCKS];        /* threads that hold a lock object or wait for it */
bool locked[NEW_URLS * LOCKS];

inline enterPath(u) {
#ifdef NO_LOCKS
  skip
#else
#ifdef D1
  /* The seed looks, then acts: two threads may both find nothing and make a lock each. */
  if
  :: atomic { table[PLACE(u)] != NO_LOCK -> object = table[PLACE(u)]; users[LOCK(u, object)]++ }
  :: table[PLACE(u)] == NO_LOCK ->
    atomic {
      object = (users[LOCK(u, 0)] == 0 -> 0 : 1);
      table[PLACE(u)] = object;
      users[LOCK(u, object)]++
    }
  fi;
#else
  atomic {
    object = (table[PLACE(u)] == NO_LOCK -> 0 : table[PLACE(u)]);
    table[PLACE(u)] = object;
    users[LOCK(u, object)]++
  }
#endif
  atomic { !locked[LOCK(u, object)] -> locked[LOCK(u, object)] = true }
#endif
}

inline leavePath(u) {
#ifdef NO_LOCKS
  skip
#else
  atomic {
    locked[LOCK(u, object)] = false;
    users[LOCK(u, object)]--;
    if
    :: users[LOCK(u, object)] == 0 && table[PLACE(u)] == object -> table[PLACE(u)] = NO_LOCK
    :: else
    fi;
    object = 0
  }
#endif
}

/* Data goes into a file of another name, which then takes its place: a file that exists is whole. */
inline writeFile(u) {
#ifdef D4
  createFile(u);                     /* the seed creates first and writes afterwards */
  mayDie();
  if
  :: dead
  :: !dead -> writeData(u)
  fi
#else
  writeData(u);
  mayDie();
  if
  :: atomic { dead -> data[PLACE(u)]-- }  /* a temporary file that nobody renames does not count */
  :: !dead -> createFile(u)
  fi
#endif
}

inline createFile(u) {
  atomic { files[PLACE(u)]++; CLAIM(6, files[PLACE(u)] <= 1) }
}

inline writeData(u) {
  atomic { data[PLACE(u)]++; CLAIM(7, data[PLACE(u)] <= 1) }
}

/* Look, lock, look again, write. */
inline addToTree(u) {
  if
  :: EXISTS(u)
  :: !EXISTS(u) ->
    enterPath(u);
    if
    :: EXISTS(u)
    :: !EXISTS(u) -> writeFile(u)
    fi;
#ifdef LOCK_KEPT
    if
    :: dead                          /* nobody takes a dead builder's lock back */
    :: !dead -> leavePath(u)
    fi
#else
    leavePath(u)
#endif
  fi
}
