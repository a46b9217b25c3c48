import { surtKey } from "../url/surt.ts";
import type { Capture, Location } from "./capture.ts";
import { jsonLine } from "./jsonl.ts";
import { safeText, safeUri } from "./safe-text.ts";
import { sortLines } from "./sort-lines.ts";
import { timestamp14 } from "./warc-record.ts";

const NOT_KEY = /[^\x21-\x7e]+/g;

/**
 * The index line of a capture: `surt timestamp14 {json}`, fields, order and types (all strings, the
 * digest without its "sha1:") as the indexers of pywb and warcio write them, so that they compare.
 */
export function cdxjLine(capture: Capture, location: Location, digest: string): string {
  const url = safeUri(capture.url);
  const fields = {
    url,
    // A field that is not there is left out, as the other indexers do.
    ...mimeField(capture),
    status: String(capture.status),
    digest: digest.slice(digest.indexOf(":") + 1),
    length: String(location.length),
    offset: String(location.offset),
    filename: location.file,
  };
  return `${surtKey(url).replace(NOT_KEY, "")} ${timestamp14(capture.date)} ${jsonLine(fields)}`;
}

function mimeField({ unchanged, mime }: Capture): { mime?: string } {
  if (unchanged !== undefined) return { mime: "warc/revisit" };
  return mime === "" ? {} : { mime: safeText(mime) };
}

/**
 * Sorts the lines of all parts into one index in byte order (LC_ALL=C), in bounded memory. A line
 * names file and offset, so equal lines are one capture seen twice and are written once.
 */
export function mergeCdxj(parts: readonly string[], out: string): void {
  sortLines(parts, out, { sameWhen: (line) => line });
}
