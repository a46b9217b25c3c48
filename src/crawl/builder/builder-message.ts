import type { RunningWorker } from "../../runtime/run-worker.ts";
import type { PlaceOfRecord } from "../hand-off/hand-off-port.ts";
import type { DiskMessage } from "./disk-patience.ts";

/** What the supervisor posts to a builder. */
export type ToBuilder = {
  /** A crawler is dead: store what it put whole, free what it held of its buffer, close its journals. */
  readonly kind: "crawlerDied";
  readonly thread: number;
};

/** A builder as the supervisor sees it, be it a thread or not. */
export interface RunningBuilder extends Pick<RunningWorker, "name" | "ended" | "terminate"> {
  tell(note: ToBuilder): void;
}

/** What a builder posts to the supervisor. */
export type FromBuilder =
  /** The journals of a dead crawler are closed. */
  | { readonly kind: "closed"; readonly thread: number }
  | DiskMessage
  | { readonly kind: "places"; readonly thread: number; readonly places: readonly PlaceOfRecord[] }
  /** Segments up to this one are closed and may be compacted. */
  | { readonly kind: "segments"; readonly closed: readonly [shard: number, segment: number][] };
