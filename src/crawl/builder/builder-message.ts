import type { PageLocation } from "../../frontier/finish.ts";
import type { OpenJournal, PlaceOfRecord } from "../hand-off/hand-off-port.ts";
import type { DiskMessage } from "./disk-patience.ts";

/** What the supervisor posts to a builder. */
export type ToBuilder = {
  /** A crawler is dead: store what it put whole, free what it held of its buffer, close its journals. */
  readonly kind: "crawlerDied";
  readonly thread: number;
};

/** What a builder knows that shared the thread of its crawler and lets a thread of its own take over. */
export interface BuilderLegacy {
  readonly journals: readonly OpenJournal[];
  /** How many records the crawler has numbered so far. */
  readonly records: number;
  /** Where those of them are that no journal has named yet. */
  readonly places: ReadonlyMap<number, PageLocation>;
}

/** What a builder posts to the supervisor. */
export type FromBuilder =
  /** A thread of its own has loaded its code. */
  | { readonly kind: "loaded" }
  /** The journals of a dead crawler are closed. */
  | { readonly kind: "closed"; readonly thread: number }
  | DiskMessage
  /** It shared the thread of this crawler, has committed what it read and closed its files: another builder goes on. */
  | { readonly kind: "left"; readonly thread: number; readonly legacy: BuilderLegacy }
  | { readonly kind: "places"; readonly thread: number; readonly places: readonly PlaceOfRecord[] }
  /** Segments up to this one are closed and may be compacted. */
  | { readonly kind: "segments"; readonly closed: readonly [shard: number, segment: number][] };
