import { closeSync, openSync, readSync } from "node:fs";
import { withFile } from "./system-calls.ts";

const CHUNK_BYTES = 256 * 1024;
const LINE_FEED = 10;

/** Fills `bytes` from a place of an open file; answers how many there are, fewer only where the file ends. */
export function readFully(file: number, bytes: Uint8Array, position: number): number {
  let got = 0;
  while (got < bytes.length) {
    const more = readSync(file, bytes, got, bytes.length - got, position + got);
    if (more === 0) break;
    got += more;
  }
  return got;
}

/** Iterates a file in pieces, each valid until the next. */
export function* chunksOf(path: string, chunkBytes = CHUNK_BYTES): Generator<Buffer, void> {
  const file = openSync(path, "r");
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    for (let at = 0; ; ) {
      const got = readSync(file, chunk, 0, chunkBytes, at);
      if (got === 0) return;
      yield chunk.subarray(0, got);
      at += got;
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Iterates the lines of a file in bounded memory, as Latin-1 strings: one character per byte, so that comparing strings
 * compares bytes, whatever the encoding. A last line without its line end was torn by a crash and is left out.
 */
export function* readLines(path: string, chunkBytes?: number): Generator<string, void> {
  let rest = "";
  for (const chunk of chunksOf(path, chunkBytes)) {
    const text = rest + chunk.toString("latin1");
    let from = 0;
    for (let end = text.indexOf("\n", rest.length); end >= 0; end = text.indexOf("\n", from)) {
      yield text.slice(from, end);
      from = end + 1;
    }
    rest = text.slice(from);
  }
}

/** Calls back for each line of a file as bytes, valid during the call and without the line end; leaves out a torn one. */
export function eachLine(
  path: string,
  use: (bytes: Buffer, from: number, to: number) => void,
  chunkBytes = CHUNK_BYTES,
): void {
  let bytes = Buffer.allocUnsafe(chunkBytes);
  let used = 0;
  withFile(path, "r", (file) => {
    for (;;) {
      const got = readSync(file, bytes, used, bytes.length - used, null);
      if (got === 0) return;
      const to = used + got;
      let from = 0;
      for (let end = lineEnd(bytes, used, to); end >= 0; end = lineEnd(bytes, from, to)) {
        use(bytes, from, end);
        from = end + 1;
      }
      // A line that is longer than everything needs more room.
      const room = to - from < bytes.length ? bytes : Buffer.allocUnsafe(2 * bytes.length);
      used = bytes.copy(room, 0, from, to);
      bytes = room;
    }
  });
}

/** Where the next line end is, -1 when there is none before `to`. */
function lineEnd(bytes: Buffer, from: number, to: number): number {
  const end = bytes.indexOf(LINE_FEED, from);
  return end < to ? end : -1;
}

/** Lines as `readLines` gives them, with the offset of each. */
export function* linesAt(path: string): Generator<[offset: number, line: string], void> {
  let offset = 0;
  for (const line of readLines(path)) {
    yield [offset, line];
    offset += line.length + 1;
  }
}
