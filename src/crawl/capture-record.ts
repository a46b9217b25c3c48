import type { Capture } from "../store/capture.ts";
import { LinkList } from "../store/link-list.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import type { OutcomeLine } from "./outcome-line.ts";

/** What the log's line does not say; travels as JSON, too. */
type CaptureFacts = Pick<
  Capture,
  "ip" | "date" | "dechunked" | "truncated" | "page" | "unverified" | "unchanged" | "cash"
>;

/** A record of the kind `capture` as the builder stores it, and its line of the log as text. */
export function readCapture(parts: readonly Buffer[]): { capture: Capture; text: string } {
  const text = parts[0]!.toString("utf8");
  const line: OutcomeLine = JSON.parse(text);
  const facts: CaptureFacts = JSON.parse(parts[1]!.toString("utf8"));
  const capture: Capture = {
    ...facts,
    url: line.url as CrawlUrl,
    status: line.status!,
    mime: line.mime!,
    depth: line.depth,
    via: line.via as NonNullable<Capture["via"]>,
    ...(line.parent === undefined ? {} : { parent: line.parent as CrawlUrl }),
    outlinks: LinkList.fromLines(parts[2]!.toString("latin1")),
    request: parts[3]!,
    head: parts[4]!,
    body: parts[5]!,
  };
  return { capture, text };
}
