import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { html, type Script, scriptedServer } from "../crawl/scripted-server.ts";
import { orbweaver, readPages, tempFolder } from "../support/orbweaver.ts";

/** Unpacks to more than the 10 MiB that are read of a page. */
const LARGE = gzipSync(Buffer.alloc(12 << 20, "<p>word</p>"));
const PICTURE = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const ETAG = '"v1"';

const send =
  (body: Uint8Array, headers: Record<string, string> = {}): Script[string] =>
  (_request, response) => {
    response.writeHead(200, { "content-type": "text/html", ...headers }).end(body);
  };

const SITE: Script = {
  "/": (request, response) => {
    if (request.headers["if-none-match"] === ETAG) response.writeHead(304, { etag: ETAG }).end();
    else
      html("<a href=/large>x</a><a href=/picture>x</a><a href=/packed>x</a>", { etag: ETAG })(
        request,
        response,
      );
  },
  "/large": send(LARGE, { "content-encoding": "gzip", "content-length": String(LARGE.length) }),
  "/picture": send(PICTURE),
  "/packed": send(gzipSync("<p>packed</p>")),
};

async function crawl(t: TestContext, origin: string, ...args: string[]): Promise<string> {
  const out = join(tempFolder(t), "out");
  const start = ["crawl", `${origin}/`, "--out", out, "--quiet", "--delay", "0"];
  const { code, stderr } = await orbweaver([...start, ...args]);
  assert.deepEqual([code, stderr], [0, ""]);
  return out;
}

/** Header and block of every record of a type. */
function records(out: string, type: string): { head: string; block: string }[] {
  const files = readdirSync(join(out, "archive")).map((name) => join(out, "archive", name));
  const text = files.map((file) => gunzipSync(readFileSync(file)).toString("latin1")).join("");
  return text
    .split("WARC/1.1\r\n")
    .filter((record) => record.includes(`WARC-Type: ${type}\r\n`))
    .map((record) => {
      const end = record.indexOf("\r\n\r\n");
      return { head: record.slice(0, end), block: record.slice(end + 4) };
    });
}

const field = (head: string, name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(head)?.[1];

test("issue 16, 22: a complete body is not truncated, and an unchanged page refers to the earlier one", async (t) => {
  const { origin } = await scriptedServer(t, SITE);
  const first = await crawl(t, origin);
  const stored = records(first, "response");
  assert.equal(stored.length, 4);
  for (const { head } of stored) assert.equal(field(head, "WARC-Truncated"), undefined, head);
  const page = stored.find(({ head }) => field(head, "WARC-Target-URI") === `${origin}/`)!;
  const again = await crawl(t, origin, "--recrawl", first);
  const [revisit, ...others] = records(again, "revisit");
  assert.equal(others.length, 0);
  const { head, block } = revisit!;
  assert.equal(field(head, "Content-Length"), "0");
  assert.equal(block.trim(), "");
  assert.equal(field(head, "WARC-Refers-To-Target-URI"), `${origin}/`);
  assert.equal(field(head, "WARC-Refers-To-Date"), field(page.head, "WARC-Date"));
  assert.equal(
    field(head, "WARC-Payload-Digest"),
    field(page.head, "WARC-Payload-Digest"),
    "the digest of what is shown",
  );
});

test("issue 16, 20: files of a tree are named after what they hold", async (t) => {
  const { origin } = await scriptedServer(t, SITE);
  const out = await crawl(t, origin, "--store", "tree");
  const names = readdirSync(join(out, "tree"), { recursive: true, encoding: "utf8" })
    .filter((name) => /content/.test(name))
    .map((name) => name.replace(/^.*po-\d+\//, ""))
    .sort();
  assert.deepEqual(names, [
    "content.html",
    "dr-large/content.html",
    "dr-packed/content.gz",
    "dr-picture/content.png",
  ]);
});

test("issue 16, 17: links of a page that the crawl does not know, and of a folder that is no crawl", async (t) => {
  const { origin } = await scriptedServer(t, SITE);
  const out = await crawl(t, origin);
  const unknown = await orbweaver(["links", out, "http://unknown.test/"]);
  assert.notEqual(unknown.code, 0);
  assert.match(unknown.stderr, /unknown\.test/);
  const empty = tempFolder(t);
  const none = await orbweaver(["links", empty, `${origin}/`]);
  assert.equal(none.code, 2);
  assert.doesNotMatch(none.stderr, /running/);
});

test("issue 16, 20: a table has a column for every field of the list of pages", async (t) => {
  const { origin } = await scriptedServer(t, SITE);
  const out = await crawl(t, origin, "--order", "opic");
  const { code, stderr } = await orbweaver(["export", out, "--to", "csv"]);
  assert.equal(code, 0, stderr);
  const [header] = readFileSync(join(out, "exports", "pages.csv"), "utf8").split(/\r?\n/);
  const columns = new Set(header!.split(","));
  const fields = new Set(readPages(out).flatMap((page) => Object.keys(page)));
  assert.ok(fields.has("cash") && fields.has("priority") && fields.has("id"));
  // ts is what readers of other programs call time.
  const missing = [...fields, "robots"].filter((field) => !columns.has(field));
  assert.deepEqual(missing, ["ts"]);
});

test("issue 16, 5: --max-pages-per-site counts the pages of earlier runs", async (t) => {
  const links = Array.from({ length: 20 }, (_, i) => `<a href=/${i}>x</a>`).join("");
  const pages = Array.from({ length: 20 }, (_, i) => [`/${i}`, html("")] as const);
  const { origin } = await scriptedServer(t, { "/": html(links), ...Object.fromEntries(pages) });
  const out = join(tempFolder(t), "out");
  const start = ["crawl", `${origin}/`, "--out", out, "--quiet", "--delay", "0"];
  const stopped = await orbweaver([...start, "--max-pages-per-site", "7", "--max-pages", "4"]);
  assert.equal(stopped.code, 3, stopped.stderr);
  const resumed = await orbweaver(["resume", out, "--quiet", "--max-pages", "99"]);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal(readPages(out).length, 7);
});
