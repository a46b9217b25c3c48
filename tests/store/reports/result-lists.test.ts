import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { unansweredOutcome } from "../../../src/crawl/visit/visit-outcome.ts";
import type { Lease } from "../../../src/frontier/frontier.ts";
import { EventBatch } from "../../../src/frontier/journal/event-batch.ts";
import { EventCursor } from "../../../src/frontier/journal/event-cursor.ts";
import { BATCH_HEADER_BYTES } from "../../../src/frontier/journal/journal-format.ts";
import { jsonLine, jsonText } from "../../../src/store/files/jsonl.ts";
import { safeUri } from "../../../src/store/files/safe-text.ts";
import { LOG_END, PlaceAtEnd } from "../../../src/store/lists/line-end.ts";
import { plainLine } from "../../../src/store/lists/log-line.ts";
import { PageInLog } from "../../../src/store/lists/page-in-log.ts";
import { writeLists } from "../../../src/store/reports/result-lists.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { tempFolder } from "../../support/orbweaver.ts";

/** URLs with every byte that may need care, and long ones. */
const text = fc
  .oneof(
    fc.webUrl(),
    fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((c) => String.fromCharCode(c)) }),
    fc.constantFrom("http://h/@me", "http://u:p@h/", "http://h/\n/x", "http://h/~\x7f", "é", "a"),
    fc.constantFrom(300, 65_535).map((n) => `http://h/${"x".repeat(n - 9)}`),
  )
  .map((url) => url as CrawlUrl);

test("URLs that wait are listed as safeUri writes them, whatever their bytes; seeds are counted (property)", (t) => {
  const folder = tempFolder(t);
  mkdirSync(folder, { recursive: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(text, fc.boolean()), { maxLength: 40 }), (urls) => {
      const batch = new EventBatch();
      for (const [url, seed] of urls) {
        const parent = seed ? undefined : ("http://p/" as CrawlUrl);
        const how = { depth: 0, via: "link", chain: [] } as const;
        batch.admit({ url, parent, seed, ...how }, 1, 2);
      }
      const bytes = Buffer.from(batch.finish());
      const counts = writeLists(folder, {
        ended: [],
        left: [],
        eachWaiting(meet) {
          const cursor = new EventCursor();
          const from = BATCH_HEADER_BYTES;
          cursor.open({ bytes, from, to: from + batch.eventBytes, file: "f", offset: 0 });
          while (cursor.next()) {
            const head = cursor.from;
            const headEnd = cursor.linksFrom();
            for (let at = headEnd; at < cursor.linksTo(); ) {
              const to = at + 2 + bytes.readUInt16LE(at);
              meet({ bytes, head, headEnd, from: at + 2, to, low: 1, high: 2 });
              at = to;
            }
          }
        },
      });
      const found = urls.filter(([, seed]) => !seed).map(([url]) => safeUri(url));
      const written = readFileSync(join(folder, "uncrawled.txt"), "latin1").split("\n");
      assert.deepEqual(written, ["URLs found and not crawled", ...found, ""]);
      assert.deepEqual(counts, {
        crawled: 0,
        uncrawled: found.length,
        seeds: urls.length - found.length,
        allCrawled: 0,
        allFailed: 0,
        waiting: urls.length,
      });
    }),
    { numRuns: 30 },
  );
});

test("what is taken out of a line of the log is what parsing it gives (property)", () => {
  fc.assert(
    fc.property(text, fc.option(text, { nil: undefined }), text, (url, parent, detail) => {
      const lease = { url, parent, depth: 3, via: "link", attempt: 0 } as unknown as Lease;
      const line = unansweredOutcome(lease, { kind: "failed", error: "dns", detail });
      const start = jsonLine(line);
      const stored = `${start.slice(0, -1)},"file":${jsonText("a-0.warc.gz")},"offset":17}`;
      for (const [each, withRecord] of [
        [start, false],
        [stored, true],
      ] as const) {
        const latin = Buffer.from(each).toString("latin1");
        const taken = plainLine(latin, withRecord);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: what JSON escapes
        const isPlain = !/["\\\x00-\x1f\x7f-\uffff]/.test(url + (parent ?? ""));
        assert.equal(taken !== undefined, isPlain);
        if (taken === undefined) continue;
        const { outcome, file, offset } = JSON.parse(each);
        const where = withRecord ? { file, offset } : {};
        assert.deepEqual(taken, {
          url,
          outcome,
          via: "link",
          ...(parent === undefined ? {} : { parent }),
          ...where,
        });
      }
    }),
  );
});

test("what is found in the bytes of a page's line is what parsing it gives, and nothing else is found (property)", () => {
  const found = new PageInLog();
  const place = new PlaceAtEnd(LOG_END);
  const kinds = fc.constantFrom("page", "redirect", "failed");
  const file = fc.constantFrom("a-0.warc.gz", "b-0.warc.gz");
  fc.assert(
    fc.property(text, fc.option(text, { nil: undefined }), kinds, file, fc.nat(), (...of) => {
      const [url, parent, outcome, name, offset] = of;
      const start = jsonLine({ time: "2026", url, outcome, depth: 3, via: "link", parent, ms: 1 });
      const line = `${start.slice(0, -1)},"file":${jsonText(name)},"offset":${offset}}`;
      const bytes = Buffer.from(`xx${line}\nyy`);
      const [from, to] = [2, bytes.length - 3];
      place.expect("a-0.warc.gz");
      const isExpected = name === "a-0.warc.gz";
      assert.equal(place.offset(bytes, from, to), isExpected ? offset : -1);
      const isPlain = (each: string) => /^[^"\\@]+$/.test(each) && safeUri(each) === each;
      const isFound = outcome === "page" && isPlain(url) && isPlain(parent ?? "");
      assert.equal(found.find(bytes, from, to), isFound);
      if (!isFound) return;
      assert.equal(bytes.toString("latin1", found.urlFrom, found.urlTo), url);
      assert.equal(bytes.toString("latin1", found.parentFrom, found.parentTo), parent);
      // Of a long one this would take long.
      for (let end = from; to - from < 500 && end < found.parentTo; end++)
        assert.equal(found.find(bytes, from, end), false);
    }),
  );
});

test("pairs of URLs are listed whatever their length", (t) => {
  const folder = tempFolder(t);
  mkdirSync(folder, { recursive: true });
  const pairs = [10, 60_000, 65_600, 20].map((n) => ["x".repeat(n), "y".repeat(n >> 1)] as const);
  const counts = writeLists(folder, {
    eachStored(crawled, add) {
      for (const [one, other] of pairs) {
        const bytes = Buffer.from(`${one} ${other}`);
        crawled.addPair(bytes, 0, one.length, one.length + 1, bytes.length);
      }
      add({ url: "http://h/b", source: "", failed: true });
    },
    ended: [{ url: "http://h/a", source: "http://h/" }],
    left: [],
    eachWaiting: () => {},
  });
  const lines = [...pairs.map((pair) => pair.join("\t")), "http://h/a\thttp://h/", ""];
  assert.deepEqual(readFileSync(join(folder, "crawled.txt"), "latin1").split("\n"), lines);
  assert.deepEqual([counts.allCrawled, counts.allFailed, counts.seeds], [5, 1, 1]);
});
