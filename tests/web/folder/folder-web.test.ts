import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { hostOfPath } from "../../../src/web/folder/spread.ts";
import { type RunningWeb, startWeb } from "../../../src/web/server.ts";
import { rawExchange } from "../raw-exchange.ts";
import { countsOf, crawlAll, fetchUrl, type Got } from "../tiny-crawler.ts";

let folder: string;
let web: RunningWeb;

const PAGES: Record<string, string> = {
  "index.html": `<title><a href="/not-a-link.html"></title><!-- <a href="/nor-this.html"> -->
    <a href="a.html">1</a> <a href='sub/'>2</a> <a href=sub/index.html#x>3</a> <a href="/sub">4</a>
    <a href="gone.html">5</a> <a href="gone/">6</a> <a href="mailto:x@example.org">7</a>
    <a href="http://elsewhere.example/">8</a> <a href="#top">9</a> <img src="dot.png">
    <script>document.write('<a href="/written.html">')</script>`,
  "a.html": `<a HREF = "./index.html">up</a> <a href="/">root</a> <a href="b%20c.html?x=1&amp;y=2">q</a>`,
  "b c.html": `<area href="/caf%C3%A9.html"><a href="/café.html">same</a>`,
  "café.html": `<base href="/sub/"><a href="deep.html">by base</a>`,
  "sub/index.html": `<a href="../a.html">back</a><a href='deep.html'>deep</a><a href="it's.html">quote</a>`,
  "sub/deep.html": "<p>no links</p>",
  "sub/it's.html": "<p>a quote in the name</p>",
  "sub/unlinked.html": "<p>nobody links here</p>",
};

before(async () => {
  const base = mkdtempSync(join(tmpdir(), "orbweaver-web-"));
  folder = join(base, "site");
  mkdirSync(join(folder, "sub"), { recursive: true });
  mkdirSync(join(folder, "empty"));
  writeFileSync(join(base, "secret.txt"), "secret");
  mkdirSync(join(base, "site-secret"));
  writeFileSync(join(base, "site-secret/secret.txt"), "secret");
  for (const [name, html] of Object.entries(PAGES)) writeFileSync(join(folder, name), html);
  writeFileSync(join(folder, "a=b.html"), "not linked");
  writeFileSync(join(folder, "dot.png"), Buffer.from([0x89, 0x50]));
  utimesSync(join(folder, "a.html"), 1_700_000_000, 1_700_000_000);
  symlinkSync("../secret.txt", join(folder, "out.txt"));
  symlinkSync("..", join(folder, "up"));
  symlinkSync("a.html", join(folder, "inside.html"));
  web = await startWeb({ dir: folder });
});
after(async () => {
  await web.close();
  rmSync(join(folder, ".."), { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Got> =>
  fetchUrl(web.origin + path, web.port, { headers });

test("every page has one URL: folders lead to their index.html", async () => {
  assert.deepEqual(web.start, [`${web.origin}/index.html`]);
  const cases: [string, number, string][] = [
    ["/", 301, "/index.html"],
    ["/sub", 301, "/sub/"],
    ["/sub/", 301, "/sub/index.html"],
    ["/sub/?q=1", 301, "/sub/index.html?q=1"],
    ["/gone/", 301, "/gone/index.html"],
    ["/%61.html", 301, "/a.html"],
    ["/a=b.html", 301, "/a%3Db.html"],
  ];
  for (const [path, status, location] of cases) {
    const got = await get(path);
    assert.deepEqual([got.status, got.headers.location], [status, web.origin + location]);
  }
  for (const path of [
    "/gone/index.html",
    "/empty/index.html",
    "/index.html/x",
    "/robots.txt",
    "/sub/it%27s.html",
  ]) {
    assert.equal((await get(path)).status, 404, path);
  }
});

test("the truth of a folder is what an independent crawler finds, and each page is served once", async () => {
  for (const spread of [undefined, 1, 4, 8]) {
    const served = await startWeb({ dir: folder, ...(spread && { spread }) });
    try {
      const truth = served.truth();
      const start = [...truth.start, ...truth.hosts.map((host) => `http://${host}/gone.html`)];
      const found = await crawlAll(start, served.port);
      const paths = [...found.pages.keys()]
        .map((url) => decodeURIComponent(new URL(url).pathname))
        .sort();
      const expected = Object.keys(PAGES).filter((name) => !name.includes("unlinked"));
      assert.deepEqual(paths, expected.map((name) => `/${name}`).sort());
      const missing = [...found.missing].map((url) => new URL(url).pathname).sort();
      assert.deepEqual(missing, ["/gone.html", "/gone/index.html"]);
      assert.equal(truth.reachable, expected.length);
      assert.equal(truth.missing, 2);
      assert.equal(served.report().repeated, 0);
      if (spread === undefined) assert.equal(countsOf(found).redirects, truth.redirects);
      else {
        for (const url of found.pages.keys()) {
          const { host, pathname } = new URL(url);
          assert.equal(host, `site${hostOfPath(pathname, spread)}.test`, url);
        }
      }
    } finally {
      await served.close();
    }
  }
});

test("spreading rewrites links only, to the absolute URL of their owner", async () => {
  const served = await startWeb({ dir: folder, spread: 4 });
  try {
    const url = (path: string): string => `http://site${hostOfPath(path, 4)}.test${path}`;
    const html = (await fetchUrl(url("/index.html"), served.port)).body.toString();
    const expected = PAGES["index.html"]!.replace('"a.html"', `"${url("/a.html")}"`)
      .replace("'sub/'", `'${url("/sub/")}'`)
      .replace("sub/index.html#x", `"${url("/sub/index.html")}#x"`)
      .replace('"/sub"', `"${url("/sub")}"`)
      .replace('"gone.html"', `"${url("/gone.html")}"`)
      .replace('"gone/"', `"${url("/gone/")}"`)
      .replace('"dot.png"', `"${url("/dot.png")}"`);
    assert.equal(html, expected);
    const elsewhere = `http://site${(hostOfPath("/a.html", 4) + 1) % 4}.test/a.html`;
    const asked = await fetchUrl(elsewhere, served.port);
    assert.deepEqual([asked.status, asked.headers.location], [301, url("/a.html")]);
    assert.deepEqual(served.resolveArguments().slice(0, 2), [
      "--resolve",
      `site0.test:127.0.0.1:${served.port}`,
    ]);
  } finally {
    await served.close();
  }
});

test("nothing outside the folder is served, however it is asked for", async () => {
  const paths = [
    "/../secret.txt",
    "/sub/../../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e%2fsecret.txt",
    "/sub/%2E%2E/%2E%2E/secret.txt",
    "/..\\secret.txt",
    "/..%5csecret.txt",
    "/../site-secret/secret.txt",
    "/out.txt",
    "/up/secret.txt",
    "/a.html%00.txt",
    "/%00",
    "/%",
    "/%ff",
    "/%c0%ae%c0%ae/secret.txt",
    "//etc/passwd",
    `/${"x".repeat(5000)}`,
  ];
  for (const path of paths) {
    const request = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${web.port}\r\n\r\n`;
    const answer = (await rawExchange(web.port, [request])).toString("latin1");
    assert.match(answer, /^HTTP\/1\.1 404 /, path.slice(0, 40));
    assert.doesNotMatch(answer, /secret|root:/);
  }
  assert.equal((await get("/inside.html")).status, 200); // a link that stays inside is a file
});

test("files are sent with type, tag and date, gzipped when asked, and not at all when unchanged", async () => {
  const plain = await get("/a.html");
  assert.equal(plain.body.toString(), PAGES["a.html"]);
  assert.equal(plain.headers["content-type"], "text/html; charset=utf-8");
  assert.equal(plain.headers["last-modified"], "Tue, 14 Nov 2023 22:13:20 GMT");
  const gzipped = await get("/a.html", { "accept-encoding": "br, gzip;q=0.5" });
  assert.equal(gzipped.headers["content-encoding"], "gzip");
  assert.deepEqual(gunzipSync(gzipped.body), plain.body);
  assert.notEqual(gzipped.headers.etag, plain.headers.etag);
  const refused = await get("/a.html", { "accept-encoding": "gzip;q=0, *;q=0" });
  assert.equal(refused.headers["content-encoding"], undefined);
  const image = await get("/dot.png", { "accept-encoding": "gzip" });
  assert.equal(image.headers["content-encoding"], undefined);
  assert.equal(image.headers["content-type"], "image/png");

  const etag = plain.headers.etag!;
  const date = plain.headers["last-modified"]!;
  const conditions: [Record<string, string>, number][] = [
    [{ "if-none-match": etag }, 304],
    [{ "if-none-match": `"other", W/${etag}` }, 304],
    [{ "if-none-match": "*" }, 304],
    [{ "if-none-match": '"other"', "if-modified-since": date }, 200],
    [{ "if-modified-since": date }, 304],
    [{ "if-modified-since": "Tue, 14 Nov 2023 22:13:19 GMT" }, 200],
    [{ "if-modified-since": "nonsense" }, 200],
  ];
  for (const [headers, status] of conditions) {
    const got = await get("/a.html", headers);
    assert.equal(got.status, status, JSON.stringify(headers));
    if (status === 304) assert.equal(got.body.length, 0);
  }
});

test("a folder that cannot be served is refused with the reason", async () => {
  await assert.rejects(startWeb({ dir: join(folder, "nowhere") }), { code: "OW_USAGE" });
  await assert.rejects(startWeb({ dir: join(folder, "a.html") }), /not a folder/);
  await assert.rejects(startWeb({ dir: join(folder, "empty") }), /no HTML file/);
  await assert.rejects(startWeb({ spread: 2 }), /only a folder/);
});
