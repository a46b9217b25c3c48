import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { readLines } from "../files/read-file.ts";
import { replaceFile } from "../files/replace-file.ts";

const LINES_PER_BLOCK = 3000;
const NAME = "index.cdx.gz";

/**
 * Writes a sorted index as blocks of gzip and answers a second index with the offset of each block, so that a reader
 * needs one small block of a large index.
 */
export function writeZipNum(index: string, out: string, linesPerBlock = LINES_PER_BLOCK): Buffer {
  const secondary = [`!meta 0 ${JSON.stringify({ format: "cdxj-gzip-1.0", filename: NAME })}`];
  replaceFile(out, (file) => {
    let block: string[] = [];
    const flush = () => {
      if (block.length === 0) return;
      const bytes = gzipSync(Buffer.from(`${block.join("\n")}\n`, "latin1"));
      const [key, time] = block[0]!.split(" ", 2) as [string, string];
      const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
      const place = { offset: file.size, length: bytes.length, digest, filename: NAME };
      secondary.push(`${key} ${time} ${JSON.stringify(place)}`);
      file.write(bytes);
      block = [];
    };
    for (const line of readLines(index)) {
      block.push(line);
      if (block.length === linesPerBlock) flush();
    }
    flush();
  });
  return Buffer.from(`${secondary.join("\n")}\n`, "latin1");
}
