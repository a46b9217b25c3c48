import assert from "node:assert/strict";
import { lastFingerprint } from "../../src/hash/fingerprint.ts";
import { urlFingerprint } from "../../src/hash/url-fingerprint.ts";
import type { PageEngine } from "../../src/page-engine/page-engine.ts";
import { parseByEngine } from "../../src/parse/engine/engine-page.ts";
import { type ParsedPage, type ParseOptions, parseByReference } from "../../src/parse/page.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";
import { originOf } from "../../src/url/url-parts.ts";

/** Everything that was found, with links as strings. */
function plain(page: ParsedPage): object {
  const { packed, firstText, foundWords, ...rest } = page as ParsedPage & { foundWords?: string[] };
  if (firstText !== undefined) assert.equal(firstText, page.firstWords.join(" "));
  return { ...rest, links: [...page.links], firstWords: page.firstWords };
}

/** The engine finds what the reference does, or leaves the page to it; answers whether it read the page. */
export function agrees(
  body: Buffer,
  url: CrawlUrl,
  options: ParseOptions = {},
  engine?: PageEngine,
): boolean {
  const found = parseByEngine(body, url, options, engine);
  if (found === undefined) return false;
  assert.deepEqual(plain(found), plain(parseByReference(body, url, options)));
  const packed = found.packed!;
  const { seedLow = 0, seedHigh = 0 } = options;
  const origins = new Map<string, number>();
  for (const [i, link] of found.links.entries()) {
    const isMarked = urlFingerprint(link, seedLow, seedHigh);
    assert.deepEqual([packed.low(i), packed.high(i)], [lastFingerprint.low, lastFingerprint.high]);
    // One mark too many only costs time.
    assert.ok(packed.isMarked(i) || !isMarked, `marked: ${link}`);
    assert.equal(packed.url(i), link);
    const origin = originOf(link);
    assert.equal(packed.originText(i), origin);
    const number = packed.origin(i);
    if (number < packed.origins) assert.equal(origins.get(origin) ?? number, number);
    origins.set(origin, number);
  }
  const told = [...origins.values()].filter((number) => number < packed.origins);
  assert.equal(new Set(told).size, told.length, "two origins with one number");
  const lines = found.links.map((link) => `outlink: ${link}\r\n`).join("");
  assert.equal(packed.lines.toString("latin1"), lines);
  return true;
}
