import { crc32 } from "node:zlib";
import { jsonLine } from "./jsonl.ts";

const SUM = ',"checksum":"';

/** An object with fields as one line of JSON; its last field is the checksum of everything before. */
export function sealedJson(value: object): Buffer {
  const start = jsonLine(value).slice(0, -1);
  return Buffer.from(`${start}${SUM}${sumOf(Buffer.from(start))}"}\n`);
}

/** The object in such a line; undefined when a byte of it is not what was written. */
export function openSealed(bytes: Buffer): object | undefined {
  const end = bytes.lastIndexOf(SUM);
  if (end < 0) return undefined;
  const seal = Buffer.from(`${SUM}${sumOf(bytes.subarray(0, end))}"}\n`);
  if (!bytes.subarray(end).equals(seal)) return undefined;
  return JSON.parse(`${bytes.toString("utf8", 0, end)}}`) as object;
}

function sumOf(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(8, "0");
}
