import { UNIT } from "../../frontier/cash/cash-book.ts";
import type { Signals } from "../../parse/rights/signals.ts";
import type { Archived, CaptureFacts } from "../capture.ts";
import { jsonText } from "../files/jsonl.ts";
import { safeText } from "../files/safe-text.ts";
import { warcDate } from "../warc/warc-record.ts";
import {
  charsetJson,
  fileJson,
  languageJson,
  mimeJson,
  pageJson,
  parentJson,
  robotsJson,
} from "./list-texts.ts";

/** One page as pages/pages.jsonl lists it; id, url, ts and title are what WACZ readers look for. */
export interface PageLine {
  /** UUID of the response record in the archive. */
  id: string;
  url: string;
  ts: string;
  title: string;
  /** The page it was found on first; null for seeds. */
  parent: string | null;
  depth: number;
  links: number;
  /** Links before repeats were left out; absent where nothing was parsed. */
  linksAll?: number;
  status: number;
  mime: string;
  words: number;
  /** The encoding the page was read in; absent where nothing was parsed. */
  charset?: string;
  /** The language that the page declares, as it stands there. */
  language?: string;
  /** What the page asks crawlers for, where it does: "noindex", "nofollow". */
  robots?: string;
  /** Only with --recrawl, on pages that the server did not send again: when the copy was fetched that still holds. */
  unchangedSince?: string;
  /** Length of the body as stored: transfer coding removed, content coding kept. */
  bytes: number;
  /** Length without its content coding; absent where nobody has removed that while crawling. */
  decodedBytes?: number;
  /** sha256 of those bytes; "" when no store keeps them. */
  digest: string;
  /** Same instant as ts. */
  time: string;
  /** What is said about the use of its content, where something is: tdmReservation, noai, contentSignal, licenses, … */
  signals?: Signals;
  /** What the handler of `--handler` answered. */
  data?: unknown;
  file: string;
  offset: number;
  length: number;
  /** Only with --order opic: the cash it was fetched with, and that as a part of what a seed begins with. */
  cash?: number;
  priority?: number;
}

/** The line of pages.jsonl, a `PageLine`, for a page that the archive holds. */
export function pageLine(capture: CaptureFacts, archived: Archived): string {
  const { page, parent, mime } = capture;
  const { location } = archived;
  const time = warcDate(capture.date);
  const source = parent === undefined ? "null" : parentJson(parent);
  const links = jsonNumber(page?.links ?? capture.outlinks.length);
  const all = page?.linksAll === undefined ? "" : `,"linksAll":${page.linksAll}`;
  const charset = page?.charset ? `,"charset":${charsetJson(page.charset)}` : "";
  const language = page?.language ? `,"language":${languageJson(page.language)}` : "";
  const robots = page?.robots ? `,"robots":${robotsJson(page.robots)}` : "";
  const since = capture.unchanged && safeText(capture.unchanged.date);
  const unchanged = since === undefined ? "" : `,"unchangedSince":${jsonText(since)}`;
  const bytes = jsonNumber(capture.bytes);
  const decoded = capture.decodedBytes;
  const plain = decoded === undefined ? "" : `,"decodedBytes":${decoded}`;
  const signals = capture.signals === undefined ? "" : `,"signals":${capture.signals}`;
  const data = capture.data === undefined ? "" : `,"data":${capture.data}`;
  const start = `{"id":${jsonText(archived.recordId)},"url":${pageJson(capture.url)},"ts":"${time}","title":${jsonText(page?.title ?? "")},"parent":${source}`;
  const facts = `,"depth":${jsonNumber(capture.depth)},"links":${links}${all},"status":${capture.status},"mime":${mimeJson(mime)},"words":${jsonNumber(page?.words ?? 0)}${charset}${language}${robots}${unchanged},"bytes":${bytes}${plain}`;
  const place = `,"digest":${jsonText(archived.payloadSha256)},"time":"${time}"${signals}${data},"file":${fileJson(location.file)},"offset":${location.offset},"length":${location.length}`;
  return `${start}${facts}${place}${priorityOf(capture.cash)}}`;
}

/** As JSON.stringify writes a number: what was read back from a damaged record may be NaN. */
function jsonNumber(value: number): string {
  return Number.isFinite(value) ? String(value) : "null";
}

function priorityOf(cash: number | undefined): string {
  return cash === undefined ? "" : `,"cash":${cash},"priority":${cash / UNIT}`;
}
