import { lastFingerprint } from "../../hash/fingerprint.ts";
import { MAX_URL_LENGTH } from "../../url/crawl-url.ts";
import type { Discovery } from "../discovery.ts";
import { LinkBlock, readLinkBlock } from "../link/link-block.ts";
import { word, writeWord } from "../link/words.ts";
import { type AdmissionRules, admissionFingerprint } from "../seen/admission-key.ts";

/** Bytes of a fingerprint, with which every record begins. */
const ID_BYTES = 8;
/** Room for a URL, its parent and a full redirect chain. */
const block = new LinkBlock(2 * MAX_URL_LENGTH + 4096);

/** A found link as the engine keeps it. */
export interface LinkRecord {
  readonly id: Buffer;
  readonly decimal: string;
  readonly record: Buffer;
}

/** A link that came back from the engine, with its fingerprint. */
export interface StoredLink {
  readonly found: Discovery;
  readonly low: number;
  readonly high: number;
}

/** The 8 bytes of a fingerprint. */
export function idOf(low: number, high: number): Buffer {
  const id = Buffer.allocUnsafe(ID_BYTES);
  writeWord(id, 0, low);
  writeWord(id, 4, high);
  return id;
}

/** The same as a signed number: sets of such numbers take 8 bytes each. */
export function decimalOf(id: Buffer): string {
  return id.readBigInt64LE(0).toString();
}

/** A link with the fingerprint under which it counts as known. */
export function recordOf(found: Discovery, rules: AdmissionRules): LinkRecord {
  admissionFingerprint(found, rules);
  const id = idOf(lastFingerprint.low, lastFingerprint.high);
  block.clear();
  block.tryAdd(found);
  return {
    id,
    decimal: decimalOf(id),
    record: Buffer.concat([id, block.bytes.subarray(0, block.used)]),
  };
}

/** Reads a record. */
export function readRecord(record: Buffer): StoredLink {
  const [found] = readLinkBlock(record.subarray(ID_BYTES), record.length - ID_BYTES);
  return { found: found!, low: word(record, 0), high: word(record, 4) };
}
