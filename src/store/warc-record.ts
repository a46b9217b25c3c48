import { randomUUID } from "node:crypto";

const LAST_DATE = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
let lastMs = -1;
let lastText = "";

/** A fresh record id; Node draws the random bytes for many at a time. */
export function newRecordId(): string {
  return randomUUID();
}

/** Milliseconds as WARC-Date; a clock that is off the scale is brought back onto it. */
export function warcDate(wallMs: number): string {
  // Archive, index and page list ask for the same instant one after the other.
  if (wallMs === lastMs) return lastText;
  const ms = Number.isFinite(wallMs) ? Math.min(Math.max(wallMs, 0), LAST_DATE) : 0;
  lastMs = wallMs;
  lastText = new Date(ms).toISOString();
  return lastText;
}

/** "20260131235959": the timestamp of index lines. */
export function timestamp14(wallMs: number): string {
  const text = warcDate(wallMs);
  return (
    text.slice(0, 4) +
    text.slice(5, 7) +
    text.slice(8, 10) +
    text.slice(11, 13) +
    text.slice(14, 16) +
    text.slice(17, 19)
  );
}
