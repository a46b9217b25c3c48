/** A place in the stream of cases where something was once found; replayed before anything new is tried. */
export interface StoredSeed {
  readonly target: string;
  readonly part: string;
  readonly seed: number;
  /** The path to the smallest case, as the fuzzer printed it. */
  readonly path?: string;
  /** What was found there. */
  readonly found: string;
}

/** Every finding so far. When generators change a seed means other cases, so findings also become unit tests. */
export const STORED_SEEDS: readonly StoredSeed[] = [
  {
    target: "scanner",
    part: "any-bytes",
    seed: 20_250_101,
    path: "45:0:0:2:2:2",
    found: "words.ts compares beyond the end of a page that ends in an ampersand",
  },
  {
    target: "url",
    part: "linear",
    seed: -1_560_503_328,
    path: "305:1",
    found: "surt.ts looks for control characters at the end from every one in the middle",
  },
];

/** Parts that are known to fail until the finding is dealt with, with the reason. */
export const OPEN_FINDINGS: ReadonlyMap<string, string> = new Map();
