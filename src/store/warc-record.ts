import { randomUUID } from "node:crypto";

const LAST_DATE = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const END_OF_RECORD = "\r\n\r\n";

/** A fresh record id; Node draws the random bytes for many at a time. */
export function newRecordId(): string {
  return randomUUID();
}

/** Milliseconds as WARC-Date; a clock that is off the scale is brought back onto it. */
export function warcDate(wallMs: number): string {
  const ms = Number.isFinite(wallMs) ? Math.min(Math.max(wallMs, 0), LAST_DATE) : 0;
  return new Date(ms).toISOString();
}

/**
 * One whole WARC 1.1 record: header, block, end. The fields are lines "Name: value\r\n" of ASCII
 * whose values went through safe-text; Content-Length, which frames the block, is added here.
 */
export function warcRecord(fields: string, ...block: Uint8Array[]): Buffer {
  let blockBytes = 0;
  for (const part of block) blockBytes += part.length;
  const header = `WARC/1.1\r\n${fields}Content-Length: ${blockBytes}\r\n\r\n`;
  const record = Buffer.allocUnsafe(header.length + blockBytes + END_OF_RECORD.length);
  let at = record.write(header, 0, "latin1");
  for (const part of block) {
    record.set(part, at);
    at += part.length;
  }
  record.write(END_OF_RECORD, at, "latin1");
  return record;
}
