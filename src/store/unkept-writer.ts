import { randomInt } from "node:crypto";
import { UNKEPT } from "./capture.ts";
import { newRecordId } from "./warc/warc-record.ts";
import { unbufferedWriter, type Writer, type WriterOptions } from "./writer.ts";

/** The store of `--store none`: keeps nothing, but gives each capture a number that no other of the crawl has. */
export function openUnkept({ config }: WriterOptions): Writer | undefined {
  if (config.store !== "none") return undefined;
  // Random, so that no other builder and no later run begins near it.
  let number = randomInt(2 ** 47);
  return unbufferedWriter((entry) => {
    if (entry.kind !== "capture") return false;
    const location = { file: UNKEPT, offset: number++, length: 0 };
    const recordId = newRecordId();
    const unknown = { payloadDigest: "", payloadSha256: "", isRevisit: false };
    entry.archived = { location, recordId, ...unknown };
    return false;
  });
}
