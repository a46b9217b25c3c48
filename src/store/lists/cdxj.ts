import { NO_LIMIT, type TimeLimit } from "../../runtime/time-limit.ts";
import { surtKey } from "../../url/surt.ts";
import type { Archived, CaptureFacts } from "../capture.ts";
import { jsonText } from "../files/jsonl.ts";
import { safePage } from "../files/safe-text.ts";
import { sortLines } from "../files/sort-lines.ts";
import { timestamp14 } from "../warc/warc-record.ts";
import { fileJson, indexMimeJson, pageJson } from "./list-texts.ts";

const NOT_MODIFIED_STATUS = 304;
const NOT_KEY = /[^\x21-\x7e]+/g;

/**
 * The index line of a capture: `surt timestamp14 {json}`, fields, order and types (all strings, the
 * digest without its "sha1:") as the indexers of pywb and warcio write them, so that they compare.
 */
export function cdxjLine(
  capture: CaptureFacts,
  { location, payloadDigest: digest, isRevisit }: Archived,
): string {
  const url = safePage(capture.url);
  const mime = isRevisit ? "warc/revisit" : capture.mime;
  // A field that is not there is left out, as the other indexers do.
  const mimeField = mime === "" ? "" : `,"mime":${indexMimeJson(mime)}`;
  // The record of a 304 has no head, and so no status.
  const isBare = isRevisit && capture.status === NOT_MODIFIED_STATUS;
  const status = isBare ? "" : `,"status":"${capture.status}"`;
  const digestText = jsonText(digest.slice(digest.indexOf(":") + 1));
  return `${indexKey(url)} ${timestamp14(capture.date)} {"url":${pageJson(capture.url)}${mimeField}${status},"digest":${digestText},"length":"${location.length}","offset":"${location.offset}","filename":${fileJson(location.file)}}`;
}

/** The key of a URL in the index; it holds no spaces. */
export function indexKey(url: string): string {
  return surtKey(url).replace(NOT_KEY, "");
}

/** The fields of an index line. A key may hold braces, but no spaces. */
export function cdxjFields(line: string): Record<string, string> {
  const afterKey = line.indexOf(" ") + 1;
  return JSON.parse(line.slice(line.indexOf(" ", afterKey) + 1)) as Record<string, string>;
}

/**
 * Sorts the lines of all parts into one index in byte order (LC_ALL=C), in bounded memory. A line
 * names file and offset, so equal lines are one capture seen twice and are written once. Answers how many.
 */
export function mergeCdxj(
  parts: readonly string[],
  out: string,
  limit: TimeLimit = NO_LIMIT,
): number {
  return sortLines(parts, out, { once: true, limit });
}
