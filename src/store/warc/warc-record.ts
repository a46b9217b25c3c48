import { randomUUID } from "node:crypto";

/** The profile of a revisit record for the answer 304, which says nothing itself (WARC 1.1, 6.7.3). */
export const NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

const LAST_DATE = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
let lastMs = -1;
let lastText = "";
let lastSecond = -1;
let lastSecondText = "";
let lastStamp = "";

/** A fresh record id; Node draws the random bytes for many at a time. */
export function newRecordId(): string {
  return randomUUID();
}

/** Milliseconds as WARC-Date, clamped to the years that it can express. */
export function warcDate(wallMs: number): string {
  // Archive, index and page list format the same instant one after the other.
  if (wallMs === lastMs) return lastText;
  const ms = Number.isFinite(wallMs) ? Math.min(Math.max(wallMs, 0), LAST_DATE) : 0;
  lastMs = wallMs;
  const second = Math.floor(ms / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastSecondText = new Date(ms).toISOString().slice(0, -"000Z".length);
    lastStamp = lastSecondText.replace(/\D/g, "");
  }
  lastText = `${lastSecondText}${String(Math.floor(ms) % 1000).padStart(3, "0")}Z`;
  return lastText;
}

/** "20260131235959": the timestamp of index lines. */
export function timestamp14(wallMs: number): string {
  warcDate(wallMs);
  return lastStamp;
}
