import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { configOf } from "../../../src/config/crawl-config.ts";
import type { PageFunction } from "../../../src/config/page-handler.ts";
import { handlePage } from "../../../src/crawl/visit/handle-page.ts";
import type { LoadedHandler } from "../../../src/crawl/visit/load-handler.ts";
import { type ReadPage, readPage, readRulesOf } from "../../../src/crawl/visit/read-page.ts";
import { ResponseHead } from "../../../src/fetch/response-head.ts";
import type { Response } from "../../../src/fetch/transport.ts";
import type { Lease } from "../../../src/frontier/frontier.ts";
import type { CrawlUrl } from "../../../src/url/crawl-url.ts";

const URL = "http://h.test/a/" as CrawlUrl;
const RULES = readRulesOf(configOf({ seeds: ["http://127.0.0.1/"] }));

function responseOf(text: string, headers: string): Response {
  const gzip = /content-encoding/i.test(headers);
  const head = ResponseHead.parse(`HTTP/1.1 200 OK\r\n${headers}\r\n\r\n`)!;
  const body = Buffer.from(text, "latin1");
  return { head, body: gzip ? gzipSync(body) : body } as Response;
}

/** What every handler may rely on, however it was given to the crawl. */
export function pageHandlerContract(
  name: string,
  load: (handler: PageFunction) => Promise<LoadedHandler>,
): void {
  const handled = async (handler: PageFunction, text: string, headers: string) => {
    const response = responseOf(text, headers);
    const page = await readPage(URL, "link", response, RULES);
    const { page: loaded } = await load(handler);
    const lease = { url: URL, depth: 2 } as Lease;
    return { before: page, after: await handlePage(loaded!, lease, response, page, RULES) };
  };
  const HTML = "Content-Type: text/html; charset=iso-8859-2";
  const PAGE = "<title>T\xb1</title><a href=b>1</a><a href=c>2</a><a href=b>3</a>";
  const linksOf = ({ parsed, headerLinks }: ReadPage) => [...(parsed?.links ?? []), ...headerLinks];

  test(`${name}: sees the page, and its body only when it asks`, async () => {
    const headers = `${HTML}\r\nX-Kind: odd\r\nLink: </next>; rel=next\r\nContent-Encoding: gzip`;
    const { after } = await handled(
      async (page) => ({
        data: {
          ...page,
          kind: page.header("X-KIND"),
          none: page.header("x-none") === undefined,
          bytes: (await page.body()).length,
          text: await page.text(),
        },
      }),
      PAGE,
      headers,
    );
    assert.deepEqual(JSON.parse(after.data!), {
      url: URL,
      depth: 2,
      status: 200,
      mime: "text/html",
      title: "T\u0105",
      links: ["http://h.test/a/b", "http://h.test/a/c", "http://h.test/next"],
      kind: "odd",
      none: true,
      bytes: PAGE.length,
      text: PAGE.replace("\xb1", "\u0105"),
    });
  });

  test(`${name}: answers nothing, and the page stays as it is`, async () => {
    const { before, after } = await handled(() => undefined, PAGE, HTML);
    assert.equal(after, before);
    const other = await handled(async () => null, PAGE, HTML);
    assert.equal(other.after, other.before);
  });

  test(`${name}: links are taken over in order, canonical and once`, async () => {
    const { after } = await handled(
      (page) => ({ links: [page.links[1]!, "../x", "mailto:a@b", "/x", "http://other.test"] }),
      PAGE,
      `${HTML}\r\nLink: </next>; rel=next`,
    );
    assert.deepEqual(linksOf(after), [
      "http://h.test/a/c",
      "http://h.test/x",
      "http://other.test/",
    ]);
    assert.equal(after.parsed!.title, "T\u0105");
    assert.equal(after.data, undefined);
    assert.deepEqual(linksOf((await handled(() => ({ links: [] }), PAGE, HTML)).after), []);
  });

  test(`${name}: a page that is not HTML may have links, too`, async () => {
    const { after } = await handled(
      async (page) => ({
        links: JSON.parse(await page.text()).next,
        data: [page.mime, page.title],
      }),
      '{ "next": ["p2"] }',
      "Content-Type: application/json",
    );
    assert.deepEqual(linksOf(after), ["http://h.test/a/p2"]);
    assert.equal(after.data, '["application/json",""]');
  });

  test(`${name}: data of any JSON type is kept as one line`, async () => {
    for (const data of [0, false, null, "a\n\u2028b", { a: [1, { b: null }] }]) {
      const { after } = await handled(
        async (page) => ({ data: JSON.parse(await page.text()) }),
        JSON.stringify(data).replace("\u2028", "\\u2028"),
        "Content-Type: application/json",
      );
      assert.deepEqual(JSON.parse(after.data!), data);
      assert.doesNotMatch(after.data!, /[\n\u2028]/);
    }
  });

  test(`${name}: what it may not answer is an error that names the page`, async () => {
    const outside = 7; // what a function uses from around it does not go to a thread
    const wrong: readonly [() => unknown, RegExp][] = [
      [() => 3, /^--handler .* gave 3 for http:\/\/h\.test\/a\/; it may answer \{ links, data \}/],
      [() => ({ links: "x" }), /gave a value of type string .*; links are a list of texts/],
      [() => ({ links: [1] }), /gave a value of type object .*; links are a list of texts/],
      [() => ({ data: 1n }), /failed for http:\/\/h\.test\/a\/: .*BigInt/],
      [() => ({ data: "x".repeat(8191) }), /gave 8193 characters of data .* at most 8192/],
      [async () => JSON.parse("{"), /failed for http:\/\/h\.test\/a\/: /],
      [() => outside, /failed for http:\/\/h\.test\/a\/: outside is not defined/],
    ];
    for (const [answer, message] of wrong) {
      const asked = handled(answer as PageFunction, PAGE, HTML);
      await assert.rejects(asked, { code: "OW_USAGE", message });
    }
  });
}
