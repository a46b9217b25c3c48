import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { crawlPaths } from "../../../src/store/folder/crawl-folder.ts";
import { crawlOrigin } from "../../crawl/scripted-crawl.ts";
import { html, redirect, type Script, scriptedServer } from "../../crawl/scripted-server.ts";
import { foreignIndex } from "../../support/foreign-index.ts";
import { readFile, type StrictRecord, strictProblems } from "../../support/strict-warc.ts";

/** Pages of every kind that a capture can be made of. */
function everyKind(): Script {
  const large = Buffer.from("<p>many words</p>\n".repeat(60_000));
  const typed = (type: string, body: Buffer, headers = {}): Script[string] => {
    return (_request, response) => {
      response.writeHead(200, { "content-type": type, "content-length": body.length, ...headers });
      response.end(body);
    };
  };
  const paths =
    "/same1 /same2 /moved /large /cut /gzip /unpacks /chunked /empty /image /caf%C3%A9?a=b|c /gone /versioned";
  return {
    "/": html(
      paths
        .split(" ")
        .map((path) => `<a href="${path}">x</a>`)
        .join(""),
    ),
    "/same1": html("the same"),
    "/same2": html("the same"),
    "/moved": redirect("/target"),
    "/target": html("target"),
    "/large": typed("text/html", large),
    "/cut": typed("text/html", Buffer.alloc(3 * large.length, "x")),
    "/gzip": typed("text/html", gzipSync(large), { "content-encoding": "gzip" }),
    // Received whole; it only unpacks to more than is read.
    "/unpacks": typed("text/html", gzipSync(Buffer.alloc(3 * large.length, "y")), {
      "content-encoding": "gzip",
    }),
    "/chunked": (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.write("<p>one");
      response.end("<p>two");
    },
    "/empty": typed("text/html", Buffer.alloc(0)),
    "/image": typed("image/png", Buffer.alloc(100_000, 137)),
    "/caf%C3%A9?a=b|c": html("names"),
    "/versioned": (request, response) => {
      if (request.headers["if-none-match"] === '"1"')
        response.writeHead(304, { etag: '"1"' }).end();
      else html("validators", { etag: '"1"' })(request, response);
    },
  };
}

const FLAGS = ["--rotate-pages", "4", "--max-body", "2MiB"];
const filesOf = (out: string) => {
  const folder = join(out, "archive");
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
};
const typesOf = (records: readonly StrictRecord[]) =>
  new Set(records.map(({ fields }) => fields.get("warc-type")![0]!));

test("a strict reader of the standard and npm's warcio accept a crawl with every kind of record", async (t) => {
  const { origin } = await scriptedServer(t, everyKind());
  const first = await crawlOrigin(t, origin, ...FLAGS);
  const again = await crawlOrigin(t, origin, ...FLAGS, "--recrawl", first.out);
  const [before, after] = [filesOf(first.out), filesOf(again.out)];
  assert.ok(before.size > 2);
  assert.deepEqual(strictProblems(before), []);
  assert.deepEqual(strictProblems(after, before), []);
  const records = [...before, ...after].flatMap(([file, bytes]) =>
    readFile(file, bytes, assert.fail),
  );
  assert.deepEqual([...typesOf(records)].sort(), [
    "metadata",
    "request",
    "response",
    "revisit",
    "warcinfo",
  ]);
  const profiles = records.flatMap(({ fields }) => fields.get("warc-profile") ?? []);
  assert.equal(new Set(profiles).size, 2);
  const truncated = records.filter(({ fields }) => fields.has("warc-truncated"));
  assert.deepEqual(
    truncated.map(({ fields }) => [fields.get("warc-truncated"), fields.get("warc-target-uri")]),
    Array(2).fill([["length"], [`${origin}/cut`]]),
    "only where stored bytes are missing",
  );
  const unpacks = first.log.get("/unpacks")!;
  assert.deepEqual([unpacks.error, "truncated" in unpacks], ["body_too_large", false]);
  // Their keys keep a slash at the end that archives leave out: everything behind the key must agree.
  const behindKey = (line: string) => line.slice(line.indexOf(" "));
  for (const { out } of [first, again]) {
    const ours = readFileSync(crawlPaths(out).index, "utf8").trimEnd().split("\n");
    const theirs = await foreignIndex(out);
    assert.ok(ours.some((line) => line.includes('"status":"302"')));
    assert.deepEqual(ours.map(behindKey).sort(), theirs.map(behindKey).sort());
  }
  breakEverything(before);
});

/** Each broken archive must be refused for its own reason. */
function breakEverything(files: ReadonlyMap<string, Buffer>): void {
  const broken: [string, RegExp, RegExp | string, string][] = [
    [
      "response",
      /WARC-Record-ID: <urn:uuid:.{8}/,
      "WARC-Record-ID: <urn:uuid:nonsense",
      "warc-record-id is",
    ],
    ["response", /WARC-Date: \d{4}-\d\d/, "WARC-Date: 2026-13", "warc-date is"],
    ["response", /WARC-Target-URI: [^\r]*\r\n/, "", "warc-target-uri is missing"],
    ["response", /WARC-Target-URI: ([^\r]*)/, "WARC-Target-URI: <$1>", "warc-target-uri is"],
    ["response", /Content-Length: \d+/, "Content-Length: 7", "not followed by two line ends"],
    ["response", /WARC\/1\.1/, "WARC/1.0", "the version line"],
    [
      "response",
      /WARC-Payload-Digest: sha1:.{8}/,
      "WARC-Payload-Digest: sha1:77777777",
      "digest is wrong",
    ],
    [
      "response",
      /WARC-Warcinfo-ID: [^\r]*/,
      "WARC-Warcinfo-ID: <urn:uuid:01234567-89ab-4cde-8f01-23456789abcd>",
      "warcinfo record",
    ],
    [
      "request",
      /WARC-Concurrent-To: [^\r]*/,
      "WARC-Concurrent-To: <urn:uuid:01234567-89ab-4cde-8f01-23456789abcd>",
      "leads out of the file",
    ],
    [
      "metadata",
      /WARC-Block-Digest: sha1:.{8}/,
      "WARC-Block-Digest: sha1:77777777",
      "digest is wrong",
    ],
    ["metadata", /WARC-Type: metadata/, "WARC-Type: gossip", "of type gossip"],
    [
      "revisit",
      /WARC-Profile: .*warc\/1\.1/,
      "WARC-Profile: http://netpreserve.org/warc/1.0",
      "warc-profile is",
    ],
    ["revisit", /WARC-Refers-To: [^\r]*\r\n/, "", "warc-refers-to is missing"],
    ["revisit", /WARC-Refers-To-Date: \d/, "WARC-Refers-To-Date: 1", "warc-refers-to-date is not"],
    ["warcinfo", /WARC-Filename: ./, "WARC-Filename: X", "warc-filename is"],
    [
      "warcinfo",
      /Content-Type: application\/warc-fields/,
      "Content-Type: text/plain",
      "content-type is",
    ],
  ];
  for (const [type, from, to, reason] of broken) {
    const changed = new Map(
      [...files].map(([file, bytes]) => [file, replaced(file, bytes, type, from, String(to))]),
    );
    const found = strictProblems(changed);
    assert.ok(
      found.some((problem) => problem.includes(reason)),
      `${reason}: ${found[0]}`,
    );
  }
}

/** The file with one change in the header of the first record of a type. */
function replaced(file: string, bytes: Buffer, type: string, from: RegExp, to: string): Buffer {
  const records = readFile(file, bytes, assert.fail);
  const at = records.findIndex(({ fields }) => fields.get("warc-type")![0] === type);
  if (at < 0) return bytes;
  const start = records[at]!.offset;
  const end = records[at + 1]?.offset ?? bytes.length;
  const content = Buffer.concat([
    headerOf(records[at]!),
    records[at]!.block,
    Buffer.from("\r\n\r\n"),
  ]);
  const text = content.toString("latin1");
  const changed = text.replace(from, to);
  assert.notEqual(changed, text, `${type}: ${from}`);
  return Buffer.concat([
    bytes.subarray(0, start),
    gzipSync(Buffer.from(changed, "latin1")),
    bytes.subarray(end),
  ]);
}

const NAMES: Readonly<Record<string, string>> = {
  "warc-record-id": "WARC-Record-ID",
  "warc-target-uri": "WARC-Target-URI",
  "warc-refers-to-target-uri": "WARC-Refers-To-Target-URI",
  "warc-warcinfo-id": "WARC-Warcinfo-ID",
  "warc-ip-address": "WARC-IP-Address",
};

function headerOf({ fields }: StrictRecord): Buffer {
  const lines = [...fields].flatMap(([name, values]) =>
    values.map((value) => {
      const title = name
        .replace(/(^|-)([a-z])/g, (all) => all.toUpperCase())
        .replace(/^Warc/, "WARC");
      return `${NAMES[name] ?? title}: ${value}\r\n`;
    }),
  );
  return Buffer.from(`WARC/1.1\r\n${lines.join("")}\r\n`);
}
