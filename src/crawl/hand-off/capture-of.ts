import type { Lease } from "../../frontier/frontier.ts";
import { type PackedLinks, PRINT_WORDS } from "../../page-engine/packed-links.ts";
import { directivesText } from "../../parse/robots-meta.ts";
import type { Capture } from "../../store/capture.ts";
import { jsonLine } from "../../store/files/jsonl.ts";
import { LinkList, type LinkPrints, linkLines } from "../../store/link-list.ts";
import type { OutcomeLine } from "../visit/visit-outcome.ts";
import { logText } from "./log-text.ts";
import type { PageToStore, ResponseToStore } from "./what-to-store.ts";

const EMPTY = Buffer.alloc(0);

/** A capture that goes past the buffer: what would be read from its frame (`capture-frame.ts`). Links and body are views. */
export function captureOf(
  line: Partial<OutcomeLine>,
  lease: Pick<Lease, "url" | "depth" | "via" | "parent" | "cash">,
  response: ResponseToStore,
  page: PageToStore,
  bodies: boolean,
): Capture {
  const { parsed } = page;
  const { head } = response;
  const lines = parsed?.packed?.lines ?? linkLines(parsed?.links ?? []);
  const text = logText(line);
  return {
    kind: "capture",
    url: lease.url,
    status: head.status,
    mime: page.mime,
    bytes: response.body.length,
    depth: lease.depth,
    via: lease.via,
    parent: lease.parent,
    ip: response.address,
    date: response.date,
    dechunked: head.find("transfer-encoding") >= 0,
    truncated: page.truncated,
    unverified: response.unverified,
    unchanged: page.unchanged,
    cash: lease.cash,
    data: page.data,
    page: parsed && {
      title: parsed.title,
      words: parsed.words,
      links: parsed.linkCount,
      charset: parsed.charset,
      language: parsed.language,
      robots: directivesText(page.robots),
      linksAll: parsed.linksAll,
    },
    decodedBytes: page.decodedBytes,
    signals: page.signals && jsonLine(page.signals),
    outlinks: LinkList.fromLines(
      typeof lines === "string" ? Buffer.from(lines, "latin1") : lines,
      parsed?.linkCount ?? 0,
      printsOf(parsed?.packed),
    ),
    request: bodies ? Buffer.from(response.requestText, "latin1") : EMPTY,
    head: bodies ? Buffer.from(head.text, "latin1") : EMPTY,
    body: bodies ? response.body : EMPTY,
    rows: page.rows === undefined || page.rows === "" ? undefined : Buffer.from(page.rows),
    // Without its closing brace.
    line: Buffer.from(text.slice(0, -1)),
    archived: undefined,
  };
}

/** What the engine knows of the links, in memory of its own: the links leave the engine's with the next page. */
function printsOf(packed: PackedLinks | undefined): LinkPrints | undefined {
  if (packed === undefined) return undefined;
  const { seedLow, seedHigh, length } = packed;
  const words = new Uint32Array(PRINT_WORDS * length);
  packed.putPrints(words, 0);
  return { seedLow, seedHigh, words, from: 0 };
}
