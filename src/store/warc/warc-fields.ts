import type { Capture, PageFacts } from "../capture.ts";
import { safeParent, safeText } from "../files/safe-text.ts";
import { LINK_END, type LinkList } from "../link-list.ts";

const MAX_METADATA_BYTES = 256 * 1024;
const MAX_VALUE_CHARS = 8192;
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** One line of application/warc-fields; "" without a value. */
function line(name: string, value: string | number | undefined): string {
  return value === undefined || value === "" ? "" : `${name}: ${value}\r\n`;
}

/** The same for a value that came from the web. */
function field(name: string, value: string | undefined): string {
  return value === undefined ? "" : line(name, safeText(value).slice(0, MAX_VALUE_CHARS));
}

/** The block of a warcinfo record: who crawled, with what, under which rules. */
export function warcinfoBlock(info: Readonly<Record<string, string>>): string {
  let text = "";
  for (const [name, value] of Object.entries(info))
    if (FIELD_NAME.test(name)) text += field(name, value);
  return text;
}

/**
 * Hops as archive tools write them, one letter each. A redirect keeps its page's depth, so only
 * the last hop is known to be one; the hops before it are links.
 */
function hopsFromSeed(capture: Capture): string {
  const links = "L".repeat(Math.min(Math.max(capture.depth, 0), 256));
  return capture.via === "redirect" ? `${links}R` : links;
}

/** The block of a metadata record, in parts: how the page was found, what it contains, where it links to. */
export function metadataBlock(
  capture: Capture,
  payloadSha256: string,
): readonly (string | Uint8Array)[] {
  const { page, parent, outlinks } = capture;
  const text =
    line("via", parent && safeParent(parent)) +
    line("hopsFromSeed", hopsFromSeed(capture)) +
    line("depth", capture.depth) +
    line("discoveredBy", capture.via) +
    line("payload-digest-sha256", payloadSha256.slice(payloadSha256.indexOf(":") + 1)) +
    // A revisit record has no payload from which this could be seen.
    line("payload-bytes", capture.body.length) +
    line("decoded-bytes", capture.decodedBytes) +
    // The record of a page that was not sent again has no head.
    (capture.unchanged === undefined ? "" : field("mime", capture.mime)) +
    line("cash", capture.cash) +
    field("signals", capture.signals) +
    field("data", capture.data) +
    field("tls-unverified", capture.unverified) +
    (page === undefined ? "" : pageFields(page));
  const room = MAX_METADATA_BYTES - text.length;
  return outlinks.lines.length <= room ? [text, outlinks.lines] : [text, ...cut(outlinks, room)];
}

function pageFields({ charset, title, language, robots, words, linksAll }: PageFacts): string {
  return (
    field("charset-for-link-extraction", charset) +
    field("title", title) +
    field("language", language) +
    field("robots", robots) +
    line("words", words) +
    line("links-all", linksAll)
  );
}

/** The links for which there is room, and how many are left out. */
function cut({ lines, length }: LinkList, room: number): [Uint8Array, string] {
  const last = lines.lastIndexOf(LINK_END, Math.max(0, room - LINK_END.length));
  const kept = lines.subarray(0, last < 0 ? 0 : last + LINK_END.length);
  let written = 0;
  for (let at = 0; at < kept.length; at = kept.indexOf(LINK_END, at) + LINK_END.length) written++;
  return [kept, `outlinks-omitted: ${length - written}\r\n`];
}
