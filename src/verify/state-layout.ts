/** Numbers per thread behind the image: local state, place in the wait queue + 1, reports, killed, clocks. */
export const STATE = 0;
export const QUEUED = 1;
export const LOG = 2;
export const KILLED = 3;
/** Two bits per clock word: 0 no reading held, 1 a fresh one, 2 a stale one. */
export const HELD = 4;
export const THREAD_CELLS = 5;
