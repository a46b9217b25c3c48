import assert from "node:assert/strict";
import { test } from "node:test";
import type { FetchOutcome } from "../../../src/fetch/outcome.ts";
import type { PoliteClient } from "../../../src/fetch/polite-client.ts";
import { ResponseHead } from "../../../src/fetch/response-head.ts";
import { RobotsBoard, robotsBoardBytes } from "../../../src/fetch/robots/robots-board.ts";
import { RobotsFetcher } from "../../../src/fetch/robots/robots-fetcher.ts";
import type { Response } from "../../../src/fetch/transport.ts";
import { Host } from "../../../src/frontier/host.ts";

function answer(status: number, headers: string, body = ""): FetchOutcome {
  const head = ResponseHead.parse(`HTTP/1.1 ${status} x\r\n${headers}\r\n`)!;
  const response = { head, body: Buffer.from(body) } as unknown as Response;
  return { kind: "response", response };
}

/** A fetcher whose requests are answered by `web`; what was asked, and for which host. */
function fetcherOf(
  web: (url: string) => FetchOutcome | Promise<FetchOutcome>,
  board?: RobotsBoard,
) {
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
    strangerHost: (name) => Object.assign(new Host(name, 2, 1000), { isStranger: true }),
    onOther: (origin, { sitemaps }) => others.push([origin, sitemaps]),
    clock: () => 0,
    board,
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

/** A file that is answered when the test says so. */
function slowFile() {
  let answerIt = () => {};
  const answered = new Promise<FetchOutcome>((resolve) => {
    answerIt = () => resolve(answer(200, "", "User-agent: *\nDisallow: /no\n"));
  });
  return { answered, answerIt: () => answerIt() };
}

for (const order of ["directly first", "by a redirect first"]) {
  for (const isSameThread of [true, false]) {
    const where = isSameThread ? "one thread" : "two threads";
    test(`a file that is wanted by two at once is asked for once: ${order}, ${where}`, async () => {
      const memory = new SharedArrayBuffer(robotsBoardBytes());
      const boardOf = (thread: number) =>
        new RobotsBoard({
          ...{ memory, thread, agent: "orbweaver", seedLow: 1, seedHigh: 2, claimMs: 1000 },
        });
      const slow = slowFile();
      const web = (url: string) =>
        url === "http://b.test/robots.txt"
          ? slow.answered
          : answer(301, "Location: http://b.test/robots.txt\r\n");
      const one = fetcherOf(web, boardOf(0));
      const two = isSameThread ? one : fetcherOf(web, boardOf(1));
      const ofA = () => one.fetcher.ask("http://a.test", new Host("a.test", 1, 1000));
      const ofB = () => two.fetcher.ask("http://b.test", new Host("b.test", 2, 1000));
      const [ask, askToo] = order === "directly first" ? [ofB, ofA] : [ofA, ofB];
      const first = ask();
      await new Promise(setImmediate);
      const waits = await askToo();
      assert.ok(waits.kind === "postponed" && waits.aside, "who waits holds no place");
      slow.answerIt();
      const answers = [await first, await ofA(), two.fetcher.known("http://b.test")];
      for (const read of answers)
        assert.ok(read?.kind === "rules" && !read.rules.verdict("/no").allowed);
      const asked = [...one.asked, ...(isSameThread ? [] : two.asked)].map(([url]) => url);
      assert.deepEqual(asked.sort(), ["http://a.test/robots.txt", "http://b.test/robots.txt"]);
    });
  }
}

test("a file on the way of redirects is not asked for again, nor one that leads back", async () => {
  const leads: Record<string, string> = { a: "b", b: "c", ring: "gnir", gnir: "ring" };
  const { fetcher, asked } = fetcherOf((url) => {
    const to = leads[/\w+(?=\.test)/.exec(url)![0]];
    return to === undefined
      ? answer(200, "", "User-agent: *\nDisallow: /no\n")
      : answer(302, `Location: http://${to}.test/robots.txt\r\n`);
  });
  for (const name of ["a", "b", "c", "ring", "gnir"]) {
    const origin = `http://${name}.test`;
    const host = new Host(`${name}.test`, 1, 1000);
    const read = fetcher.known(origin) ?? (await fetcher.ask(origin, host));
    assert.ok(read.kind === "rules");
    assert.equal(read.rules.verdict("/no").allowed, name.length > 1, name);
  }
  assert.equal(asked.length, 5);
});

test("who is led to a file that fails waits for its next try", async () => {
  const { fetcher, asked } = fetcherOf((url) =>
    url === "http://b.test/robots.txt"
      ? answer(503, "")
      : answer(302, "Location: http://b.test/robots.txt\r\n"),
  );
  const read = await fetcher.ask("http://a.test", new Host("a.test", 1, 1000));
  assert.ok(read.kind === "unreachable" && read.retryAtMs === 100 && !read.final);
  assert.deepEqual(fetcher.known("http://b.test"), read, "its own next try is the same one");
  assert.equal(asked.length, 2);
});

test("a file that we refuse to ask for forbids nothing to who is led to it, asked for before or not", async () => {
  for (const isAskedBefore of [false, true]) {
    const { fetcher } = fetcherOf((url) =>
      url.startsWith("http://a.test")
        ? answer(302, "Location: http://10.0.0.1/robots.txt\r\n")
        : { kind: "refused", error: "blocked_private_address" },
    );
    if (isAskedBefore) await fetcher.ask("http://10.0.0.1", new Host("10.0.0.1", 2, 1000));
    const read = await fetcher.ask("http://a.test", new Host("a.test", 1, 1000));
    assert.ok(read.kind === "unreachable" && !read.refused, `asked before: ${isAskedBefore}`);
    assert.equal(read.error, "blocked_private_address");
  }
});
