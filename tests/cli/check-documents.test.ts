import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { runHere } from "./run-bin.ts";

async function shown(argv: string[], stdin = ""): Promise<string> {
  const { code, stdout, stderr } = await runHere(["check", ...argv], stdin);
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}

const PAGE = "<title>A page</title><a href=b>two words</a><a href=mailto:x>no</a>";
const MAP = "<urlset><url><loc>/a</loc><lastmod>2020-05-06</lastmod></url></urlset>";

test("check links shows what a page holds", async () => {
  const argv = ["links", "http://h/a/", "--file", "-"];
  const text = await shown(argv, PAGE);
  assert.match(text, /^title +A page$/m);
  assert.match(text, /^words +2$/m);
  assert.match(text, /^link +http:\/\/h\/a\/b$/m);
  assert.match(
    text,
    /^not followed +mailto:x \(blocked_scheme: only http and https are crawled\)$/m,
  );
  const answer = JSON.parse(await shown([...argv, "--json"], PAGE));
  assert.deepEqual([answer.links, answer.title], [["http://h/a/b"], "A page"]);
});

test("check sitemap shows what is listed, and why not", async () => {
  const argv = ["sitemap", "http://h/s.xml", "--file", "-"];
  assert.match(await shown(argv, MAP), /^page +http:\/\/h\/a \(changed 2020-05-06\)$/m);
  assert.deepEqual(JSON.parse(await shown([...argv, "--json"], MAP)).pages, [
    { url: "http://h/a", lastmodMs: Date.UTC(2020, 4, 6) },
  ]);
  assert.match(await shown(argv, "<!DOCTYPE a><urlset/>"), /^problem +sitemap_dtd: it has a DTD/m);
});

test("check charset tells what decided", async () => {
  const argv = ["charset", "http://h/", "--file", "-"];
  assert.match(await shown(argv, "\ufeffx"), /^decided by +byte order mark$/m);
  assert.match(await shown(argv, "<meta charset=gbk>"), /^decided by +meta element$/m);
  assert.match(await shown(argv, "x"), /^decided by +nothing says, so windows-1252 is assumed$/m);
  const header = [...argv, "--content-type", "text/html; charset=latin1"];
  assert.match(await shown(header, "<meta charset=gbk>"), /^decided by +Content-Type header$/m);
});

/** A site with a redirect, a page with a charset and coding, a sitemap and nothing else. */
async function site(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === "/old") response.writeHead(302, { location: "/page" }).end();
    else if (request.url === "/away")
      response.writeHead(302, { location: "http://10.0.0.1/" }).end();
    else if (request.url === "/page") {
      const type = { "content-type": "text/html; charset=koi8-r", "content-encoding": "gzip" };
      response.writeHead(200, type).end(gzipSync(PAGE));
    } else if (request.url === "/s.xml.gz") response.end(gzipSync(MAP));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("without --file the document is fetched, redirects included", async (t) => {
  const origin = await site(t);
  const links = await shown(["links", `${origin}/old`]);
  assert.match(links, new RegExp(`^URL +${origin}/page$`, "m"));
  assert.match(links, /^charset +koi8-r$/m);
  assert.match(links, new RegExp(`^link +${origin}/b$`, "m"));
  assert.match(
    await shown(["sitemap", `${origin}/s.xml.gz`]),
    new RegExp(`^page +${origin}/a `, "m"),
  );
  const missing = await runHere(["check", "charset", `${origin}/none`]);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /cannot be read \(status 404\)/);
  // The typed address is consent for itself, not for where it redirects.
  const away = await runHere(["check", "links", `${origin}/away`]);
  assert.match(away.stderr, /cannot be read \(blocked_private_address\)/);
});
