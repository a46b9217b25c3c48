// The three records of a page, as archive.ts and member-buffer.ts make them.

import { crc32 } from "./crc32";
import { deflate } from "./deflate";
import { coding, putHead } from "./http-blocks";
import {
  charsetAt, charsetBytes, dateMs, decodedBytes, depth, hasDecoded, hasParent, ipAt, ipBytes,
  languageAt, languageBytes, linkBytes, linksAll, linksAt, pageWords, parentAt, parentBytes,
  requestAt, requestBytes, robotsAt, robotsBytes, titleAt, titleBytes, urlAt, urlBytes,
  viaAt, viaBytes,
} from "./plain-facts";
import {
  DIGEST_SLOT, DIGESTS, HEADER, MEMBERS, METADATA, METADATA_HEADER, SHARED, WARCINFO_ID,
} from "./store-layout";
import {
  copy, isWord, put, putBase32, putByte, putDate, putNumber, putUuid, startAt, text, w,
} from "./texts";

const RESPONSE = text("WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:");
const REQUEST = text("WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: <urn:uuid:");
const META = text("WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:");
const ID_END = text(">\r\n");
const DATE = text("WARC-Date: ");
const TARGET = text("\r\nWARC-Target-URI: ");
const ADDRESS = text("\r\nWARC-IP-Address: ");
const WARCINFO = text("\r\nWARC-Warcinfo-ID: <urn:uuid:");
const CONCURRENT = text("WARC-Concurrent-To: <urn:uuid:");
const PAYLOAD = text("WARC-Payload-Digest: sha1:");
const RESPONSE_TYPE = text("\r\nContent-Type: application/http;msgtype=response\r\nWARC-Block-Digest: sha1:");
const REQUEST_TYPE = text("Content-Type: application/http;msgtype=request\r\nWARC-Block-Digest: sha1:");
const META_TYPE = text("Content-Type: application/warc-fields\r\nWARC-Block-Digest: sha1:");
const LENGTH = text("\r\nContent-Length: ");
const HEADER_END = text("\r\n\r\n");

const LINE_END = text("\r\n");
const VIA = text("via: ");
const HOPS = text("hopsFromSeed: ");
const DEPTH = text("depth: ");
const DISCOVERED = text("\r\ndiscoveredBy: ");
const SHA256 = text("\r\npayload-digest-sha256: ");
const PAYLOAD_BYTES = text("\r\npayload-bytes: ");
const DECODED = text("\r\ndecoded-bytes: ");
const CHARSET = text("\r\ncharset-for-link-extraction: ");
const TITLE = text("\r\ntitle: ");
const LANGUAGE = text("\r\nlanguage: ");
const ROBOTS = text("\r\nrobots: ");
const WORDS = text("\r\nwords: ");
const LINKS_ALL = text("\r\nlinks-all: ");
const REDIRECT = text("redirect");

const BLOCK: i32 = 0xffff;
const MEMBER_HEADER: i32 = 10;
const BLOCK_HEADER: i32 = 5;
const MEMBER_END: i32 = 8;
const RECORD_END: i32 = 4;
const UUID: i32 = 36;
const DIGEST: i32 = 32;
/** The digest of payload, response, request or metadata, in base 32. */
export function putDigest(index: i32): void {
  putBase32(DIGESTS + DIGEST_SLOT * index);
}

const MAX_HOPS: u32 = 256;
const SMALL_RESPONSE: i32 = 1024;
const SMALL_COMPANION: i32 = 4096;

/** Where the next member begins. */
export let membersAt: usize = MEMBERS;
/** As zlib counts them: 0 stores, 1 is the fastest, and fast enough to be ours for lists of links. */
let level: i32 = 0;

/** Where the record of the response is, how long it is, and whether it has to be compressed. */
export let recordAt: usize = 0;
export let recordBytes: i32 = 0;
export let isDeflated: bool = false;
export let blockAt: usize = 0;
export let blockBytes: i32 = 0;
/** Where the body belongs. */
export let bodyAt: usize = 0;
export let metadataBytes: i32 = 0;
export let isMetadataDeflated: bool = false;
/** Where the SHA-256 of the payload belongs, in the block of the metadata record. */
export let sha256At: usize = 0;
export const METADATA_AT: usize = METADATA + METADATA_HEADER;
let sharedBytes: i32 = 0;

export function restartMembers(): void {
  membersAt = MEMBERS;
}

export function skipMember(bytes: i32): void {
  membersAt += bytes;
}

export function setLevel(to: i32): void {
  level = to;
}

function digits(value: i32): i32 {
  let count = 1;
  let rest = value;
  while (rest >= 10) {
    count++;
    rest /= 10;
  }
  return count;
}

/** Puts everything of the response where it belongs but its header and body, which need the digests; false when in doubt. */
export function beginResponse(bodyBytes: i32): bool {
  startAt(SHARED);
  put(DATE);
  putDate(dateMs, false);
  put(TARGET);
  copy(urlAt, urlBytes);
  put(ADDRESS);
  copy(ipAt, ipBytes);
  put(WARCINFO);
  copy(WARCINFO_ID, UUID);
  put(ID_END);
  sharedBytes = <i32>(w - SHARED);
  // The head first, somewhere: its length is part of the header in front of it.
  const headBytes = putHead(METADATA_AT);
  if (headBytes < 0 || coding == 2) return false;
  blockBytes = headBytes + bodyBytes;
  isDeflated = level > 0 && blockBytes >= SMALL_RESPONSE && coding == 0;
  const header =
    (RESPONSE & 4095) + UUID + (ID_END & 4095) + sharedBytes + (PAYLOAD & 4095) + DIGEST +
    (RESPONSE_TYPE & 4095) + DIGEST + (LENGTH & 4095) + digits(blockBytes) + (HEADER_END & 4095);
  recordBytes = header + blockBytes + RECORD_END;
  recordAt = membersAt + MEMBER_HEADER + BLOCK_HEADER * blocksOf(recordBytes);
  blockAt = recordAt + header;
  bodyAt = blockAt + headBytes;
  memory.copy(blockAt, METADATA_AT, headBytes);
  store<u32>(blockAt + blockBytes, 0x0a0d0a0d);
  return true;
}

function blocksOf(bytes: i32): i32 {
  return (bytes + BLOCK - 1) / BLOCK;
}

/** Puts the block of the metadata record where it belongs; what the SHA-256 of the payload is comes later. */
export function beginMetadata(bodyBytes: i32): void {
  startAt(METADATA_AT);
  if (hasParent) {
    put(VIA);
    copy(parentAt, parentBytes);
    put(LINE_END);
  }
  const isRedirect = viaBytes == (REDIRECT & 4095) && isWord(viaAt, REDIRECT);
  if (depth > 0 || isRedirect) {
    put(HOPS);
    const hops = min(depth, MAX_HOPS);
    let i: u32 = 0;
    while (i < hops) {
      putByte(76);
      i++;
    }
    if (isRedirect) putByte(82);
    put(LINE_END);
  }
  put(DEPTH);
  putNumber(depth);
  put(DISCOVERED);
  copy(viaAt, viaBytes);
  put(SHA256);
  sha256At = w;
  startAt(w + 64);
  put(PAYLOAD_BYTES);
  putNumber(bodyBytes);
  if (hasDecoded) {
    put(DECODED);
    putNumber(decodedBytes);
  }
  putField(CHARSET, charsetAt, charsetBytes);
  putField(TITLE, titleAt, titleBytes);
  putField(LANGUAGE, languageAt, languageBytes);
  putField(ROBOTS, robotsAt, robotsBytes);
  put(WORDS);
  putNumber(pageWords);
  put(LINKS_ALL);
  putNumber(linksAll);
  put(LINE_END);
  memory.copy(w, linksAt, linkBytes);
  metadataBytes = <i32>(w + linkBytes - METADATA_AT);
  isMetadataDeflated = level > 0 && metadataBytes >= SMALL_COMPANION;
}

function putField(name: u32, from: usize, bytes: i32): void {
  if (bytes == 0) return;
  put(name);
  copy(from, bytes);
}

/** Completes the record of the response; what is stored becomes a member. */
export function endResponse(random: usize): void {
  startAt(recordAt);
  // Copies write a little too much, and the block is there already.
  const first = load<u64>(blockAt);
  const second = load<u64>(blockAt + 8);
  put(RESPONSE);
  putUuid(random);
  put(ID_END);
  copy(SHARED, sharedBytes);
  put(PAYLOAD);
  putDigest(0);
  put(RESPONSE_TYPE);
  putDigest(1);
  put(LENGTH);
  putNumber(blockBytes);
  put(HEADER_END);
  store<u64>(blockAt, first);
  store<u64>(blockAt + 8, second);
  if (!isDeflated) membersAt = frame(membersAt, recordAt, recordBytes);
}

/** The request, whole. */
export function putRequest(random: usize): void {
  const header = companionHeader(REQUEST, REQUEST_TYPE, random, random + 16, 2, requestBytes);
  const bytes = header + requestBytes + RECORD_END;
  const at = membersAt + MEMBER_HEADER + BLOCK_HEADER * blocksOf(bytes);
  memory.copy(at, HEADER, header);
  memory.copy(at + header, requestAt, requestBytes);
  store<u32>(at + header + requestBytes, 0x0a0d0a0d);
  membersAt = frame(membersAt, at, bytes);
}

/** The metadata; it becomes a member unless it has to be compressed, and is then in `recordAt`. */
export function endMetadata(random: usize): void {
  const header = companionHeader(META, META_TYPE, random, random + 32, 3, metadataBytes);
  recordAt = METADATA_AT - header;
  recordBytes = header + metadataBytes + RECORD_END;
  memory.copy(recordAt, HEADER, header);
  store<u32>(METADATA_AT + metadataBytes, 0x0a0d0a0d);
  if (isMetadataDeflated && level > 1) return;
  if (isMetadataDeflated) {
    const end = deflateRecord(recordAt, recordBytes, membersAt);
    isMetadataDeflated = end == 0;
    if (end != 0) membersAt = end;
    return;
  }
  const at = membersAt + MEMBER_HEADER + BLOCK_HEADER * blocksOf(recordBytes);
  memory.copy(at, recordAt, recordBytes);
  membersAt = frame(membersAt, at, recordBytes);
}

function companionHeader(
  type: u32, contentType: u32, response: usize, own: usize, digest: i32, bytes: i32,
): i32 {
  startAt(HEADER);
  put(type);
  putUuid(own);
  put(ID_END);
  copy(SHARED, sharedBytes);
  put(CONCURRENT);
  putUuid(response);
  put(ID_END);
  put(contentType);
  putDigest(digest);
  put(LENGTH);
  putNumber(bytes);
  put(HEADER_END);
  return <i32>(w - HEADER);
}

/** Makes a compressed member of a record; answers where it ends, 0 when it would not become smaller. */
export function deflateRecord(from: usize, bytes: i32, start: usize): usize {
  const at = deflate(from, bytes, start + MEMBER_HEADER);
  if (at == 0) return 0;
  store<u64>(start, 0x0000000000088b1f);
  store<u16>(start + 8, 0xff00);
  store<u32>(at, crc32(from, bytes));
  store<u32>(at + 4, bytes);
  return at + MEMBER_END;
}

/** Frames a record as stored blocks of a gzip member; the room before it is that of all headers. Answers where it ends. */
function frame(start: usize, from: usize, bytes: i32): usize {
  const sum = crc32(from, bytes);
  store<u64>(start, 0x0000000000088b1f);
  store<u16>(start + 8, 0xff00);
  let at = start + MEMBER_HEADER;
  let read = from;
  let left = bytes;
  while (left > 0) {
    const count = min(left, BLOCK);
    const to = at + BLOCK_HEADER;
    if (to != read) memory.copy(to, read, count);
    store<u8>(at, count == left ? 1 : 0);
    store<u16>(at + 1, <u16>count);
    store<u16>(at + 3, ~(<u16>count));
    at = to + count;
    read += count;
    left -= count;
  }
  store<u32>(at, sum);
  store<u32>(at + 4, bytes);
  return at + MEMBER_END;
}
