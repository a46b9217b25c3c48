/** Numbers per thread behind the image: local state, place in the wait queue + 1, reports, killed, clocks, asynchronous wait. */
export const STATE = 0;
export const QUEUED = 1;
export const LOG = 2;
export const KILLED = 3;
/** Two bits per clock word: 0 no reading held, 1 a fresh one, 2 a stale one. */
export const HELD = 4;
/** The cell + 1 that an asynchronous wait listens to, RUNG once it is over, 0 when there is none. */
export const LISTENS = 5;
export const RUNG = -1;
export const THREAD_CELLS = 6;
