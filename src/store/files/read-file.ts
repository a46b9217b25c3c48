import { closeSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 256 * 1024;

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

/** The same with the offset of each line. */
export function* linesAt(path: string): Generator<[offset: number, line: string], void> {
  let offset = 0;
  for (const line of readLines(path)) {
    yield [offset, line];
    offset += line.length + 1;
  }
}
