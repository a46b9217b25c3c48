import { closeSync, openSync, readSync } from "node:fs";

const CHUNK_BYTES = 256 * 1024;

/**
 * Iterates the lines of a file in bounded memory, as Latin-1 strings: one character per byte, so
 * that comparing strings compares bytes, whatever the encoding. A last line without its line end
 * was torn by a crash and is not given.
 */
export function* readLines(path: string, chunkBytes = CHUNK_BYTES): Generator<string, void> {
  const file = openSync(path, "r");
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let rest = "";
    for (;;) {
      const got = readSync(file, chunk, 0, chunkBytes, null);
      if (got === 0) return;
      const text = rest + chunk.toString("latin1", 0, got);
      let from = 0;
      for (let end = text.indexOf("\n", rest.length); end >= 0; end = text.indexOf("\n", from)) {
        yield text.slice(from, end);
        from = end + 1;
      }
      rest = text.slice(from);
    }
  } finally {
    closeSync(file);
  }
}
