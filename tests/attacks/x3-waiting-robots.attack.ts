import { writeFileSync } from "node:fs";
import net, { type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type CrawlProcess, startCrawl, withFolder } from "../faults/drill.ts";
import type { Attack, AttackOptions, AttackResult } from "./attack.ts";
import { stopAtRandom } from "./stop-at-random.ts";
import { page, type Records, WatchedWeb, withNames } from "./watched-web.ts";

const DELAY_MS = 200;
const HONEST = 6;
/** Few, so that those who wait would soon have taken all of them. */
const PLACES = 16;
const SINK = "sink.test";
const SINK_MS = 1500;
const OTHERS = "127.0.0.1";
const MIN_SHARE = 0.9;
const MAX_PAIRS = 3;
const MAX_SECOND_SIGNAL_MS = 4000;

/** How much of each. */
function scale({ size }: AttackOptions) {
  if (size === "full") return { evil: 300, pages: 60, rounds: 10 };
  return { evil: size === "short" ? 150 : 60, pages: 12, rounds: 1 };
}

function isHonest(host: string): boolean {
  return host.startsWith("honest");
}

/** Honest hosts have addresses of their own, so that only places in flight are shared. */
const honestAddress = (i: number) => `127.0.1.${i + 1}`;
const ADDRESSES: Records = (name) =>
  isHonest(name) ? [honestAddress(Number(name.slice(6, 7)))] : [OTHERS];

/** Honest hosts with a chain of pages, and subdomains whose robots.txt leads to one slow sink. */
async function startWeb(pages: number): Promise<WatchedWeb> {
  const addresses = [OTHERS, ...Array.from({ length: HONEST }, (_, i) => honestAddress(i))];
  const web: WatchedWeb = await WatchedWeb.start((request, response, host) => {
    const url = request.url!;
    if (host === SINK) setTimeout(() => response.end("User-agent: *\nDisallow:\n"), SINK_MS);
    else if (url !== "/robots.txt") {
      const next = Number(url.slice(1)) + 1;
      page(response, ...(isHonest(host) && next < pages ? [`/${next}`] : []));
    } else if (isHonest(host)) response.writeHead(404).end();
    else {
      const location = `http://${SINK}:${web.port}/robots.txt?${host}`;
      response.writeHead(302, { location }).end();
    }
  }, addresses);
  return web;
}

function seedsOf(folder: string, scheme: string, port: number, evil: number): string[] {
  // Half of them are domains of their own, whose share of the places is bounded by nothing but the rule on trial.
  const evils = Array.from({ length: evil }, (_, i) =>
    i % 2 === 0 ? `${scheme}://e${i}.evil.test:${port}/` : `${scheme}://e.evil${i}.test:${port}/`,
  );
  const honest = Array.from({ length: HONEST }, (_, i) => `http://honest${i}.h${i}.test:${port}/`);
  const list = join(folder, "seeds.txt");
  writeFileSync(list, [...evils, ...honest].join("\n"));
  return ["crawl", "--seeds", list, "--out", join(folder, "out"), "--quiet"];
}

/** How long the honest hosts take, from the first to the last of their pages; infinite when they do not come to an end. */
async function honestMs(options: AttackOptions, threads: number, evil: number): Promise<number> {
  const { pages } = scale(options);
  const web = await startWeb(pages);
  const answered = () =>
    web.arrivals.filter(({ host, url }) => isHonest(host) && url !== "/robots.txt");
  try {
    return await withNames(ADDRESSES, (dns) =>
      withFolder(async (folder) => {
        const crawl = startCrawl(
          [
            ...[...seedsOf(folder, "http", web.port, evil), ...dns, "--delay", String(DELAY_MS)],
            ...["--threads", String(threads), "--links-per-thread", String(PLACES)],
          ],
          {},
          { program: options.program },
        );
        const maxMs = performance.now() + 3 * pages * DELAY_MS + 5000;
        while (answered().length < HONEST * pages && performance.now() < maxMs) await sleep(20);
        crawl.child.kill("SIGKILL");
        await crawl.ended;
        const honest = answered();
        if (honest.length < HONEST * pages) return Number.POSITIVE_INFINITY;
        return honest.at(-1)!.atMs - honest[0]!.atMs;
      }),
    );
  } finally {
    web.close();
  }
}

async function besideHonest(options: AttackOptions, threads: number): Promise<AttackResult> {
  const { evil } = scale(options);
  let share = 0;
  // A machine that is busy with something else disturbs one of the two; starving shows each time.
  for (let pair = 0; pair < MAX_PAIRS && share < MIN_SHARE; pair++) {
    const aloneMs = await honestMs(options, threads, 0);
    const besideMs = await honestMs(options, threads, evil);
    share = Math.max(share, Math.round((100 * aloneMs) / besideMs) / 100);
  }
  const name = `honest hosts beside ${evil} hosts, T=${threads}`;
  const problems = share < MIN_SHARE ? [`${name}: ${share} of their rate`] : [];
  return { figures: { [name]: { share } }, problems };
}

/** A crawl that waits for something that does not come; everything it needs is gone after `use`. */
type Stuck = (
  options: AttackOptions,
  use: (crawl: CrawlProcess, out: string) => Promise<void>,
) => Promise<void>;

/** A server that takes connections and says nothing. */
async function withSilence(use: (port: number) => Promise<void>): Promise<void> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, OTHERS, resolve));
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

function stuckOn(
  scheme: "http" | "https",
  records: Records,
  withPort: (use: (port: number) => Promise<void>) => Promise<void>,
  args: (port: number) => readonly string[] = () => [],
): Stuck {
  return (options, use) =>
    withPort((port) =>
      withNames(records, (dns) =>
        withFolder((folder) => {
          const words = [...seedsOf(folder, scheme, port, 60), ...dns, "--delay", "50"];
          const crawl = startCrawl([...words, ...args(port)], {}, { program: options.program });
          return use(crawl, join(folder, "out"));
        }),
      ),
    );
}

async function withWeb(use: (port: number) => Promise<void>): Promise<void> {
  const web = await startWeb(50);
  await use(web.port).finally(() => web.close());
}

/** Every answer is a body that never ends. */
async function withDrips(use: (port: number) => Promise<void>): Promise<void> {
  const web = await WatchedWeb.start((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    const drip = setInterval(() => response.write("."), 50);
    response.on("close", () => clearInterval(drip));
  });
  await use(web.port).finally(() => web.close());
}

const STUCK: Readonly<Record<string, Stuck>> = {
  "robots.txt at a slow sink": stuckOn("http", ADDRESSES, withWeb),
  "names that are not answered": stuckOn("http", () => "silence", withSilence),
  "TLS that stalls": stuckOn("https", () => [OTHERS], withSilence),
  "answers that never come": stuckOn("http", () => [OTHERS], withSilence),
  "bodies that never end": stuckOn("http", () => [OTHERS], withDrips),
  "tunnels that stall": stuckOn(
    "https",
    () => [OTHERS],
    withSilence,
    (port) => ["--proxy", `http://${OTHERS}:${port}`],
  ),
};

/** Stops each of them; once in a while with two signals, which must end it at once. */
async function stops(options: AttackOptions): Promise<AttackResult> {
  const { rounds } = scale(options);
  const figures: Record<string, Record<string, number>> = {};
  const problems: string[] = [];
  const waiting = Object.entries(STUCK).flatMap(([name, stuck], i) =>
    Array.from({ length: rounds }, (_, round) => ({ name, stuck, number: rounds * i + round })),
  );
  const runNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { name, stuck, number } = next;
      const isTwice = number % 5 === 4;
      const rules = isTwice
        ? { withinMs: 5000, againAfterMs: 300, maxExitMs: MAX_SECOND_SIGNAL_MS }
        : ({ withinMs: 5000, signal: number % 2 === 0 ? "SIGINT" : "SIGTERM" } as const);
      await stuck(options, async (crawl, out) => {
        const { exitMs, problem } = await stopAtRandom(crawl, options.seed + number, {
          out,
          ...rules,
        });
        if (problem !== undefined) problems.push(`${name}: ${problem}`);
        const before = figures[name] ?? { stops: 0, slowestExitMs: 0 };
        const slowestExitMs = Math.max(before.slowestExitMs!, exitMs ?? 0);
        figures[name] = { stops: before.stops! + 1, slowestExitMs };
      });
    }
  };
  await Promise.all(Array.from({ length: 3 }, runNext));
  return { figures, problems };
}

/** Waiting occupies no place in flight, and a stop is never up to a server. */
export const attack: Attack = {
  row: "X3",
  what: "subdomains whose robots.txt redirects to one slow sink; stops while servers say nothing",
  async run(options) {
    const results: AttackResult[] = [];
    for (const threads of options.size === "mutant" ? [1] : [1, 2]) {
      const name = `honest hosts beside a sink, T=${threads}`;
      if (options.isWanted?.(name) === false) continue;
      options.onStep?.(name);
      results.push(await besideHonest(options, threads));
    }
    if (options.isWanted?.("stops") !== false) {
      options.onStep?.("stops");
      results.push(await stops(options));
    }
    return {
      figures: Object.assign({}, ...results.map(({ figures }) => figures)),
      problems: results.flatMap(({ problems }) => problems),
    };
  },
  mutants: [
    {
      name: "a redirected robots.txt waits in its place",
      from: "&& asked !== host)",
      to: "&& asked !== host && (await new Promise((go) => setTimeout(go, 6e4)), true))",
    },
    {
      name: "a stop waits for servers",
      from: "return waitedMs > (",
      to: "return waitedMs - 3e4 > (",
    },
  ],
};
