import assert from "node:assert/strict";
import { test } from "node:test";
import type { FetchOutcome } from "../../../src/fetch/outcome.ts";
import type { PoliteClient } from "../../../src/fetch/polite-client.ts";
import { ResponseHead } from "../../../src/fetch/response-head.ts";
import { RobotsFetcher } from "../../../src/fetch/robots/robots-fetcher.ts";
import type { Response } from "../../../src/fetch/transport.ts";
import { Host } from "../../../src/frontier/host.ts";

function answer(status: number, headers: string, body = ""): FetchOutcome {
  const head = ResponseHead.parse(`HTTP/1.1 ${status} x\r\n${headers}\r\n`)!;
  const response = { head, body: Buffer.from(body) } as unknown as Response;
  return { kind: "response", response };
}

/** A fetcher whose requests are answered by `web`; what was asked, and for which host. */
function fetcherOf(web: (url: string) => FetchOutcome) {
  const asked: [url: string, host: Host][] = [];
  const slowed: [name: string, delayMs: number][] = [];
  const others: [origin: string, sitemaps: readonly string[]][] = [];
  const client = {
    gatekeeper: {
      hold: () => {},
      slow: ({ name }: Host, delayMs: number) => slowed.push([name, delayMs]),
    },
    ask: (url: string, host: Host) => {
      asked.push([url, host]);
      return Promise.resolve(web(url));
    },
  } as unknown as PoliteClient;
  const fetcher = new RobotsFetcher(client, {
    agent: "orbweaver",
    headers: [],
    retries: 2,
    cacheBytes: 1 << 20,
    backOffMs: () => 100,
    strangerHost: (name) => new Host(name, 2, 1000),
    onOther: (origin, { sitemaps }) => others.push([origin, sitemaps]),
    clock: () => 0,
  });
  return { fetcher, asked, slowed, others };
}

const POSTPONED = { kind: "postponed", untilMs: 700 } as const;

test("a redirect to a host that has to wait is postponed, and goes on from its hop", async () => {
  let isBusy = true;
  const { fetcher, asked } = fetcherOf((url) => {
    if (url.startsWith("http://a.test")) return answer(302, "Location: http://b.test/r\r\n");
    return isBusy ? POSTPONED : answer(200, "", "User-agent: *\nDisallow: /no\n");
  });
  const host = new Host("a.test", 1, 1000);
  assert.deepEqual(await fetcher.ask("http://a.test", host), { ...POSTPONED, aside: true });
  isBusy = false;
  const read = await fetcher.ask("http://a.test", host);
  assert.ok(read.kind === "rules" && !read.rules.verdict("/no").allowed);
  assert.deepEqual(
    asked.map(([url]) => url),
    ["http://a.test/robots.txt", "http://b.test/r", "http://b.test/r"],
  );
  assert.equal(asked[1]![1], asked[2]![1], "the turn that it reserved is not lost");
});

test("many names whose robots.txt leads to one file cost it one request", async () => {
  const { fetcher, asked } = fetcherOf((url) =>
    url === "http://b.test/robots.txt"
      ? answer(404, "")
      : answer(301, "Location: http://b.test/robots.txt\r\n"),
  );
  for (let i = 0; i < 5; i++)
    await fetcher.ask(`http://a${i}.test`, new Host(`a${i}.test`, 10 + i, 1000));
  assert.equal(asked.filter(([url]) => url.startsWith("http://b.test")).length, 1);
  assert.ok(fetcher.known("http://b.test") !== undefined, "and it is the file of that host");
});

test("a chain that is too long says nothing about the host at its end", async () => {
  const { fetcher } = fetcherOf((url) => {
    const hop = Number(/\d+/.exec(url)?.[0] ?? 0) + 1;
    const isVictim = url.startsWith("http://victim.test");
    if (isVictim) return answer(301, "Location: https://victim.test/robots.txt\r\n");
    const next = hop < 5 ? `http://evil.test/${hop}` : "http://victim.test/robots.txt";
    return answer(302, `Location: ${next}\r\n`);
  });
  const read = await fetcher.ask("http://evil.test", new Host("evil.test", 1, 1000));
  assert.ok(read.kind === "rules" && read.rules.verdict("/").allowed, "RFC 9309, 2.3.1.2");
  assert.equal(fetcher.known("http://victim.test"), undefined);
});

test("what another host's robots.txt asks for holds for that host, whoever led to it", async () => {
  const wishes = "User-agent: *\nCrawl-delay: 7\nSitemap: http://victim.test/map.xml\n";
  const { fetcher, slowed, others } = fetcherOf((url) =>
    url === "http://victim.test/robots.txt"
      ? answer(200, "", wishes)
      : answer(302, "Location: http://victim.test/robots.txt\r\n"),
  );
  await fetcher.ask("http://evil.test", new Host("evil.test", 1, 1000));
  assert.deepEqual(slowed, [
    ["victim.test", 7000],
    ["evil.test", 7000],
  ]);
  assert.deepEqual(others, [["http://victim.test", ["http://victim.test/map.xml"]]]);
});
