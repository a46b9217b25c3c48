import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { configOf } from "../../../src/config/crawl-config.ts";
import type { PageFunction } from "../../../src/config/page-handler.ts";
import type { Handled } from "../../../src/crawl/visit/handle-page.ts";
import { HandlerRunner } from "../../../src/crawl/visit/handler-runner.ts";
import type { LoadedHandler } from "../../../src/crawl/visit/load-handler.ts";
import { type ReadPage, readPage, readRulesOf } from "../../../src/crawl/visit/read-page.ts";
import { ResponseHead } from "../../../src/fetch/response-head.ts";
import type { Response } from "../../../src/fetch/transport.ts";
import type { Lease } from "../../../src/frontier/frontier.ts";
import { linkNote } from "../../../src/frontier/link/link-note.ts";
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
  const told: string[] = [];
  const handle = async (handler: PageFunction, text: string, headers: string) => {
    const response = responseOf(text, headers);
    const page = await readPage(URL, "link", response, RULES);
    const { page: loaded } = await load(handler);
    const runner = new HandlerRunner({
      handler: loaded!,
      reading: RULES,
      timeoutMs: 50,
      watch: undefined,
      hangs: [],
      log: (url, text) => told.push(`${url} ${text}`),
      clock: () => performance.now(),
    });
    const note = linkNote("list", { n: "\u00e9" });
    const lease = { url: URL, depth: 2, via: "link", parent: undefined, attempt: 1, note };
    const after = await runner.run(lease as Lease, response, page);
    runner.close();
    return { before: page, after };
  };
  /** Of a handler that ends well. */
  const handled = async (handler: PageFunction, text: string, headers: string) => {
    const { before, after } = await handle(handler, text, headers);
    assert.ok(!("kind" in after), JSON.stringify(after));
    return { before, after: after as ReadPage };
  };
  const HTML = "Content-Type: text/html; charset=iso-8859-2";
  const PAGE = "<title>T\xb1</title><p>one two<a href=b>1</a><a href=c>2</a><a href=b>3</a>";
  const linksOf = ({ parsed, headerLinks }: ReadPage) => [...(parsed?.links ?? []), ...headerLinks];

  test(`${name}: sees request, response and page`, async () => {
    const headers = `${HTML}\r\nX-Kind: odd\r\nX-Kind: even\r\nLink: </next>; rel=next\r\nContent-Encoding: gzip`;
    const { after } = await handled(
      async ({ request, response, page, links }) => {
        const first = page.html;
        await Promise.resolve();
        return {
          data: {
            request,
            status: response.status,
            mime: response.mime,
            kinds: response.headers["x-kind"],
            kind: page.header("X-KIND"),
            none: page.header("x-none") === undefined,
            title: page.title,
            links,
            same: links.join() === page.links.join(),
            bytes: page.bytes.length,
            html: page.html === first ? first : "another",
            text: page.text,
          },
        };
      },
      PAGE,
      headers,
    );
    const text = JSON.parse(after.data!).text as string;
    assert.match(text, /one two/);
    assert.deepEqual(JSON.parse(after.data!), {
      request: {
        url: URL,
        depth: 2,
        via: "link",
        attempt: 1,
        label: "list",
        userData: { n: "\u00e9" },
      },
      status: 200,
      mime: "text/html",
      kinds: "odd, even",
      kind: "odd",
      none: true,
      title: "T\u0105",
      links: ["http://h.test/a/b", "http://h.test/a/c", "http://h.test/next"],
      same: true,
      bytes: PAGE.length,
      html: PAGE.replace("\xb1", "\u0105"),
      text,
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
      ({ links, enqueue, enqueueLinks }) => {
        enqueue([links[1]!, "../x"], { label: "detail", userData: { a: 1 } });
        enqueue("mailto:a@b");
        enqueueLinks({ urls: ["/x", "http://other.test"], label: "x" });
      },
      PAGE,
      `${HTML}\r\nLink: </next>; rel=next`,
    );
    assert.deepEqual(linksOf(after), [
      "http://h.test/a/c",
      "http://h.test/x",
      "http://other.test/",
    ]);
    assert.deepEqual(
      [...after.notes!.values()],
      [
        '{"label":"detail","userData":{"a":1}}',
        '{"label":"detail","userData":{"a":1}}',
        '{"label":"x"}',
      ],
    );
    assert.equal(after.parsed!.title, "T\u0105");
    assert.equal(after.data, undefined);
    assert.deepEqual(linksOf((await handled(() => ({ links: [] }), PAGE, HTML)).after), []);
    const all = await handled(({ enqueueLinks }) => enqueueLinks(), PAGE, HTML);
    assert.deepEqual(linksOf(all.after), linksOf(all.before));
  });

  test(`${name}: a page that is not HTML may have links, too`, async () => {
    const { after } = await handled(
      ({ page, enqueue }) => {
        enqueue(JSON.parse(page.text).next);
        return { data: [page.mime, page.title] };
      },
      '{ "next": ["p2"] }',
      "Content-Type: application/json",
    );
    assert.deepEqual(linksOf(after), ["http://h.test/a/p2"]);
    assert.equal(after.data, '["application/json",""]');
  });

  test(`${name}: rows are kept by name, one line each`, async () => {
    const { after } = await handled(
      ({ push, pushData }) => {
        push({ b: 1, a: "x\ny\u2028" });
        pushData([{ n: 1 }, { n: 2 }], "more");
        push({ c: null });
      },
      PAGE,
      HTML,
    );
    assert.equal(
      after.rows,
      '[["data",2],["more",2]]\n{"b":1,"a":"x\\ny\\u2028"}\n{"c":null}\n{"n":1}\n{"n":2}\n',
    );
  });

  test(`${name}: skips a page, whose links are followed only where it says so`, async () => {
    const { after } = await handled(({ skip }) => skip("too short"), PAGE, HTML);
    assert.equal(after.refusal, "too short");
    assert.deepEqual(linksOf(after), []);
    const other = await handled(
      ({ skip, enqueue, links }) => {
        skip();
        enqueue(links);
      },
      PAGE,
      HTML,
    );
    assert.equal(other.after.refusal, "");
    assert.deepEqual(linksOf(other.after), linksOf(other.before));
  });

  test(`${name}: tells something`, async () => {
    told.length = 0;
    await handled(({ log }) => log("price", { a: 1 }), PAGE, HTML);
    assert.deepEqual(told, ["http://h.test/a/ price { a: 1 }"]);
  });

  test(`${name}: what it may not do fails the page, with a sentence`, async () => {
    const outside = 7; // what a function uses from around it does not go to a thread
    const wrong: readonly [PageFunction, RegExp][] = [
      [() => 3 as never, /^it answered 3; it may answer \{ links, data \}/],
      [() => ({ links: "x" }) as never, /^it answered a value of type string as links/],
      [() => ({ links: [1] }) as never, /^it answered a value of type object as links/],
      [() => ({ data: 1n }), /BigInt/],
      [() => ({ data: "x".repeat(8191) }), /^it answered 8193 characters of data; at most 8192/],
      [async () => JSON.parse("{"), /JSON/],
      [() => JSON.parse(String(outside).slice(9)), /outside is not defined|JSON/],
      [({ push }) => push({ a: "x".repeat(262_144) }), /^push: a row has 262152 characters/],
      [({ push }) => push([1]), /^push: a row is an object/],
      [({ push }) => push({}, "../x"), /^push: rows cannot be kept under the name '\.\.\/x'/],
      [({ push }) => push({}, "A"), /under the name 'A'/],
      [({ push }) => push({}, ""), /under the name ''/],
      [
        ({ push }) => {
          for (let i = 0; i < 65; i++) push({}, `n${i}`);
        },
        /^push: rows have at most 64 names/,
      ],
      [
        ({ push }) => {
          for (let i = 0; i < 20; i++) push({ a: "x".repeat(250_000) });
        },
        /^push: the rows of a page have at most 4194304 characters/,
      ],
      [({ enqueue }) => enqueue([1] as never), /^enqueue takes a URL or a list of URLs/],
      [
        ({ enqueue }) => enqueue("/", { label: "x".repeat(65) }),
        /^a label is a text of at most 64/,
      ],
      [
        ({ enqueue }) => enqueue("/", { userData: { a: "x".repeat(1024) } }),
        /^userData has \d+ characters as JSON; at most 1024/,
      ],
    ];
    for (const [handler, message] of wrong) {
      const { after } = await handle(handler, PAGE, HTML);
      assertFailed(after, "handler_failed", message);
    }
  });

  test(`${name}: one that takes too long fails, and nothing it does later counts`, async () => {
    const { after } = await handle(() => new Promise(() => {}), PAGE, HTML);
    assertFailed(after, "handler_timeout", /^after 50 ms$/);
    told.length = 0;
    await handle(
      async ({ log, push, page }) => {
        await new Promise((resolve) => setTimeout(resolve, 400));
        try {
          push({ a: 1 });
        } catch (error) {
          log((error as Error).message);
        }
        try {
          log(page.html);
        } catch (error) {
          log((error as Error).message);
        }
      },
      PAGE,
      HTML,
    );
    while (told.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.match(told[0]!, /push was called for .* when its handler had ended/);
    assert.match(told[1]!, /has ended: its page is gone/);
  });
}

function assertFailed(handled: Handled, error: string, detail: RegExp): void {
  assert.ok("kind" in handled, "it should have failed");
  assert.equal(handled.kind, "failed");
  assert.equal(handled.error, error);
  assert.match(handled.detail!, detail);
}
