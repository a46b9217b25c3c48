import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { Archive } from "../../../src/store/warc/archive.ts";
import { digestMatches } from "../../../src/store/warc/digest.ts";
import { requestBlock, type Secrets, secretsOf } from "../../../src/store/warc/http-block.ts";
import { KnownPayloads } from "../../../src/store/warc/known-payloads.ts";
import { readWarc } from "../../../src/store/warc/warc-reader.ts";
import {
  freshFolder,
  type SampleChanges,
  sampleCapture,
  sampleOptions,
  url,
  writeAndRead,
} from "../sample-capture.ts";

const problemsOf = (records: { problems: string[] }[]) => records.flatMap((r) => r.problems);

test("a capture is a response, a request and a metadata record behind the file's warcinfo", (t) => {
  const page = { title: "Hi", words: 2, links: 1, charset: "utf-8", language: "en" };
  const outlinks = [url("http://example.com/a")];
  const capture = sampleCapture({ page, outlinks, parent: url("http://example.com/p"), depth: 3 });
  const { files, records } = writeAndRead(freshFolder(t), [capture]);
  assert.deepEqual(problemsOf(records), []);
  assert.deepEqual(
    records.map((r) => r.type),
    ["warcinfo", "response", "request", "metadata"],
  );
  const [info, response, request, metadata] = records;
  const id = response!.headers.get("warc-record-id");
  assert.equal(info!.headers.get("warc-filename"), files[0]);
  assert.match(
    info!.block.toString(),
    /^software: orbweaver\/test\r\nformat: WARC File Format 1.1/,
  );
  assert.match(info!.block.toString(), /\r\nrobots: obey\r\n$/);
  for (const record of records.slice(1)) {
    assert.equal(record.headers.get("warc-warcinfo-id"), info!.headers.get("warc-record-id"));
    assert.equal(record.headers.get("warc-target-uri"), "http://example.com/");
    assert.equal(record.headers.get("warc-date"), "2026-01-31T23:59:59.123Z");
    assert.equal(record.headers.get("warc-ip-address"), "127.0.0.1");
    if (record !== response) assert.equal(record.headers.get("warc-concurrent-to"), id);
  }
  assert.equal(response!.headers.get("content-type"), "application/http;msgtype=response");
  assert.equal(request!.headers.get("content-type"), "application/http;msgtype=request");
  assert.deepEqual(response!.block, Buffer.concat([capture.head, capture.body]));
  assert.deepEqual(request!.block, capture.request);
  const fields = metadata!.block.toString().split("\r\n");
  for (const line of [
    "via: http://example.com/p",
    "hopsFromSeed: LLL",
    "title: Hi",
    "charset-for-link-extraction: utf-8",
    "outlink: http://example.com/a",
  ])
    assert.ok(fields.includes(line), line);
});

test("every record has the digest of its block, stored in one block or many or deflated", (t) => {
  // Around the most that a stored block holds, the record's own header included.
  const around = Array.from({ length: 40 }, (_, i) => 65_535 - 1000 + 50 * i);
  for (const level of [0, 1]) {
    const sizes = [0, 1, ...around, 131_070, 300_000];
    const captures = sizes.map((size) => {
      const body = Buffer.from(Array.from({ length: size }, (_, i) => (i * i) >> 3));
      return sampleCapture({ url: url(`http://example.com/${size}`), body });
    });
    const { records } = writeAndRead(freshFolder(t), captures, { level });
    assert.deepEqual(problemsOf(records), []);
    const responses = records.filter(({ type }) => type === "response");
    assert.deepEqual(
      responses.map(({ block }) => block),
      captures.map(({ head, body }) => Buffer.concat([head, body])),
    );
    for (const { headers, block } of records)
      assert.equal(digestMatches(headers.get("warc-block-digest")!, block), true);
  }
});

test("the location answered is the response's gzip member, in the closed file", (t) => {
  const folder = freshFolder(t);
  const archive = new Archive(sampleOptions(folder));
  const captures = [1, 2, 3].map((n) => sampleCapture({ url: url(`http://example.com/${n}`) }));
  const answers = captures.map((capture) => archive.append(capture));
  assert.match(readdirSync(folder).join(), /^test-\d{17}-00000-0\.warc\.gz\.open$/);
  archive.close();
  for (const [i, { location, payloadDigest, recordId }] of answers.entries()) {
    const bytes = readFileSync(join(folder, location.file));
    const member = join(folder, "member");
    writeFileSync(member, bytes.subarray(location.offset, location.offset + location.length));
    const [record, ...others] = readWarc(member);
    assert.deepEqual(others, []);
    assert.equal(record!.headers.get("warc-target-uri"), captures[i]!.url);
    assert.equal(record!.headers.get("warc-payload-digest"), payloadDigest);
    assert.equal(record!.headers.get("warc-record-id"), `<urn:uuid:${recordId}>`);
  }
});

test("bytes stay as they came; only a Transfer-Encoding that is no longer true is renamed", (t) => {
  const head =
    "HTTP/1.1 200 \xe4\r\nX-transfer-encoding: a\r\nTRANSFER-encoding : chunked\r\nX-Odd:\xff\r\n\r\n";
  const body = Buffer.from("transfer-encoding: x\r\n\r\nTransfer-Encoding: y");
  const capture = sampleCapture({ head: Buffer.from(head, "latin1"), body, dechunked: true });
  const { records } = writeAndRead(freshFolder(t), [capture, { ...capture, dechunked: false }]);
  const kept = head.replace("TRANSFER-encoding :", "X-Orig-TRANSFER-encoding :");
  assert.equal(records[1]!.block.toString("latin1"), kept + body.toString("latin1"));
  assert.equal(records[4]!.block.toString("latin1"), head + body.toString("latin1"));
});

test("P9: credentials of a request are not archived, whatever their spelling", (t) => {
  const secrets = [
    "Authorization: Basic S3",
    "COOKIE:S3",
    "Proxy-Authorization : S3\r\n folded S3",
  ];
  const lines = ["GET http://u:S3@example.com/ HTTP/1.1", ...secrets, "Host: x", "cookie: a=S3"];
  const request = Buffer.from(`${lines.join("\r\n")}\r\n\r\nbody Cookie: kept\r\nCookie: kept`);
  const capture = sampleCapture({
    request,
    url: url("http://u:S3@example.com/@a"),
    parent: url("https://u:S3@example.com/"),
    outlinks: [url("http://S3@example.com/b")],
  });
  const { records } = writeAndRead(freshFolder(t), [capture]);
  assert.deepEqual(problemsOf(records), []);
  const all = records.map((r) => [...r.headers.values(), r.block.toString()].join("\n")).join("\n");
  assert.ok(!all.includes("S3"), all);
  assert.equal(
    records[2]!.block.toString(),
    "GET http://example.com/ HTTP/1.1\r\nHost: x\r\n\r\nbody Cookie: kept\r\nCookie: kept",
  );
  assert.equal(records[1]!.headers.get("warc-target-uri"), "http://example.com/@a");
});

test("P9: a request like the one before it, but for its host, is searched all the same", () => {
  const request = (target: string, host: string, more = "") =>
    Buffer.from(`GET ${target} HTTP/1.1\r\n${host}\r\nAccept: */*\r\n${more}\r\n`);
  const kept = (bytes: Buffer, secrets?: Secrets) => requestBlock(bytes, secrets).toString();
  const plain = request("/a", "Host: a.example");
  assert.equal(requestBlock(plain), plain);
  for (const other of [request("/b", "Host: b.example"), request("/c", "Host: c")])
    assert.equal(requestBlock(other), other);
  assert.equal(
    kept(request("/d", "Host: a.example", "Cookie: S3\r\n")),
    kept(request("/d", "Host: a.example")),
  );
  assert.equal(kept(request("/e", "Cookie: S3")), "GET /e HTTP/1.1\r\nAccept: */*\r\n\r\n");
  assert.doesNotMatch(kept(request("http://S3@a.example/f", "Host: a.example")), /S3/);
  assert.doesNotMatch(kept(plain, secretsOf(["accept"])), /Accept/);
  assert.doesNotMatch(kept(plain, secretsOf(["host"])), /a\.example/);
  assert.equal(requestBlock(plain), plain);
  for (const torn of ["GET / HTTP/1.1\nHost: a", "Host: a", "", "\n"])
    assert.equal(kept(Buffer.from(torn)), torn);
});

test("what is compressed already is stored, what is not is deflated", (t) => {
  const text = Buffer.from("the same words again and again ".repeat(3000));
  const coded = gzipSync(text);
  const head = (coding: string) => Buffer.from(`HTTP/1.1 200 OK\r\n${coding}\r\n`);
  const folder = freshFolder(t);
  const archive = new Archive(sampleOptions(folder));
  const length = (changes: SampleChanges) => archive.append(sampleCapture(changes)).location.length;
  assert.ok(length({ body: text }) < text.length / 20);
  assert.ok(
    length({ body: text, head: head("Content-Encoding: identity\r\n") }) < text.length / 20,
  );
  assert.ok(length({ body: text, mime: "image/svg+xml" }) < text.length / 20);
  assert.ok(length({ body: text, mime: "image/png" }) > text.length);
  assert.ok(length({ body: text, head: head("content-encoding: br\r\n") }) > text.length);
  assert.ok(length({ body: coded, head: head("Content-Encoding: gzip\r\n") }) > coded.length);
  archive.close();
  const file = join(folder, readdirSync(folder)[0]!);
  assert.deepEqual(problemsOf([...readWarc(file)]), []);
  execFileSync("gzip", ["-t", file]);
});

test("a full file is closed between captures, and nothing is ever overwritten", (t) => {
  const folder = freshFolder(t);
  const body = Buffer.from(Array.from({ length: 4000 }, (_, i) => i * i));
  const captures = Array.from({ length: 20 }, () => sampleCapture({ body, mime: "image/png" }));
  const clock = () => Date.UTC(2026, 0, 1);
  const options = { rotateBytes: 12_000, clock };
  const first = writeAndRead(folder, captures, options);
  assert.equal(first.files[0], "test-20260101000000000-00000-0.warc.gz");
  assert.ok(first.files.length >= 5);
  assert.deepEqual(problemsOf(first.records), []);
  const sequence = first.records.map((r) => r.type.slice(0, 3)).join(" ");
  assert.match(sequence, /^(war( res req met)+ ?)+$/);
  const second = writeAndRead(folder, captures, options);
  assert.equal(second.files.length, 2 * first.files.length);
  assert.equal(second.records.filter((r) => r.type === "response").length, 40);
});

test("a file is also closed when it holds as many captures as asked for", (t) => {
  const captures = Array.from({ length: 7 }, (_, i) =>
    sampleCapture({ url: url(`http://h/${i}`) }),
  );
  const { files, records } = writeAndRead(freshFolder(t), captures, { rotatePages: 3 });
  assert.deepEqual(
    files.map((file) => file.slice(-16)),
    [0, 1, 2].map((serial) => `-0000${serial}-0.warc.gz`),
  );
  assert.match(records.map((r) => r.type[0]).join(""), /^w(rrm){3}w(rrm){3}wrrm$/);
});

test("the same payload again is a revisit that names the first record, unless it was forgotten", (t) => {
  const bodies = ["one", "two", "one", "three", "two", "one"].map((text) => Buffer.from(text));
  const captures = bodies.map((body, i) => sampleCapture({ url: url(`http://h/${i}`), body }));
  const folder = freshFolder(t);
  const { records } = writeAndRead(folder, captures, { knownPayloads: 2 });
  assert.deepEqual(problemsOf(records), []);
  const main = records.filter((r) => r.type === "response" || r.type === "revisit");
  // "three" drove out "two", which had not been met for longest; "two" then drove out "one", met before "three".
  assert.deepEqual(
    main.map((r) => r.type),
    ["response", "response", "revisit", "response", "response", "response"],
  );
  const [first, , again] = main;
  const get = (name: string) => again!.headers.get(name);
  assert.equal(get("warc-refers-to"), first!.headers.get("warc-record-id"));
  assert.equal(get("warc-refers-to-target-uri"), "http://h/0");
  assert.equal(get("warc-refers-to-date"), first!.headers.get("warc-date"));
  assert.equal(get("warc-payload-digest"), first!.headers.get("warc-payload-digest"));
  assert.equal(
    get("warc-profile"),
    "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
  );
  assert.deepEqual(again!.block, Buffer.from(captures[2]!.head));
});

test("a payload that was cut, is empty, or only has the same SHA-1 is no revisit", (t) => {
  const cut = sampleCapture({ truncated: "length" });
  const empty = sampleCapture({ body: Buffer.alloc(0) });
  const { records } = writeAndRead(freshFolder(t), [cut, cut, empty, empty], { knownPayloads: 9 });
  assert.ok(records.every((r) => r.type !== "revisit"));
  const known = new KnownPayloads(9);
  const record = { recordId: "x", uri: "http://h/", date: "2026" };
  known.add("sha1:A", "sha256:a", record);
  known.add("sha1:A", "sha256:b", record);
  assert.equal(known.find("sha1:A", "sha256:b"), undefined);
  assert.equal(known.find("sha1:A", "sha256:a")?.recordId, "x");
});

test("S5: names come from prefix, time, serial and thread, and stay in the folder", (t) => {
  const folder = freshFolder(t);
  const head = Buffer.from(
    'HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename="../../.bashrc"\r\n\r\n',
  );
  const { files } = writeAndRead(folder, [sampleCapture({ head })], {
    prefix: "../../x y",
    thread: 7,
  });
  assert.equal(files.length, 1);
  assert.match(files[0]!, /^__\.\._x_y-\d{17}-00000-7\.warc\.gz$/);
});

test("no captures, no file; odd clocks and addresses do not spoil a record", (t) => {
  assert.deepEqual(writeAndRead(freshFolder(t), []).files, []);
  const odd = [Number.NaN, -5, 1e20, Number.POSITIVE_INFINITY].map((date) =>
    sampleCapture({ date, ip: "1.2.3.4\r\nWARC-Type: warcinfo" }),
  );
  const { records } = writeAndRead(freshFolder(t), odd);
  assert.deepEqual(problemsOf(records), []);
  assert.ok(records.every((r) => !r.headers.has("warc-ip-address")));
});

test("metadata stops at 256 KiB and tells how much it left out", (t) => {
  const outlinks = Array.from({ length: 10_000 }, (_, i) =>
    url(`http://example.com/${i}${"x".repeat(90)}`),
  );
  const { records } = writeAndRead(freshFolder(t), [sampleCapture({ outlinks })]);
  const lines = records[3]!.block.toString().trimEnd().split("\r\n");
  const written = lines.filter((line) => line.startsWith("outlink: ")).length;
  assert.ok(records[3]!.block.length < 257 * 1024 && written > 2000);
  assert.equal(lines.at(-1), `outlinks-omitted: ${10_000 - written}`);
});

test("S3, S4: hostile bytes in every field change neither count nor framing (property)", (t) => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(
      "\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\n",
      "a\nb",
      "\u2028\u0085\0\x7f\ud800",
      " WARC/1.1\r\n",
    ),
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    hostile.map((text) => Buffer.from(text)),
    fc.constant(gzipSync("WARC/1.1\r\nContent-Length: 0\r\n\r\n\r\n\r\n")),
  );
  const capture = fc.record({
    url: hostile.map((text) => url(`http://example.com/${text}`)),
    parent: hostile.map((text) => url(`http://${text}/`)),
    outlinks: fc.array(
      hostile.map((text) => url(`http://${text}`)),
      { maxLength: 3 },
    ),
    ip: hostile,
    mime: hostile,
    head: bytes,
    body: bytes,
    request: bytes,
    dechunked: fc.boolean(),
    page: fc.record({
      title: hostile,
      charset: hostile,
      language: hostile,
      words: fc.nat(),
      links: fc.nat(),
    }),
  });
  const folder = freshFolder(t);
  let run = 0;
  fc.assert(
    fc.property(fc.array(capture, { minLength: 1, maxLength: 4 }), fc.nat(9), (changes, level) => {
      const captures = changes.map((change) => sampleCapture(change));
      const archive = new Archive(sampleOptions(folder, { level, prefix: `run${run++}` }));
      const answers = captures.map((c) => archive.append(c));
      archive.close();
      const records = [...readWarc(join(folder, answers[0]!.location.file))];
      // A head without its blank line leaves a reader to guess where the payload starts.
      const real = problemsOf(records).filter((p) => !p.startsWith("the payload is not"));
      assert.deepEqual(real, []);
      assert.equal(records.length, 1 + 3 * captures.length);
      for (const [i, c] of captures.entries()) {
        const response = records[1 + 3 * i]!;
        assert.equal(response.type, "response");
        assert.equal(response.offset, answers[i]!.location.offset);
        assert.deepEqual(
          response.block.subarray(response.block.length - c.body.length),
          Buffer.from(c.body),
        );
        const fields = records[3 + 3 * i]!.block.toString().trimEnd().split("\r\n");
        const name =
          /^(via|hopsFromSeed|depth|discoveredBy|cash|payload-digest-sha256|payload-bytes|charset-for-link-extraction|title|language|words|outlink): [^\r\n]*$/;
        for (const line of fields) assert.match(line, name);
      }
    }),
    { numRuns: 80 },
  );
});
