import type { CrawlUrl } from "../../url/crawl-url.ts";
import { hasCredentials, readSeed, withoutCredentials } from "./seed-line.ts";

/** A starting point and the line it stands on (1 is the first). */
export interface Seed {
  readonly url: CrawlUrl;
  readonly line: number;
}

/** A line that is not a URL, with the reason in words. The text is as it was read: escape it before showing it. */
export interface RejectedLine {
  readonly line: number;
  readonly text: string;
  readonly reason: string;
}

/** What a seed file holds. */
export interface SeedList {
  readonly seeds: Seed[];
  readonly rejected: RejectedLine[];
  /** Lines whose canonical URL an earlier line already had. */
  readonly duplicates: number;
  /** Lines with a name or password in them, which are left out. */
  readonly credentials: number;
}

/** Reads a seed file: one URL per line, blank lines and `#` comments skipped, BOM and any line end accepted. */
export function readSeeds(input: string | Uint8Array): SeedList {
  const seeds: Seed[] = [];
  const rejected: RejectedLine[] = [];
  const seen = new Set<CrawlUrl>();
  let duplicates = 0;
  let credentials = 0;
  let line = 0;
  for (const raw of linesOf(input)) {
    line++;
    const text = withoutComment(raw);
    if (text === "") continue;
    const seed = readSeed(text);
    if ("url" in seed && hasCredentials(text)) credentials++;
    if ("reason" in seed)
      rejected.push({ line, text: withoutCredentials(text), reason: seed.reason });
    else if (seen.has(seed.url)) duplicates++;
    else {
      seen.add(seed.url);
      seeds.push({ url: seed.url, line });
    }
  }
  return { seeds, rejected, duplicates, credentials };
}

// A # inside a URL is a fragment; only one at the start or after white space opens a comment.
function withoutComment(raw: string): string {
  return raw.replace(/(?:^|\s)#.*$/s, "").trim();
}

function* linesOf(input: string | Uint8Array): Generator<string> {
  if (typeof input === "string") {
    yield* input.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
    return;
  }
  // Files saved as "Unicode" on Windows are UTF-16; TextDecoder drops the byte-order mark itself.
  const utf16 = input[0] === 0xff && input[1] === 0xfe ? "utf-16le" : undefined;
  if (utf16 !== undefined || !input.includes(10)) {
    yield* linesOf(new TextDecoder(utf16).decode(input));
    return;
  }
  // Line by line: the text of a very large list never exists as one string, which V8 limits to 512 MiB.
  const decoder = new TextDecoder();
  let from = 0;
  while (from <= input.length) {
    const lineFeed = input.indexOf(10, from);
    const to = lineFeed < 0 ? input.length : lineFeed;
    yield* decoder.decode(input.subarray(from, to)).replace(/\r$/, "").split("\r");
    from = to + 1;
  }
}
