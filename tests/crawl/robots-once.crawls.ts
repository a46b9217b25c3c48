import assert from "node:assert/strict";
import { createServer, type OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { orbweaver, readPages, tempFolder } from "../support/orbweaver.ts";

const HOSTS = 12;
/** So many that threads lend each other work before they know every robots.txt. */
const PAGES = 48;
const LATENCY_MS = 15;
const RETRIES = 2;

const ADDRESSES = Array.from({ length: HOSTS }, (_, i) => `127.0.0.${i + 2}`);

type Answer = [status: number, headers: OutgoingHttpHeaders, body: string];

/** What the hosts answer when they are asked for /robots.txt, one after the other, and how often they are asked. */
const ANSWERS: readonly {
  readonly write: () => Answer;
  times: number;
}[] = [
  { write: () => [200, {}, "User-agent: *\nDisallow: /no/\nSitemap: /sitemap.xml\n"], times: 1 },
  { write: () => [404, {}, ""], times: 1 },
  { write: () => [301, { location: "/rules.txt" }, ""], times: 1 },
  { write: () => [503, {}, ""], times: 1 + RETRIES },
];

function answerOf(host: number) {
  return ANSWERS[host % ANSWERS.length]!;
}

/** Twelve hosts that link to each other, and what each was asked. */
async function hosts(t: TestContext): Promise<{ port: number; asked: Map<string, number> }> {
  const asked = new Map<string, number>();
  let port = 0;
  for (const [host, address] of ADDRESSES.entries()) {
    const page = (url: string): Answer =>
      url === "/rules.txt"
        ? [200, {}, "User-agent: *\nDisallow: /no/\n"]
        : [200, { "content-type": "text/html" }, pageOf(host, port)];
    const server = createServer((request, response) => {
      const url = request.url!;
      const name = `${host}${url}`;
      asked.set(name, (asked.get(name) ?? 0) + 1);
      const [status, headers, body] = url === "/robots.txt" ? answerOf(host).write() : page(url);
      setTimeout(() => response.writeHead(status, headers).end(body), LATENCY_MS);
    });
    await new Promise<void>((resolve) => server.listen(port, address, resolve));
    t.after(() => server.close().closeAllConnections());
    port = (server.address() as AddressInfo).port;
  }
  return { port, asked };
}

/** The pages of its host, one that robots.txt forbids, and the first pages of all others. */
function pageOf(host: number, port: number): string {
  const own = Array.from({ length: PAGES }, (_, i) => `<a href=/${i}>x</a>`);
  const others = ADDRESSES.map(
    (address) => `<a href=http://${address}:${port}/${host % PAGES}>x</a>`,
  );
  return [...own, "<a href=/no/x>x</a>", ...others].join("");
}

for (const frontier of ["sharded", "shared"]) {
  for (const threads of [1, 4, 8]) {
    for (const [what, args] of [
      ["no delay", ["--delay", "0"]],
      ["one connection, no delay", ["--delay", "0", "--per-host", "1"]],
      ["a delay", ["--delay", "20"]],
    ] as const) {
      test(`16.7: robots.txt is fetched once: ${frontier}, ${threads} threads, ${what}`, async (t) => {
        const { port, asked } = await hosts(t);
        const out = join(tempFolder(t), "out");
        const finished = await orbweaver([
          ...["crawl", `http://${ADDRESSES[0]}:${port}/`, "--out", out, "--quiet"],
          ...["--scope", "any", "--allow-private", "127.0.0.0/8", "--retries", String(RETRIES)],
          ...["--frontier", frontier, "--threads", String(threads), ...args],
        ]);
        assert.deepEqual([finished.code, finished.stderr], [0, ""]);
        const counted = ADDRESSES.map((_, host) => [host, asked.get(`${host}/robots.txt`)]);
        assert.deepEqual(
          counted,
          ADDRESSES.map((_, host) => [host, answerOf(host).times]),
        );
        for (const host of ADDRESSES.keys()) {
          const isOpen = answerOf(host).times === 1;
          const isLed = host % ANSWERS.length === 2;
          assert.equal(asked.get(`${host}/rules.txt`), isLed ? 1 : undefined);
          const forbids = host % ANSWERS.length !== 1;
          assert.equal(asked.get(`${host}/no/x`), forbids ? undefined : 1, `host ${host}`);
          if (!isOpen) assert.equal(asked.get(`${host}/0`), undefined);
        }
        assert.equal(asked.get("0/sitemap.xml"), 1, "the sitemap that a file names is read");
        const urls = readPages(out).map(({ url }) => url);
        assert.equal(new Set(urls).size, urls.length);
        for (const [name, times] of asked)
          if (!name.endsWith("/robots.txt")) assert.equal(times, 1, `${name}: ${times} times`);
      });
    }
  }
}

/** Where the robots.txt of each host leads; the others have one of their own. */
const LEADS = new Map([
  [0, 1],
  [2, 1],
  [3, 2],
  [4, 6],
]);
/** Files that take so long that they are also wanted by others meanwhile: host 1 is a seed, host 6 is linked from host 5. */
const SLOW_MS = new Map([
  [1, 400],
  [6, 400],
]);
const SEEDS = [0, 1, 2, 3, 4, 5];

/** Hosts whose robots.txt is that of another host, which is asked at the same moment. */
async function leadingHosts(t: TestContext): Promise<{ port: number; asked: Map<string, number> }> {
  const asked = new Map<string, number>();
  let port = 0;
  for (const host of [...SEEDS, 6]) {
    const server = createServer(({ url }, response) => {
      const name = `${host}${url}`;
      asked.set(name, (asked.get(name) ?? 0) + 1);
      const to = LEADS.get(host);
      if (url !== "/robots.txt") {
        const link = host === 5 ? `http://${ADDRESSES[6]}:${port}/` : "/0";
        response.setHeader("content-type", "text/html");
        response.end(`<a href=${link}>x</a><a href=/no/x>x</a>`);
      } else if (to !== undefined) {
        response.writeHead(301, { location: `http://${ADDRESSES[to]}:${port}/robots.txt` }).end();
      } else {
        const map = `http://${ADDRESSES[host]}:${port}/sitemap.xml`;
        const answer = () => response.end(`User-agent: *\nDisallow: /no/\nSitemap: ${map}\n`);
        setTimeout(answer, SLOW_MS.get(host) ?? 0);
      }
    });
    await new Promise<void>((resolve) => server.listen(port, ADDRESSES[host], resolve));
    t.after(() => server.close().closeAllConnections());
    port = (server.address() as AddressInfo).port;
  }
  return { port, asked };
}

for (const frontier of ["sharded", "shared"]) {
  for (const threads of [1, 4]) {
    for (const delay of ["0", "20"]) {
      test(`16.7: robots.txt is fetched once, directly and by redirects: ${frontier}, ${threads} threads, ${delay} ms`, async (t) => {
        const { port, asked } = await leadingHosts(t);
        const finished = await orbweaver([
          ...["crawl", ...SEEDS.map((host) => `http://${ADDRESSES[host]}:${port}/`)],
          ...["--out", join(tempFolder(t), "out"), "--quiet", "--delay", delay, "--scope", "any"],
          ...["--allow-private", "127.0.0.0/8", "--frontier", frontier],
          ...["--threads", String(threads)],
        ]);
        assert.deepEqual([finished.code, finished.stderr], [0, ""]);
        for (const host of [...SEEDS, 6]) {
          assert.equal(asked.get(`${host}/robots.txt`), 1, `host ${host}`);
          assert.equal(asked.get(`${host}/`), 1);
          assert.equal(asked.get(`${host}/no/x`), undefined, "the file at the end is obeyed");
          const maps = LEADS.has(host) ? undefined : 1;
          assert.equal(asked.get(`${host}/sitemap.xml`), maps, "and its sitemaps are read");
        }
      });
    }
  }
}
