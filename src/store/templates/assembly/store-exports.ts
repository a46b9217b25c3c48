// What JavaScript calls, in this order for each page: begin, digests, end.

import { makeCrcTables } from "./crc32";
import { makeCodes } from "./deflate";
import { edgesAt, namesAt, putEdges, restartGraph } from "./graph-edges";
import { forgetRequest, isRequestPlain } from "./http-blocks";
import {
  indexAt, logAt, pagesAt, putIndexLine, putKnown, putLogLine, putPageLine, restartLists, setFileName,
} from "./lists";
import { readFacts, requestAt, requestBytes } from "./plain-facts";
import {
  beginMetadata, beginResponse, blockAt, blockBytes, bodyAt, deflateRecord, endMetadata, endResponse, isDeflated,
  isMetadataDeflated, membersAt, METADATA_AT, metadataBytes, putRequest, recordAt, recordBytes,
  restartMembers, setLevel, sha256At, skipMember,
} from "./records";
import { CELLS, EDGES, INDEX, LOG, MEMBERS, METADATA, NAMES, PAGES } from "./store-layout";
import { setSeed } from "../../../page-engine/assembly/url-hash";

export * from "./store-layout";

let low: i32 = 0;
let high: i32 = 0;
let bodyBytes: i32 = 0;
let offset: u64 = 0;
let length: i32 = 0;
let startOfPage: usize = 0;

function setCell(index: i32, value: usize): void {
  store<u32>(CELLS + 4 * index, <u32>value);
}

/** The seeds of the graph's ids, and how records are compressed. */
export function open(seedLow: i32, seedHigh: i32, level: i32): void {
  low = seedLow;
  high = seedHigh;
  setSeed(seedLow, seedHigh);
  setLevel(level);
  makeCrcTables();
  makeCodes();
  forgetRequest();
}

/** The name of another archive file is there. */
export function setFile(nameBytes: i32): void {
  setFileName(nameBytes);
}

/** Begins a page, whose facts are there; 0 when it is not a plain one. Then nothing has changed. */
export function begin(bytes: i32): i32 {
  bodyBytes = bytes;
  if (!readFacts(bytes, low, high) || !isRequestPlain() || !beginResponse(bytes)) return 0;
  beginMetadata(bytes);
  setCell(0, bodyAt);
  setCell(1, bytes);
  setCell(2, blockAt);
  setCell(3, blockBytes);
  setCell(4, requestAt);
  setCell(5, requestBytes);
  setCell(6, METADATA_AT);
  setCell(7, metadataBytes);
  setCell(8, sha256At);
  return 1;
}

/** Completes the response; 1 when JavaScript has to compress the record first, which is then told by `compressed`. */
export function end(random: usize, at: f64): i32 {
  startOfPage = membersAt;
  offset = <u64>at + <u64>(membersAt - MEMBERS);
  endResponse(random);
  if (!isDeflated) return 0;
  setCell(9, recordAt);
  setCell(10, recordBytes);
  setCell(11, membersAt);
  return 1;
}

/** JavaScript has put the member of a compressed record where it belongs. */
export function compressed(bytes: i32): void {
  skipMember(bytes);
}

/** Writes all but the metadata record; 1 when JavaScript has to compress that. */
export function endRecords(random: usize): i32 {
  length = <i32>(membersAt - startOfPage);
  putRequest(random);
  endMetadata(random);
  if (!isMetadataDeflated) return 0;
  setCell(9, recordAt);
  setCell(10, recordBytes);
  setCell(11, membersAt);
  return 1;
}

/** Writes the lines of the page; answers the length of its first record. */
export function endLists(random: usize): i32 {
  putIndexLine(offset, length);
  putPageLine(random, bodyBytes, offset, length);
  putLogLine(bodyBytes, offset);
  putEdges();
  setCell(12, putKnown(random));
  tellWaiting();
  return length;
}

/** Compresses a record that JavaScript has put to METADATA, behind what waits; answers the length of the member, or 0. */
export function deflateMember(bytes: i32): i32 {
  const end = deflateRecord(METADATA, bytes, membersAt);
  setCell(11, membersAt);
  return end == 0 ? 0 : <i32>(end - membersAt);
}

/** Everything that waited was taken. */
export function restart(): void {
  restartMembers();
  restartLists();
  restartGraph();
  tellWaiting();
}

/** How much waits for each file, when the last page was whole. */
function tellWaiting(): void {
  setCell(13, membersAt - MEMBERS);
  setCell(14, indexAt - INDEX);
  setCell(15, pagesAt - PAGES);
  setCell(16, logAt - LOG);
  setCell(17, namesAt - NAMES);
  setCell(18, edgesAt - EDGES);
}
