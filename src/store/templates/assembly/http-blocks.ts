// The HTTP blocks of a capture, as http-block.ts makes them of ordinary heads and requests.

import { headAt, headBytes, isDechunked, requestAt, requestBytes } from "./plain-facts";
import { MAX_REST, REST } from "./store-layout";
import { copy, isSame, isWord, put, startAt, text, w } from "./texts";

const TRANSFER = text("transfer-encoding");
const CODING = text("content-encoding");
const IDENTITY = text("identity");
const RENAMED = text("X-Orig-");
const HOST = text("Host: ");
const MAX_HEAD: i32 = 256 * 1024;

/** Asks JavaScript whether the request at this address has nothing secret in it. */
declare function isPlainRequest(at: usize, bytes: i32): i32;

let restBytes: i32 = -1;

/** Another archive may leave out something else. */
export function forgetRequest(): void {
  restBytes = -1;
}

/** Whether the request is stored as it is: its end is that of another one, or JavaScript says so. */
export function isRequestPlain(): bool {
  const end = requestAt + requestBytes;
  let at = requestAt;
  while (at < end && load<u8>(at) != 10) {
    if (load<u8>(at) == 64) return false;
    at++;
  }
  if (at == end) return false;
  // Requests to one host after another differ in the first two lines.
  let rest = at;
  if (at + 1 + (HOST & 4095) < end && isSame(at + 1, HOST >> 12, HOST & 4095)) {
    rest = at + 1;
    while (rest < end && load<u8>(rest) != 10) rest++;
    if (rest == end) rest = at;
  }
  const bytes = <i32>(end - rest);
  if (bytes == restBytes && isSame(rest, REST, bytes)) return true;
  if (bytes > MAX_REST || isPlainRequest(requestAt, requestBytes) != 1) return false;
  memory.copy(REST, rest, bytes);
  restBytes = bytes;
  return true;
}

/** Whether the head says that the body is compressed; 2 when that is not plain to see. */
export let coding: i32 = 0;

/** Writes the head of a response, with the line renamed that de-chunking made untrue; answers its length, -1 when in doubt. */
export function putHead(to: usize): i32 {
  coding = 0;
  if (headBytes > MAX_HEAD) return -1;
  startAt(to);
  const end = headAt + headBytes;
  let from = headAt;
  let isCodingSeen = false;
  let at = headAt;
  while (at < end) {
    if (load<u8>(at) == 10) {
      const first = load<u8>(at + 1) | 32;
      if (first == 116 && isDechunked && isField(at + 1, end, TRANSFER) != 0) {
        copy(from, <i32>(at + 1 - from));
        put(RENAMED);
        from = at + 1;
      } else if (first == 99 && !isCodingSeen) {
        const value = isField(at + 1, end, CODING);
        if (value != 0) {
          isCodingSeen = true;
          coding = codingAt(value, end);
        }
      }
    }
    at++;
  }
  copy(from, <i32>(end - from));
  return <i32>(w - to);
}

/** Where the value of a field begins; 0 when another one begins here. */
function isField(at: usize, end: usize, name: u32): usize {
  const bytes = name & 4095;
  if (at + bytes >= end || !isWord(at, name)) return 0;
  let after = at + bytes;
  while (after < end && (load<u8>(after) == 32 || load<u8>(after) == 9)) after++;
  return after < end && load<u8>(after) == 58 ? after + 1 : 0;
}

function codingAt(value: usize, end: usize): i32 {
  let from = value;
  while (from < end && (load<u8>(from) == 32 || load<u8>(from) == 9)) from++;
  let to = from;
  while (to < end && load<u8>(to) != 10 && load<u8>(to) != 13) {
    // What JavaScript trims may be more than spaces.
    if (load<u8>(to) < 32 || load<u8>(to) > 126) return 2;
    to++;
  }
  while (to > from && load<u8>(to - 1) == 32) to--;
  if (to == from) return 0;
  return to - from == <usize>(IDENTITY & 4095) && isWord(from, IDENTITY) ? 0 : 1;
}
