import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { Archive } from "../../../src/store/warc/archive.ts";
import { readWarc } from "../../../src/store/warc/warc-reader.ts";
import { conformanceFile, conformanceJson, noConformance } from "../../support/conformance.ts";
import { freshFolder, sampleCapture, sampleOptions, url } from "../sample-capture.ts";

/** A good file of five captures: its bytes, its records, and a way to read changed bytes. */
function goodFile(t: TestContext) {
  const folder = freshFolder(t);
  const archive = new Archive(sampleOptions(folder));
  for (let i = 0; i < 5; i++) {
    const body = Buffer.from(`<p>${"text ".repeat(i * 400)}`);
    archive.append(sampleCapture({ url: url(`http://example.com/${i}`), body }));
  }
  archive.close();
  const bytes = readFileSync(join(folder, readdirSync(folder)[0]!));
  const read = (changed: Uint8Array, maxRecordBytes?: number) => {
    const path = join(folder, "changed");
    writeFileSync(path, changed);
    return [...readWarc(path, maxRecordBytes === undefined ? {} : { maxRecordBytes })];
  };
  return { bytes, records: read(bytes), read };
}

test("offsets and lengths of the records cover the file without gap or overlap", (t) => {
  const { bytes, records } = goodFile(t);
  assert.equal(records.length, 16);
  let at = 0;
  for (const record of records) {
    assert.deepEqual([record.offset, record.problems, record.afterDamage], [at, [], false]);
    at += record.length;
  }
  assert.equal(at, bytes.length);
});

test("a file cut anywhere gives its whole records and then the offset of the torn one", (t) => {
  const { bytes, records, read } = goodFile(t);
  const ends = new Set(records.map((r) => r.offset + r.length));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: bytes.length - 1 }), (cut) => {
      const found = read(bytes.subarray(0, cut));
      const whole = records.filter((r) => r.offset + r.length <= cut);
      const torn = ends.has(cut) ? 0 : 1;
      assert.equal(found.length, whole.length + torn);
      assert.ok(found.slice(0, whole.length).every((r) => r.problems.length === 0));
      if (torn === 0) return;
      const last = found.at(-1)!;
      assert.equal(last.offset, records[whole.length]!.offset);
      assert.equal(last.offset + last.length, cut);
      assert.match(last.problems.join(), /^torn: the file ends inside the gzip member at \d+$/);
    }),
    { numRuns: 200 },
  );
});

test("a flipped bit is found at its record, and every other record is kept", (t) => {
  const { bytes, records, read } = goodFile(t);
  const content = (r: (typeof records)[number]) => [r.offset, r.length, [...r.headers], r.block];
  let detected = 0;
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
      const changed = Buffer.from(bytes);
      changed[at] = changed[at]! ^ (1 << bit);
      const { offset } = records.find((r) => at < r.offset + r.length)!;
      const found = read(changed);
      const good = found.filter((r) => r.problems.length === 0);
      const bad = found.filter((r) => r.problems.length > 0);
      if (bad.length === 0) {
        // Time and system in a gzip header and the padding of a stored block carry no meaning.
        assert.deepEqual(found.map(content), records.map(content));
        return;
      }
      detected++;
      assert.equal(bad[0]!.offset, offset);
      assert.deepEqual(good.map(content), records.filter((r) => r.offset !== offset).map(content));
    }),
    { numRuns: 250 },
  );
  assert.ok(detected > 150);
});

test("one member around all records, or plain text: same records, the first with a problem", (t) => {
  const { bytes, records, read } = goodFile(t);
  const plain = gunzipSync(bytes);
  const unzipped = read(plain);
  assert.deepEqual(
    unzipped.map((r) => [r.type, r.problems, r.block]),
    records.map((r) => [r.type, [], r.block]),
  );
  const one = read(gzipSync(plain));
  assert.equal(one.length, 16);
  assert.ok(one.every((r) => r.problems.join() === "16 records in one gzip member"));
  assert.deepEqual(read(Buffer.alloc(0))[0]!.problems, ["the file is empty"]);
});

test("without gzip's checksum the digests still find a changed byte in any payload and any other block", (t) => {
  const { bytes, read } = goodFile(t);
  const plain = gunzipSync(bytes);
  for (const { type, offset, length, block } of read(plain)) {
    const changed = Buffer.from(plain);
    // A response has a digest of its payload, which is the end of its block.
    const back = type === "response" ? 1 : Math.ceil(block.length / 2);
    const at = offset + length - 4 - back;
    changed[at] = changed[at]! ^ 1;
    const bad = read(changed).filter((r) => r.problems.length > 0);
    assert.deepEqual([bad.length, bad[0]?.offset], [1, offset], type);
    assert.match(
      bad[0]!.problems.join(),
      /^the (block|payload) is not the one of sha1:[A-Z2-7]{32}/,
    );
  }
});

test("what is larger than the limit is reported and passed over, not held in memory", (t) => {
  const { bytes, records, read } = goodFile(t);
  const bomb = gzipSync(Buffer.alloc(4_000_000));
  const found = read(Buffer.concat([bomb, bytes]), 100_000);
  assert.match(found[0]!.problems.join(), /inflates to more than 100000 bytes/);
  assert.deepEqual([found.length, found[0]!.length], [records.length + 1, bomb.length]);
  assert.ok(found.slice(1).every((r) => r.problems.length === 0 && r.afterDamage));
  const long = Buffer.from("WARC/1.1\r\nContent-Length: 200000\r\n\r\n");
  const after = read(Buffer.concat([long, Buffer.alloc(200_004, 10), gunzipSync(bytes)]), 100_000);
  assert.match(after[0]!.problems.join(), /longer than 100000/);
  assert.equal(after.length, records.length + 1);
});

test("a record inside a damaged record's body is marked as found after damage", (t) => {
  const folder = freshFolder(t);
  const archive = new Archive(sampleOptions(folder));
  const fake =
    "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:y>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: http://evil/\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
  const body = gzipSync(fake);
  const { location } = archive.append(sampleCapture({ body, mime: "application/gzip" }));
  archive.close();
  const path = join(folder, location.file);
  const bytes = readFileSync(path);
  assert.equal([...readWarc(path)].length, 4);
  bytes[location.offset + 60]! ^= 1;
  writeFileSync(path, bytes);
  const found = [...readWarc(path)];
  const warcinfo = found[0]!.headers.get("warc-record-id");
  const ours = found.slice(1).filter((r) => r.headers.get("warc-warcinfo-id") === warcinfo);
  assert.deepEqual(
    ours.map((r) => r.type),
    ["request", "metadata"],
  );
  const foreign = found.find((r) => r.headers.get("warc-target-uri") === "http://evil/");
  assert.equal(foreign?.afterDamage, true);
});

interface Facts {
  file: string;
  py_warcio_check?: { exit: number };
  jwarc_validate?: { exit: number };
  npm_warcio_records?: number;
}

// Where python's warcio and jwarc disagree, and why we side with one of them.
const JUDGED: Record<string, RegExp | "good"> = {
  // ARC is not WARC.
  "bad.arc": /not a WARC record/,
  "example.arc": /not a WARC record/,
  "example.arc.gz": /not a WARC record/,
  "example-space-in-url.arc": /not a WARC record/,
  // The digest was taken over the chunked bytes: common, and the block is intact.
  "example-iana.org-chunked.warc": "good",
  "post-test-more.warc": "good",
  // A member that ends before the two line ends of its record.
  "example-url-agnostic-revisit.warc.gz": /instead of two line ends/,
};

test("samples of other tools: good ones are good, bad ones give the reason", {
  skip: noConformance,
}, () => {
  let compared = 0;
  for (const facts of conformanceJson<Facts[]>("warc/facts.json")) {
    const records = [...readWarc(conformanceFile(`warc/${facts.file}`))];
    const problems = records.flatMap((r) => r.problems).join("\n");
    const name = facts.file.split("/").at(-1)!;
    const verdict = JUDGED[name];
    const python = facts.py_warcio_check?.exit;
    const java = facts.jwarc_validate?.exit;
    if (verdict === "good") assert.equal(problems, "", name);
    else if (verdict !== undefined) assert.match(problems, verdict, name);
    else if (python === undefined) assert.match(problems, /not a WARC record/, name);
    else {
      assert.equal(python, java, `${name} needs a judgement`);
      assert.equal(problems === "", python === 0, `${name}: ${problems}`);
      if (python === 0) assert.equal(records.length, facts.npm_warcio_records, name);
    }
    compared++;
  }
  assert.ok(compared >= 24);
});
