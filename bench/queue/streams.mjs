// Keys as a frontier would see them: integers up to 2^53, the same in every run.

import { generator } from "../support/random.mjs";

/** Each makes a function that gives the next priority. */
export const STREAMS = {
  uniform: () => {
    const random = generator();
    return () => Math.floor(random() * 2 ** 53);
  },
  // Cash spread over out-links has a heavy tail: most pages hold little, a few hold very much.
  "OPIC-like": () => {
    const random = generator();
    return () => Math.min(2 ** 53 - 1, Math.floor(1000 * (random() + 2 ** -33) ** -1.3));
  },
  "16 values": () => {
    const random = generator();
    return () => Math.floor(random() * 16);
  },
  "all equal": () => () => 7,
  "better and better": () => {
    let next = 0;
    return () => next++;
  },
  "worse and worse": () => {
    let next = 2 ** 52;
    return () => next--;
  },
};
