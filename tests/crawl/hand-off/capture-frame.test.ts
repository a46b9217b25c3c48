import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { captureRecord, readCapture } from "../../../src/crawl/hand-off/capture-frame.ts";
import { captureOf } from "../../../src/crawl/hand-off/capture-of.ts";
import { FRAMES, readFrame } from "../../../src/crawl/hand-off/frames.ts";
import { logText } from "../../../src/crawl/hand-off/log-text.ts";
import type { PageToStore, ResponseToStore } from "../../../src/crawl/hand-off/what-to-store.ts";
import { type OutcomeLine, timeText } from "../../../src/crawl/visit/visit-outcome.ts";
import { PRINT_WORDS } from "../../../src/page-engine/packed-links.ts";
import { type Capture, takeOver } from "../../../src/store/capture.ts";
import { jsonLine } from "../../../src/store/files/jsonl.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";
import { packed } from "../../page-engine/packed-sample.ts";
import { sampleHead } from "../../store/sample-capture.ts";

const url = fc
  .oneof(fc.webUrl(), fc.constantFrom("http://h/", 'http://h/?q="\\', "http://h/a@b"))
  .map((text) => text as CrawlUrl);
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "ä", "\u{1f600}", "\u2028"),
);
const number = fc.integer({ min: 0, max: 2 ** 31 - 1 });
const large = fc.oneof(fc.maxSafeNat(), fc.double({ min: 0, noNaN: true }));

const lease = fc.record({
  url,
  depth: number,
  via: fc.constantFrom("seed", "link", "redirect"),
  parent: optional(url),
  cash: optional(large),
});
const bytes = fc.string({
  unit: fc.integer({ min: 1, max: 255 }).map((c) => String.fromCharCode(c)),
});
const status = fc.oneof(fc.constant(200), fc.integer({ min: 100, max: 999 }));
const response = fc.record({
  head: fc
    .tuple(status, bytes, fc.constantFrom(-1, 3))
    .map(([code, text, at]) => sampleHead(code, text, () => at)),
  body: fc.uint8Array({ maxLength: 20 }),
  requestText: fc.constantFrom("", "GET / HTTP/1.1\r\n\r\n"),
  address: fc.constantFrom("", "127.0.0.1", "::1"),
  date: large,
  unverified: optional(anyText),
});
const parsed = fc
  .record({
    title: anyText,
    words: number,
    links: fc.array(url, { maxLength: 5 }),
    linksAll: number,
    charset: fc.constantFrom("", "utf-8", "windows-1252"),
    language: optional(anyText),
    before: fc.option(fc.integer({ min: 0, max: 9 })),
  })
  .map(({ before, ...page }) => ({
    ...page,
    linkCount: page.links.length,
    packed: before === null ? undefined : packed(page.links, before),
  }));
const page = fc.record({
  mime: fc.constantFrom("", "text/html", "text/h\xe4"),
  truncated: optional(fc.constantFrom("length" as const, "time" as const)),
  parsed: optional(parsed),
  robots: fc.record({ noindex: fc.boolean(), nofollow: fc.boolean() }),
  decodedBytes: optional(large),
  signals: optional(fc.constant({ noai: true })),
  data: optional(fc.constant('{"a":"ä"}')),
  rows: optional(fc.constantFrom("", "rows ä")),
  unchanged: optional(
    fc.constant({ recordId: "i", uri: "u", date: "d", payloadDigest: "p", payloadSha256: "" }),
  ),
});

const cases = fc.tuple(lease, response, page, fc.boolean());

/** Half a character cannot be written as UTF-8. */
const wellFormed = (text: string) => Buffer.from(text).toString();

test("what is read from the frame of a capture is what was sent, wherever it lies (property)", () => {
  fc.assert(
    fc.property(cases, fc.boolean(), fc.nat(3), ([of, answer, read, isUsual], bodies, at) => {
      const { url: address, ...found } = of;
      const told = { ...found, status: answer.head.status, mime: read.mime, ms: 7 };
      const usual = { ...told, url: address, bytes: answer.body.length, outcome: "page" } as const;
      const time = timeText(Math.min(answer.date, 8e15));
      const line = isUsual ? { ...usual, time } : ({ url: address, outcome: "failed" } as const);
      const more = read as PageToStore;
      const sent = captureOf(line, of, answer as ResponseToStore, more, bodies);
      const record = captureRecord(line, of, answer as ResponseToStore, more, bodies);
      const { kind, parts } = readFrame(Buffer.concat(record));
      assert.equal(kind, isUsual ? FRAMES.page : FRAMES.capture);
      const elsewhere = parts.map((part) => {
        const moved = Buffer.alloc(part.length + at);
        moved.set(part, at);
        return moved.subarray(at);
      });
      const got = readCapture(elsewhere);
      if (sent.page !== undefined) {
        sent.page.title = wellFormed(sent.page.title);
        if (sent.page.language !== undefined) sent.page.language = wellFormed(sent.page.language);
      }
      assert.deepEqual(comparable(got), comparable(sent));
      takeOver(got);
      for (const part of elsewhere) part.fill(0xff);
      assert.deepEqual(comparable(got), comparable(sent));
    }),
    { numRuns: 300 },
  );
});

/** A capture whose bytes and words compare by their values. */
function comparable(capture: Capture): object {
  const { outlinks, ...rest } = capture;
  const { prints, length } = outlinks;
  const words = prints?.words.slice(prints.from, prints.from + PRINT_WORDS * length);
  const seeds = prints && [prints.seedLow >>> 0, prints.seedHigh >>> 0];
  const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString("latin1");
  return {
    ...rest,
    line: text(rest.line),
    request: text(rest.request),
    head: text(rest.head),
    body: text(rest.body),
    rows: text(rest.rows),
    links: [length, text(outlinks.lines), words && [...words], seeds],
  };
}

test("prints of links say where each link ends in the lines", () => {
  const urls = ["http://h/a", "http://h/longer", "http://other/"];
  const links = packed(urls, 5);
  const words = new Uint32Array(1 + PRINT_WORDS * urls.length);
  const lines = Buffer.from(links.lines);
  const check = () => {
    assert.equal(links.putPrints(words, 1), words.length);
    for (const [i, each] of urls.entries()) {
      const [low, high, end] = words.subarray(1 + PRINT_WORDS * i) as unknown as number[];
      assert.deepEqual([low, high], [7 * i, 0xf0000000 + i]);
      assert.equal(lines.toString("latin1", end! - each.length, end), each);
    }
  };
  check();
  links.leaveEngine();
  check();
});

test("a composed line of the log is the one that JSON gives (property)", () => {
  const line = fc.record({
    time: fc.constant("2026-01-01T00:00:00.000Z"),
    url,
    outcome: fc.constantFrom("page" as const, "failed" as const),
    depth: number,
    via: fc.constantFrom("seed", "link"),
    parent: optional(url),
    attempt: fc.constantFrom(undefined, undefined, undefined, 2),
    status: fc.constantFrom(200, 404),
    error: fc.constantFrom(undefined, undefined, undefined, "http_404"),
    location: fc.constantFrom(undefined, undefined, undefined, "http://x/"),
    mime: fc.constantFrom("text/html", 'a"b', "t\xe4"),
    bytes: number,
    ms: number,
    truncated: fc.constantFrom(undefined, undefined, undefined, "time"),
    insecure: fc.constantFrom(undefined, undefined, undefined, "expired"),
    robots: fc.constantFrom(undefined, undefined, undefined, "noindex"),
    urls: fc.constantFrom(undefined, undefined, undefined, 3),
    links_dropped: fc.constantFrom(undefined, undefined, undefined, 1),
  });
  fc.assert(
    fc.property(line, (each) => {
      assert.equal(logText(each as OutcomeLine), jsonLine(each));
    }),
    { numRuns: 500 },
  );
});
