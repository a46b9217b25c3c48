import { lastFingerprint } from "../../hash/fingerprint.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import type { Discovery } from "../discovery.ts";
import { writeText } from "../link/link-codec.ts";
import { word, writeWord } from "../link/words.ts";
import { type AdmissionRules, admissionFingerprint } from "../seen/admission-key.ts";
import { VIAS } from "../via.ts";

/*
 * A link as the engine keeps it, host by host, as short as it can be because an engine lives in memory:
 *
 *   fingerprint 64 | how found 8 | depth | chain length | chain (64 each) | shared | rest of parent, with its length | rest of URL
 *
 * `how found` says whether the URL begins with http:// or https:// and the host, which is left out then. `shared` is how
 * many characters the parent begins with that the URL begins with. Numbers have 7 bits per byte, the last byte below 128.
 */

/** Bytes of a fingerprint, with which every record begins. */
const ID_BYTES = 8;
const SEED_FLAG = 0x80;
const SCHEMES = ["", "http://", "https://"] as const;
const SCHEME_SHIFT = 4;
const VIA_MASK = 0x0f;
/** Bytes of a record beside its texts, with numbers at their longest. */
const MAX_NUMBERS = 32;
const NO_CHAIN: readonly string[] = [];

let room = Buffer.alloc(8192);

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

/** A link of this host with the fingerprint under which it counts as known. */
export function recordOf(found: Discovery, host: string, rules: AdmissionRules): LinkRecord {
  admissionFingerprint(found, rules);
  const id = idOf(lastFingerprint.low, lastFingerprint.high);
  const { url, parent = "", chain, depth } = found;
  const most = ID_BYTES + MAX_NUMBERS + ID_BYTES * chain.length + parent.length + url.length;
  if (most > room.length) room = Buffer.alloc(2 * most);
  id.copy(room, 0);
  const scheme = Math.max(
    0,
    SCHEMES.findIndex((one) => one !== "" && url.startsWith(one + host)),
  );
  room[ID_BYTES] =
    VIAS.indexOf(found.via) | (scheme << SCHEME_SHIFT) | (found.seed ? SEED_FLAG : 0);
  let at = writeNumber(ID_BYTES + 1, depth);
  at = writeNumber(at, chain.length);
  for (const fingerprint of chain) at += room.write(fingerprint, at, ID_BYTES, "hex");
  const shared = sharedLength(url, parent);
  at = writeNumber(at, shared);
  at = writeNumber(at, parent.length - shared);
  at += writeText(room, at, parent.slice(shared));
  const left = scheme === 0 ? 0 : SCHEMES[scheme]!.length + host.length;
  at += writeText(room, at, url.slice(left));
  return { id, decimal: decimalOf(id), record: Buffer.from(room.subarray(0, at)) };
}

/** Reads a record of this host. */
export function readRecord(record: Buffer, host: string): StoredLink {
  const how = record[ID_BYTES]!;
  const scheme = SCHEMES[(how >> SCHEME_SHIFT) & 3]!;
  let at = ID_BYTES + 1;
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = record[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const depth = number();
  const links = number();
  const chain =
    links === 0
      ? NO_CHAIN
      : Array.from({ length: links }, () => {
          at += ID_BYTES;
          return record.toString("hex", at - ID_BYTES, at);
        });
  const shared = number();
  const rest = number();
  const parentRest = record.toString("latin1", at, at + rest);
  const path = record.toString("latin1", at + rest);
  const url = (scheme === "" ? path : scheme + host + path) as CrawlUrl;
  const parent = url.slice(0, shared) + parentRest;
  return {
    found: {
      url,
      parent: parent === "" ? undefined : (parent as CrawlUrl),
      depth,
      via: VIAS[how & VIA_MASK]!,
      seed: how >= SEED_FLAG,
      chain,
    },
    low: word(record, 0),
    high: word(record, 4),
  };
}

function writeNumber(at: number, value: number): number {
  let rest = value;
  let end = at;
  for (; rest >= 128; rest = Math.floor(rest / 128)) room[end++] = (rest & 127) | 128;
  room[end++] = rest;
  return end;
}

function sharedLength(a: string, b: string): number {
  let shared = 0;
  const most = Math.min(a.length, b.length);
  while (shared < most && a.charCodeAt(shared) === b.charCodeAt(shared)) shared++;
  return shared;
}
