import { DOUBTFUL, KNOWN, KNOWN_SETS, LINK, LINKS } from "./engine-layout";

// Fingerprints of links that need no look into the set of known URLs any more, because JavaScript has found them there. Two
// stand in each set, the later one first; a third one takes the place of the earlier.

/** This URL is known, and will be. */
export function remember(low: u32, high: u32): void {
  const print = (low as u64) | ((high as u64) << 32);
  const set = setOf(print);
  if (load<u64>(set) != print) {
    store<u64>(set, load<u64>(set), 8);
    store<u64>(set, print);
  }
}

/** Writes the numbers of those links of the page that are not remembered to DOUBTFUL; how many there are. */
export function leaveOutKnown(links: i32): i32 {
  let doubtful = 0;
  let link = 0;
  while (link < links) {
    const print = load<u64>(LINKS + link * LINK);
    const set = setOf(print);
    // Nothing is remembered in an empty place, whatever the fingerprint.
    if (print == 0 || (load<u64>(set) != print && load<u64>(set, 8) != print)) {
      store<i32>(DOUBTFUL + (doubtful << 2), link);
      doubtful++;
    }
    link++;
  }
  return doubtful;
}

/** Another crawl begins. */
export function forgetKnown(): void {
  memory.fill(KNOWN, 0, KNOWN_SETS << 4);
}

@inline
function setOf(print: u64): i32 {
  return KNOWN + ((((print >> 32) as i32) & (KNOWN_SETS - 1)) << 4);
}
