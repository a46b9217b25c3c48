import { StoreCorruptError } from "../errors.ts";
import type { Metadata, QueueSettings } from "./url-queue.ts";

/** Everything that a restart must know: what is in the log is a list of these. Hand-outs are not among them. */
export type Change =
  | {
      readonly kind: "put";
      readonly crawl: string;
      readonly key: string;
      readonly url: string;
      readonly metadata: Metadata;
      /** 0 when it is done. */
      readonly dueMs: number;
      readonly createdS: number;
    }
  | {
      readonly kind: "settings";
      readonly crawl: string;
      readonly key: string;
      readonly settings: QueueSettings;
    }
  | { readonly kind: "delay"; readonly crawl: string; readonly delayS: number }
  | { readonly kind: "dropUrl"; readonly crawl: string; readonly key: string; readonly url: string }
  | { readonly kind: "dropQueue"; readonly crawl: string; readonly key: string }
  | { readonly kind: "dropCrawl"; readonly crawl: string }
  | { readonly kind: "active"; readonly state: boolean };

const KINDS = ["put", "settings", "delay", "dropUrl", "dropQueue", "dropCrawl", "active"];

/** A change as bytes: JSON, so that a log can be read by eye. */
export function encodeChange(change: Change): Buffer {
  return Buffer.from(JSON.stringify(change));
}

/** The bytes back; `where` names file and offset for the error. */
export function decodeChange(bytes: Uint8Array, where: () => string): Change {
  try {
    const change = JSON.parse(Buffer.from(bytes).toString("utf8")) as Change;
    if (KINDS.includes(change.kind)) return change;
  } catch {
    // Its checksum holds, so somebody else wrote it.
  }
  throw new StoreCorruptError(`${where()}: no change of a URL frontier`);
}
