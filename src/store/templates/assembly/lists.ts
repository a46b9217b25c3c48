// The lines of a page in index, page list and log, as cdxj.ts, page-line.ts and list-writers.ts compose them.

import {
  charsetAt, charsetBytes, dateMs, decodedBytes, depth, hasDecoded, hasParent, languageAt,
  languageBytes, lineAt, lineBytes, links, linksAll, mimeAt, mimeBytes, pageWords, parentAt,
  parentBytes, robotsAt, robotsBytes, titleAt, titleBytes, tookMs, urlAt, urlBytes, viaAt, viaBytes,
} from "./plain-facts";
import {
  ANSWER, FILE_NAME, HOST_SLOT, HOSTS, INDEX, KNOWN, LOG, MAX_HOST, PAGES,
} from "./store-layout";
import {
  copy, isSame, put, putByte, putDate, putJson, putNumber, putUuid, startAt, text, w,
} from "./texts";
import { putDigest, sha256At } from "./records";

const URL = text(' {"url":"');
const MIME = text('","mime":"');
const INDEX_DIGEST = text('","status":"200","digest":"');
const INDEX_LENGTH = text('","length":"');
const INDEX_OFFSET = text('","offset":"');
const INDEX_FILE = text('","filename":"');
const INDEX_END = text('"}\n');

const ID = text('{"id":"');
const PAGE_URL = text('","url":"');
const TIME_START = text('","ts":"');
const TITLE = text('","title":');
const PARENT = text(',"parent":"');
const NO_PARENT = text(',"parent":null,"depth":');
const DEPTH = text('","depth":');
const LINKS = text(',"links":');
const LINKS_ALL = text(',"linksAll":');
const STATUS = text(',"status":200,"mime":"');
const WORDS = text('","words":');
const CHARSET = text(',"charset":"');
const LANGUAGE = text(',"language":"');
const ROBOTS = text(',"robots":"');
const BYTES = text(',"bytes":');
const DECODED = text(',"decodedBytes":');
const DIGEST = text(',"digest":"sha256:');
const TIME = text('","time":"');
const FILE = text('","file":"');
const LOG_TIME = text('{"time":"');
const LOG_DEPTH = text('","outcome":"page","depth":');
const VIA = text(',"via":"');
const LOG_BYTES = text('","bytes":');
const MS = text(',"ms":');
const LOG_FILE = text(',"file":"');
const OFFSET = text('","offset":');
const LENGTH = text(',"length":');
const END = text("}\n");

const SHA1 = text("sha1:");
const SHA256 = text("sha256:");

export let indexAt: usize = INDEX;
export let pagesAt: usize = PAGES;
export let logAt: usize = LOG;
let nameBytes: i32 = 0;

export function restartLists(): void {
  indexAt = INDEX;
  pagesAt = PAGES;
  logAt = LOG;
}

export function setFileName(bytes: i32): void {
  nameBytes = bytes;
}

/** Ask JavaScript for an index key: of the URL, or for its beginning, which is that of the host. Answer the bytes at ANSWER. */
declare function keyOfUrl(at: usize, bytes: i32): i32;
declare function keyOfHost(at: usize, bytes: i32): i32;

export function putIndexLine(offset: u64, length: i32): void {
  startAt(indexAt);
  putKey();
  putByte(32);
  putDate(dateMs, true);
  put(URL);
  copy(urlAt, urlBytes);
  if (mimeBytes > 0) {
    put(MIME);
    copy(mimeAt, mimeBytes);
  }
  put(INDEX_DIGEST);
  putDigest(0);
  put(INDEX_LENGTH);
  putNumber(length);
  put(INDEX_OFFSET);
  putNumber(offset);
  put(INDEX_FILE);
  copy(FILE_NAME, nameBytes);
  put(INDEX_END);
  indexAt = w;
}

/** A path of plain names is its own key, behind that of its host; see surt.ts. */
function putKey(): void {
  const start = urlAt;
  const end = start + urlBytes;
  let host = start + 8;
  while (host < end && isHostByte(load<u8>(host))) host++;
  let at = host;
  let isName = true;
  while (at < end && isName) {
    if (load<u8>(at) != 47) isName = false;
    else if (at + 1 == end) isName = false;
    else {
      let next = at + 1;
      if (load<u8>(next) == 46) isName = false;
      while (next < end && isNameByte(load<u8>(next))) next++;
      if (next == at + 1) isName = false;
      if (isName) at = next;
    }
  }
  const isPlain = at == end || (at + 1 == end && load<u8>(at) == 47);
  const hostBytes = <i32>(host - start);
  if (!isPlain || !putHost(hostBytes)) {
    const bytes = keyOfUrl(start, urlBytes);
    copy(ANSWER, bytes);
    return;
  }
  if (at == host) putByte(47);
  else copy(host, <i32>(at - host));
}

function isHostByte(byte: u32): bool {
  const lower = byte | 32;
  return (
    (byte >= 48 && byte <= 58) || (lower >= 97 && lower <= 122) || byte == 45 || byte == 46 || byte == 95
  );
}

function isNameByte(byte: u32): bool {
  return (
    (byte >= 48 && byte <= 57) || (byte >= 97 && byte <= 122) ||
    byte == 45 || byte == 46 || byte == 95 || byte == 126
  );
}

/** The beginning of the key, from the slot of the host; false when it has no room there. */
function putHost(bytes: i32): bool {
  if (bytes > MAX_HOST) return false;
  let hash: u32 = bytes;
  let i = 0;
  while (i < bytes) {
    hash = (hash ^ load<u8>(urlAt + i)) * 0x9e3779b1;
    i++;
  }
  const slot = HOSTS + (hash >>> 24) * HOST_SLOT;
  const key = slot + 4 + MAX_HOST;
  if (load<u16>(slot) != bytes || !isSame(slot + 4, urlAt, bytes)) {
    const keyBytes = keyOfHost(urlAt, bytes);
    if (keyBytes > MAX_HOST) return false;
    store<u16>(slot, <u16>bytes);
    store<u16>(slot + 2, <u16>keyBytes);
    memory.copy(slot + 4, urlAt, bytes);
    memory.copy(key, ANSWER, keyBytes);
  }
  copy(key, load<u16>(slot + 2));
  return true;
}

export function putPageLine(random: usize, bodyBytes: i32, offset: u64, length: i32): void {
  startAt(pagesAt);
  put(ID);
  putUuid(random);
  put(PAGE_URL);
  copy(urlAt, urlBytes);
  put(TIME_START);
  putDate(dateMs, false);
  put(TITLE);
  putJson(titleAt, titleBytes);
  if (hasParent) {
    put(PARENT);
    copy(parentAt, parentBytes);
    put(DEPTH);
  } else put(NO_PARENT);
  putNumber(depth);
  put(LINKS);
  putNumber(links);
  put(LINKS_ALL);
  putNumber(linksAll);
  put(STATUS);
  copy(mimeAt, mimeBytes);
  put(WORDS);
  putNumber(pageWords);
  putString(CHARSET, charsetAt, charsetBytes);
  putString(LANGUAGE, languageAt, languageBytes);
  putString(ROBOTS, robotsAt, robotsBytes);
  put(BYTES);
  putNumber(bodyBytes);
  if (hasDecoded) {
    put(DECODED);
    putNumber(decodedBytes);
  }
  put(DIGEST);
  copy(sha256At, 64);
  put(TIME);
  putDate(dateMs, false);
  put(FILE);
  copy(FILE_NAME, nameBytes);
  put(OFFSET);
  putNumber(offset);
  put(LENGTH);
  putNumber(length);
  put(END);
  pagesAt = w;
}

function putString(name: u32, from: usize, bytes: i32): void {
  if (bytes == 0) return;
  put(name);
  copy(from, bytes);
  putByte(34);
}

/** What a line of the log tells of a page in which nothing is unusual, as log-text.ts composes it. */
function putUsualLine(bodyBytes: i32): void {
  put(LOG_TIME);
  putDate(dateMs, false);
  put(PAGE_URL);
  copy(urlAt, urlBytes);
  put(LOG_DEPTH);
  putNumber(depth);
  put(VIA);
  copy(viaAt, viaBytes);
  putByte(34);
  if (hasParent) {
    put(PARENT);
    copy(parentAt, parentBytes);
    putByte(34);
  }
  put(STATUS);
  copy(mimeAt, mimeBytes);
  put(LOG_BYTES);
  putNumber(bodyBytes);
  put(MS);
  putNumber(tookMs);
}

export function putLogLine(bodyBytes: i32, offset: u64): void {
  startAt(logAt);
  if (lineBytes < 0) putUsualLine(bodyBytes);
  else copy(lineAt, lineBytes);
  put(LOG_FILE);
  copy(FILE_NAME, nameBytes);
  put(OFFSET);
  putNumber(offset);
  put(END);
  logAt = w;
}

/** What `KnownPayloads` keeps of the page; answers its length. */
export function putKnown(random: usize): i32 {
  startAt(KNOWN);
  put(SHA1);
  putDigest(0);
  putByte(10);
  put(SHA256);
  copy(sha256At, 64);
  putByte(10);
  putUuid(random);
  putByte(10);
  putDate(dateMs, false);
  putByte(10);
  copy(urlAt, urlBytes);
  return <i32>(w - KNOWN);
}
