import type { CrawlUrl } from "../../url/crawl-url.ts";
import { RobotsRules } from "./robots-rules.ts";

/** What is known elsewhere of a robots.txt. */
export type NotedRobots =
  | { readonly kind: "rules"; readonly rules: RobotsRules; readonly expiresAtMs: number }
  | { readonly kind: "unreachable"; readonly failure: RobotsFailure };

/** A robots.txt that could not be had. */
export interface RobotsFailure {
  readonly error: string;
  readonly refused: boolean;
  readonly retryAtMs: number;
  readonly final: boolean;
  readonly tries: number;
}

/**
 * What a thread found out: a file, that there is none, that it is the same as that of another key, that it leads to
 * another file which is not known yet, or a failure.
 */
export type RobotsNote =
  | { readonly kind: "file"; readonly body: Uint8Array; readonly expiresAtMs: number }
  | { readonly kind: "none"; readonly expiresAtMs: number }
  | { readonly kind: "same"; readonly key: string; readonly expiresAtMs: number }
  | { readonly kind: "leads"; readonly url: CrawlUrl; readonly expiresAtMs: number }
  | { readonly kind: "unreachable"; readonly failure: RobotsFailure };

const KINDS = ["file", "none", "same", "unreachable", "leads"] as const;
const KIND_BYTES = 1;
const TIME_BYTES = 8;

/** A note as bytes; times are the caller's. */
export function encodeNote(note: RobotsNote): Uint8Array<ArrayBuffer> {
  const payload = payloadOf(note);
  const bytes = new Uint8Array(KIND_BYTES + TIME_BYTES + payload.length);
  bytes[0] = KINDS.indexOf(note.kind);
  if (note.kind !== "unreachable")
    new DataView(bytes.buffer).setFloat64(KIND_BYTES, note.expiresAtMs);
  bytes.set(payload, KIND_BYTES + TIME_BYTES);
  return bytes;
}

/** Reads a note; its body lies in the bytes. */
export function decodeNote(bytes: Uint8Array<ArrayBuffer>): RobotsNote {
  const kind = KINDS[bytes[0]!]!;
  const payload = bytes.subarray(KIND_BYTES + TIME_BYTES);
  if (kind === "unreachable") return { kind, failure: JSON.parse(textOf(payload)) };
  const expiresAtMs = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(KIND_BYTES);
  if (kind === "none") return { kind, expiresAtMs };
  if (kind === "file") return { kind, body: payload, expiresAtMs };
  if (kind === "leads") return { kind, url: textOf(payload) as CrawlUrl, expiresAtMs };
  return { kind, key: textOf(payload), expiresAtMs };
}

/** What a note says, where it does not point to another one. */
export function noted(
  note: Exclude<RobotsNote, { kind: "same" | "leads" }>,
  agent: string,
): NotedRobots {
  if (note.kind === "unreachable") return note;
  const { expiresAtMs } = note;
  const rules = note.kind === "none" ? RobotsRules.allowAll : RobotsRules.parse(note.body, agent);
  return { kind: "rules", rules, expiresAtMs };
}

/** Whether it still holds. */
export function holds(known: NotedRobots, nowMs: number): boolean {
  if (known.kind === "rules") return nowMs < known.expiresAtMs;
  return known.failure.final || nowMs < known.failure.retryAtMs;
}

function payloadOf(note: RobotsNote): Uint8Array {
  if (note.kind === "file") return note.body;
  if (note.kind === "none") return new Uint8Array();
  if (note.kind === "unreachable") return Buffer.from(JSON.stringify(note.failure));
  return Buffer.from(note.kind === "same" ? note.key : note.url);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
