// The edges of a page and names of new nodes, as link-log.ts adds them.

import { links, linksAt, prints, urlAt, urlBytes } from "./plain-facts";
import { EDGES, NAMED, NAMED_SET, NAMED_SETS, NAMES } from "./store-layout";
import { copy, putByte, putHex, startAt, w } from "./texts";
import { urlHash } from "../../../page-engine/assembly/url-hash";

const LINK_START: i32 = 9;
const LINK_END: i32 = 2;

export let edgesAt: usize = EDGES;
export let namesAt: usize = NAMES;

export function restartGraph(): void {
  edgesAt = EDGES;
  namesAt = NAMES;
}

export function putEdges(): void {
  if (links == 0) return;
  startAt(namesAt);
  const id = urlHash(urlAt, urlBytes);
  // An id in a file has its high half first.
  const source = rotl<u64>(id, 32);
  if (isNew(id)) putName(id, urlAt, urlBytes);
  let nameAt = linksAt + LINK_START;
  let edge = edgesAt;
  let at = prints;
  let i = 0;
  while (i < links) {
    const target = load<u64>(at);
    const nameEnd = linksAt + load<u32>(at + 8);
    store<u64>(edge, source);
    store<u64>(edge + 8, rotl<u64>(target, 32));
    if (isNew(target)) putName(target, nameAt, <i32>(nameEnd - nameAt));
    nameAt = nameEnd + LINK_END + LINK_START;
    edge += 16;
    at += 12;
    i++;
  }
  edgesAt = edge;
  namesAt = w;
}

/** As `RecentIds.add`: the low word of an id comes first. */
function isNew(id: u64): bool {
  const set = NAMED + (<u32>id & (NAMED_SETS - 1)) * NAMED_SET;
  const first = load<u64>(set);
  const second = load<u64>(set + 8);
  const third = load<u64>(set + 16);
  if (first == id || second == id || third == id || load<u64>(set + 24) == id) return false;
  store<u64>(set + 24, third);
  store<u64>(set + 16, second);
  store<u64>(set + 8, first);
  store<u64>(set, id);
  return true;
}

function putName(id: u64, from: usize, bytes: i32): void {
  putHex(id);
  putByte(32);
  copy(from, bytes);
  putByte(10);
}
