import type { EventBatch } from "../../journal/event-batch.ts";
import { word, writeWord } from "../../link/words.ts";

/** Kind of the extension event that takes ends back; facts have smaller numbers. */
const LATE = 100;

/** A URL by its fingerprint. */
export interface Fingerprint {
  readonly low: number;
  readonly high: number;
}

/** Journals that the engine has not accepted the ends of these URLs, which are in the journal before. */
export function writeLate(batch: EventBatch, urls: readonly Fingerprint[]): void {
  const bytes = Buffer.alloc(8 * urls.length);
  for (const [i, { low, high }] of urls.entries()) {
    writeWord(bytes, 8 * i, low);
    writeWord(bytes, 8 * i + 4, high);
  }
  batch.extension(LATE, bytes);
}

/** The URLs that an extension event takes back, none if it is of another kind. */
export function lateIn({ kind, bytes }: { kind: number; bytes: Uint8Array }): string[] {
  if (kind !== LATE) return [];
  const all = Buffer.from(bytes);
  return Array.from({ length: bytes.length / 8 }, (_, i) =>
    lateKey(word(all, 8 * i), word(all, 8 * i + 4)),
  );
}

/** A name for a URL. */
export function lateKey(low: number, high: number): string {
  return `${low >>> 0} ${high >>> 0}`;
}
