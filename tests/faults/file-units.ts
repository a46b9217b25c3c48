import {
  BATCH_HEADER_BYTES,
  BATCH_TRAILER_BYTES,
  SEGMENT_HEADER_BYTES,
} from "../../src/frontier/journal/journal-format.ts";
import { readWarc } from "../../src/store/warc/warc-reader.ts";
import { inScratchFile } from "./drill.ts";

const SECTION_FRAME_BYTES = 9;

/** Where the parts of an intact file begin that have a checksum of their own: records, batches, sections; else the file. */
export function unitsOf(path: string, bytes: Buffer): number[] {
  if (path.endsWith(".warc.gz"))
    return inScratchFile(bytes, (copy) => [...readWarc(copy)].map(({ offset }) => offset));
  const starts = [0];
  if (path.endsWith(".journal")) {
    const frame = BATCH_HEADER_BYTES + BATCH_TRAILER_BYTES;
    for (let at = SEGMENT_HEADER_BYTES; at < bytes.length; ) {
      starts.push(at);
      at += frame + bytes.readUInt32LE(at + 4);
    }
  } else if (/\.(snapshot|done)$/.test(path)) {
    for (let at = 0; at < bytes.length; ) {
      starts.push(at);
      at += SECTION_FRAME_BYTES + bytes.readUInt32LE(at + 1);
    }
  }
  return starts;
}
