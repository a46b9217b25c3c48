import type { Discovery } from "../discovery.ts";
import { PARENT_LENGTH_AT } from "./event-batch.ts";
import { decodeGroup } from "./event-cursor.ts";
import { word } from "./journal-format.ts";

/**
 * Links that wait and stand side by side in one admit event, where they lie: no string and no object is made of them
 * on their way into a queue. All numbers are places in `bytes`.
 */
export interface WaitingRun {
  bytes: Buffer;
  /** Where the group's fixed part, parent and chain begin, and where they end. */
  head: number;
  headEnd: number;
  /** Where the first link begins, with its length, and where the last one ends. */
  from: number;
  to: number;
  /** The fingerprint of the first link; those of the others follow. */
  print: number;
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

/** Calls `meet` for each link of a run in order. One view serves them all: it is valid during the call. */
export function eachLink(run: WaitingRun, meet: (link: WaitingLink) => void): void {
  const { bytes, head, headEnd } = run;
  const link: WaitingLink = { bytes, head, headEnd, from: 0, to: 0, low: 0, high: 0 };
  for (let at = run.from, print = run.print; at < run.to; at = link.to, print += 8) {
    link.from = at + 2;
    link.to = link.from + (bytes[at]! | (bytes[at + 1]! << 8));
    link.low = word(bytes, print);
    link.high = word(bytes, print + 4);
    meet(link);
  }
}

/** The link as an object. */
export function decodeLink({ bytes, head, from, to }: WaitingLink): Discovery {
  // Its length stands in the two bytes before.
  return decodeGroup(bytes, head, from - 2, to)[0]!;
}

/** Whether a page led to the link: nobody found a seed. */
export function hasParent({ bytes, head }: Pick<WaitingLink, "bytes" | "head">): boolean {
  return bytes.readUInt16LE(head + PARENT_LENGTH_AT) > 0;
}
