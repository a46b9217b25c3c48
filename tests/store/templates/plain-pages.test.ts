import assert from "node:assert/strict";
import crypto from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { captureRecord, readCapture } from "../../../src/crawl/hand-off/capture-frame.ts";
import { readFrame } from "../../../src/crawl/hand-off/frames.ts";
import type { PageToStore, ResponseToStore } from "../../../src/crawl/hand-off/what-to-store.ts";
import { timeText } from "../../../src/crawl/visit/visit-outcome.ts";
import type { Builder } from "../../../src/store/builder.ts";
import { createCrawlFolder } from "../../../src/store/folder/create-folder.ts";
import { graphPaths, writeGraphFacts } from "../../../src/store/folder/graph-facts.ts";
import { packed, SEEDS } from "../../page-engine/packed-sample.ts";
import { freshFolder, sampleBuilder, sampleHead, url } from "../sample-capture.ts";

// Whatever a builder is given, its files must be the same byte for byte, whether a page is stored by templates or by the
// writers, which are the reference.

/** The parts of a frame. */
type Parts = readonly [facts: Buffer, body: Buffer];

/** Ids that tell the records of a capture apart, drawn in whichever way, and a clock that stands still. */
function withoutChance(t: TestContext): void {
  const ids = [1, 2, 3].map((digit) => Buffer.alloc(16, 16 * digit + digit));
  let drawn = -1;
  const { randomUUID, randomFillSync } = crypto;
  const { now } = Date;
  const text = (id: Buffer) => {
    const bytes = Buffer.from(id);
    bytes[6] = (bytes[6]! & 15) | 64;
    bytes[8] = (bytes[8]! & 63) | 128;
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };
  Object.assign(crypto, {
    // The first one of a file is that of its warcinfo.
    randomUUID: () => {
      const id = drawn < 0 ? Buffer.alloc(16) : ids[drawn % 3]!;
      drawn++;
      return text(id);
    },
    randomFillSync: (bytes: Buffer, from = 0, length = bytes.length) => {
      for (let at = 0; at < length; at += 16) ids[(at / 16) % 3]!.copy(bytes, from + at);
      return bytes;
    },
  });
  Date.now = () => Date.UTC(2026, 5, 5);
  syncBuiltinESMExports();
  beginFile = () => {
    drawn = -1;
  };
  t.after(() => {
    Object.assign(crypto, { randomUUID, randomFillSync });
    Date.now = now;
    syncBuiltinESMExports();
  });
}
let beginFile = () => {};

/** The files of a crawl folder in which a builder has stored something. */
function filesOf(t: TestContext, store: (builder: Builder) => void): ReadonlyMap<string, string> {
  beginFile();
  const folder = join(freshFolder(t), "crawl");
  createCrawlFolder(folder, Date.now());
  writeGraphFacts(graphPaths(folder).facts, { version: 2, ...SEEDS });
  const builder = sampleBuilder(folder);
  store(builder);
  builder.close();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.slice(folder.length) !== "/state")
    .map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    names.map((name) => [name.slice(folder.length), readFileSync(name).toString("latin1")]),
  );
}

/** Stores frames in both ways and compares; answers how many were plain. */
function compare(t: TestContext, frames: readonly Parts[], flushEvery = 7): number {
  let plain = 0;
  const flushSome = (builder: Builder, i: number) => {
    if (i % flushEvery === flushEvery - 1 || builder.isDue) builder.flush();
  };
  const expected = filesOf(t, (builder) => {
    for (const [i, parts] of frames.entries()) {
      builder.append(readCapture(parts));
      flushSome(builder, i);
    }
  });
  const found = filesOf(t, (builder) => {
    for (const [i, [facts, body]] of frames.entries()) {
      const place = builder.appendPlain(facts, body);
      if (place === undefined) builder.append(readCapture([facts, body]));
      else plain++;
      flushSome(builder, i);
    }
  });
  assert.deepEqual([...found.keys()], [...expected.keys()]);
  for (const [name, content] of expected) assert.equal(found.get(name), content, name);
  return plain;
}

const LINES = { outcome: "page", time: "2026-01-01T00:00:00.000Z", bytes: 1, ms: 12 } as const;

interface Given {
  readonly url: string;
  readonly title: string;
  readonly links: readonly string[];
  readonly body: Buffer;
  readonly head: string;
  readonly request: string;
  readonly mime: string;
  readonly depth: number;
  readonly via: string;
  readonly parent: string | undefined;
  readonly language: string | undefined;
  readonly charset: string;
  readonly noindex: boolean;
  readonly date: number;
  readonly address: string;
  readonly status: number;
  readonly truncated: "time" | undefined;
  readonly decodedBytes: number | undefined;
  readonly signals: object | undefined;
  readonly outcome: "page" | "failed";
  /** Its line of the log tells nothing but the other facts, so it is left out of the frame. */
  readonly isUsual: boolean;
}

const PLAIN: Given = {
  url: "http://h.example/a/b.html",
  title: "A title",
  links: ["http://h.example/", "http://h.example/a/c.html", "http://other.example/?q"],
  body: gzipSync("<p>some words"),
  head: "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n",
  request: "GET /a/b.html HTTP/1.1\r\nHost: h.example\r\nUser-Agent: test\r\n\r\n",
  mime: "text/html",
  depth: 1,
  via: "link",
  parent: "http://h.example/",
  language: "en",
  charset: "utf-8",
  noindex: false,
  date: Date.UTC(2026, 0, 31, 23, 59, 59, 123),
  address: "127.0.0.1",
  status: 200,
  truncated: undefined,
  decodedBytes: 1234,
  signals: undefined,
  outcome: "page",
  isUsual: true,
};

let bodies = 0;

/** The frame of a capture; its body is different from all others. */
function frame(changes: Partial<Given>, isSameBody = false): Parts {
  const given = { ...PLAIN, ...changes };
  const more = isSameBody ? "" : `${bodies++}`;
  const body = Buffer.concat([given.body, Buffer.from(more)]);
  const head = sampleHead(given.status, given.head, isField(given.head));
  const { url: address, depth, via, parent } = given;
  const lease = { url: url(address), depth, via: via as "link", parent: parent && url(parent) };
  const response = { head, body, requestText: given.request, address: given.address };
  const page = {
    mime: given.mime,
    truncated: given.truncated,
    decodedBytes: given.decodedBytes,
    robots: { noindex: given.noindex, nofollow: false },
    signals: given.signals,
    parsed: {
      title: given.title,
      words: 3,
      links: given.links,
      linkCount: given.links.length,
      packed: packed(given.links, 3),
      linksAll: given.links.length + 1,
      charset: given.charset,
      language: given.language,
    },
  };
  const told = { status: given.status, mime: given.mime, bytes: body.length, ms: 12 };
  const usual = {
    ...{ ...LINES, ...told, url: address, outcome: given.outcome, depth, via, parent },
    time: given.date < 0 ? LINES.time : timeText(given.date),
  };
  const record = captureRecord(
    given.isUsual ? usual : { ...LINES, url: address, outcome: given.outcome, depth, via, parent },
    lease as Parameters<typeof captureRecord>[1],
    { ...response, date: given.date } as ResponseToStore,
    page as unknown as PageToStore,
    true,
  );
  return readFrame(Buffer.concat(record)).parts as unknown as Parts;
}

const isField = (head: string) => (name: string) => head.toLowerCase().indexOf(`\n${name}:`);

test("ordinary pages are stored by templates, after the first of a file", (t) => {
  withoutChance(t);
  const frames = Array.from({ length: 200 }, (_, i) =>
    frame({ url: `http://h${i % 7}.example/p/${i}.html`, links: [`http://h.example/${i}`] }),
  );
  assert.equal(compare(t, frames), 199);
});

test("unusual pages between them are left to the writers", (t) => {
  withoutChance(t);
  const gzipped = PLAIN.head;
  const unusual: readonly [string, Partial<Given>][] = [
    ["a failed page", { status: 404, outcome: "failed" }],
    ["a truncated one", { truncated: "time" }],
    ["a title with a control character", { title: "a\u0085b" }],
    ["a title with a separator of lines", { title: "a\u2028b" }],
    ["a title that ends with a space", { title: "a\u3000" }],
    ["a URL with a user", { url: "http://user@h.example/" }],
    ["a URL with a quote", { url: 'http://h.example/?"' }],
    ["an odd language", { language: "d\u00e9" }],
    ["an odd type", { mime: 'text/"html' }],
    ["an odd coding", { head: gzipped.replace("gzip", "gz\u00a0") }],
    ["signals", { signals: { noai: true } }],
    ["no address", { address: "" }],
    [
      "a request with a secret",
      { request: PLAIN.request.replace("\r\n\r\n", "\r\nCookie: a\r\n\r\n") },
    ],
    ["a request with a user", { request: `GET http://u@h.example/ HTTP/1.1\r\n\r\n` }],
    ["an empty body with nothing in it", { body: Buffer.alloc(0) }],
    ["a feed", { via: "feed" }],
    ["a date before 1970", { date: -1 }],
  ];
  for (const [name, changes] of unusual) {
    const isEmpty = changes.body?.length === 0;
    const frames = [frame({}), frame({}), frame(changes, isEmpty), frame({}), frame({})];
    assert.equal(compare(t, frames), 3, name);
  }
});

test("a payload that was stored before becomes a revisit", (t) => {
  withoutChance(t);
  const same = { body: gzipSync("the same") };
  const frames = [frame({}), frame(same, true), frame({}), frame(same, true), frame({})];
  assert.equal(compare(t, frames), 3);
});

test("pages that arrive uncompressed, chunked, large and with many links are plain, too", (t) => {
  withoutChance(t);
  const head = PLAIN.head.replace("Content-Encoding: gzip\r\n", "");
  const links = Array.from({ length: 900 }, (_, i) => `http://h${i % 9}.example/page/${i}.html`);
  const text = Buffer.from("some words ".repeat(500));
  const chunked = `HTTP/1.1 200 OK\r\nTransfer-Encoding : chunked\r\nContent-Encoding: gzip\r\ntransfer-encoding: x\r\n\r\n`;
  const frames = [
    frame({}),
    frame({ head, body: text }),
    frame({ head: `${PLAIN.head.slice(0, -2)}Content-Encoding:\r\n\r\n`, body: text }),
    frame({
      head: head.replace("\r\n\r\n", "\r\ncontent-encoding: Identity \r\n\r\n"),
      body: text,
    }),
    frame({ head: chunked }),
    frame({ links }),
    frame({ links: [], title: "", language: undefined, parent: undefined, via: "seed", depth: 0 }),
    frame({ via: "redirect", depth: 300, noindex: true, decodedBytes: undefined }),
    frame({ title: 'Größe "ä" \\ – 漢字 \u{1f600}\u2026' }),
    frame({ url: "https://user.example/@name/?b=2&a=1#", parent: "https://h.example/@x" }),
    frame({ url: "http://www.H.example:80/%7Ex/../Y;jsessionid=0123456789abcdef0123456789abcdef" }),
    ...[65_000, 65_535, 65_536, 200_000, 900_000].map((size) =>
      frame({ body: Buffer.alloc(size, "abc") }),
    ),
  ];
  assert.ok(compare(t, frames) >= frames.length - 2);
});

test("any capture is stored as the writers store it (property)", (t) => {
  withoutChance(t);
  const host = fc.constantFrom(
    "h.example",
    "www.h.example:8080",
    "127.0.0.1",
    "xn--a.example",
    "h",
  );
  const path = fc.oneof(
    fc.constantFrom("/", "/a", "/a/", "/a/.b", "/A?x=1", "/a//b", "/@x", "/%41", "/a.b/c_d-e~f/"),
    fc.webPath(),
    fc.webUrl().map((each) => each.slice(each.indexOf("/", 8))),
  );
  const anyUrl = fc
    .tuple(fc.constantFrom("http://", "https://"), host, path)
    .map(([scheme, name, rest]) => `${scheme}${name}${rest.startsWith("/") ? rest : `/${rest}`}`);
  const anyText = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.string({
      unit: fc.constantFrom(" ", "\u00a0", "a", "é", '"', "\\", "\u2003", "\ufeff", "漢"),
    }),
  );
  const some = <T>(...values: T[]) => fc.constantFrom(...values);
  const changes = fc.record(
    {
      url: anyUrl,
      title: anyText,
      links: fc.uniqueArray(anyUrl, { maxLength: 30 }),
      body: fc.uint8Array({ minLength: 0, maxLength: 3000 }).map((bytes) => Buffer.from(bytes)),
      head: some(
        PLAIN.head,
        PLAIN.head.replace("Content-Encoding: gzip\r\n", ""),
        "HTTP/1.0 200\n\n",
      ),
      request: some(PLAIN.request, "GET / HTTP/1.1\r\n\r\n", "GET /@ HTTP/1.1\r\nHost: h\r\n\r\n"),
      mime: some("text/html", "", "application/xhtml+xml", "text/ html"),
      depth: fc.nat(5),
      via: some("seed", "link", "redirect", "refresh", "sitemap", "index"),
      parent: fc.option(anyUrl, { nil: undefined }),
      language: fc.option(some("en", "de-AT", "", " x", "é"), { nil: undefined }),
      charset: some("utf-8", "windows-1252", ""),
      noindex: fc.boolean(),
      date: fc.double({ min: 0, max: 5e12, noNaN: true }),
      address: some("127.0.0.1", "::1", "fe80::1", "x"),
      decodedBytes: fc.option(fc.maxSafeNat(), { nil: undefined }),
      isUsual: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  let plain = 0;
  let all = 0;
  fc.assert(
    fc.property(
      fc.array(changes, { minLength: 2, maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      (each, flushEvery) => {
        const frames = [frame({}), ...each.map((one) => frame(one))];
        plain += compare(t, frames, flushEvery);
        all += each.length;
      },
    ),
    { numRuns: 30 },
  );
  assert.ok(plain > all / 6, `${plain} of ${all}`);
});
