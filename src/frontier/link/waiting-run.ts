import { type FoundLink, LINK_BYTES, linkEnd, readLink } from "./link-codec.ts";
import { word } from "./words.ts";

/**
 * Links that wait and stand side by side in one admit event, where they lie: no string and no object is made of them
 * on their way into a queue. All numbers are places in `bytes`.
 */
export interface WaitingRun {
  bytes: Buffer;
  /** Where the head of the group begins and where it ends. */
  head: number;
  headEnd: number;
  /** Where the first link begins, with its length, and where the last one ends. */
  from: number;
  to: number;
  /** The fingerprint of the first link; those of the others follow. */
  fingerprint: number;
  links: number;
  /** The file that has these bytes. */
  file: string;
  /** Place in the file less place in memory; undefined when they are in memory only. */
  fileAhead: number | undefined;
}

/** One link of a run. */
export interface WaitingLink {
  bytes: Buffer;
  head: number;
  headEnd: number;
  /** The URL, without its length. */
  from: number;
  to: number;
  /** Its fingerprint. */
  low: number;
  high: number;
}

/** Calls `visit` for each link of a run in order. One view serves them all: it is valid during the call. */
export function eachLink(run: WaitingRun, visit: (link: WaitingLink) => void): void {
  const { bytes, head, headEnd } = run;
  const link: WaitingLink = { bytes, head, headEnd, from: 0, to: 0, low: 0, high: 0 };
  for (
    let at = run.from, fingerprint = run.fingerprint;
    at < run.to;
    at = link.to, fingerprint += 8
  ) {
    link.from = at + LINK_BYTES;
    link.to = linkEnd(bytes, at);
    link.low = word(bytes, fingerprint);
    link.high = word(bytes, fingerprint + 4);
    visit(link);
  }
}

/** The link as an object. */
export function decodeLink({ bytes, head, from, to, low, high }: WaitingLink): FoundLink {
  return readLink(bytes, head, low, high, from, to);
}
