import type { Discovery } from "../frontier.ts";
import { decodeGroup } from "./event-cursor.ts";

/** A link that waits, where it lies in an admit event: no string and no object is made to put it into a queue. */
export interface WaitingLink {
  bytes: Buffer;
  /** Where the group's fixed part, parent and chain begin, and where they end. */
  head: number;
  headEnd: number;
  /** The URL, without its length. */
  from: number;
  to: number;
  /** Its fingerprint. */
  low: number;
  high: number;
}

/** The link as an object. */
export function decodeLink({ bytes, head, from, to }: WaitingLink): Discovery {
  // Its length stands in the two bytes before.
  return decodeGroup(bytes, head, from - 2, to)[0]!;
}
