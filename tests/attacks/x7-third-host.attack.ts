import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { startCrawl, withFolder } from "../faults/drill.ts";
import type { Finished } from "../support/orbweaver.ts";
import type { Attack, AttackOptions } from "./attack.ts";
import {
  type Answer,
  type Arrival,
  page,
  shortestGapMs,
  shortestPauseMs,
  WatchedWeb,
  withNames,
} from "./watched-web.ts";

const THIRD = "third.test";
/** What a host asks for is known to everybody this long after its answer. */
const KNOWN_MS = 200;

interface Variant {
  readonly name: string;
  /** What leads to the third host. */
  readonly by: "robots redirect" | "sitemap" | "asset";
  /** What it asks for. */
  readonly asks: "crawl-delay" | "retry-after";
  readonly threads: number;
  readonly frontier: "sharded" | "shared";
  readonly perHost: number;
}

function variants({ size }: AttackOptions): Variant[] {
  const all: Variant[] = [];
  for (const by of ["robots redirect", "sitemap", "asset"] as const)
    for (const asks of ["crawl-delay", "retry-after"] as const)
      for (const threads of [1, 2])
        for (const frontier of ["sharded", "shared"] as const)
          for (const perHost of [1, 4])
            all.push({
              name: `${by}, ${asks}, T=${threads}, ${frontier}, per host ${perHost}`,
              ...{ by, asks, threads, frontier, perHost },
            });
  if (size === "full") return all;
  // Every value of every choice at least once.
  const wanted = size === "mutant" ? [0, 6, 9, 14] : [0, 7, 9, 14, 19, 22, 26, 29, 34, 41, 44, 47];
  return all.filter((_, i) => wanted.includes(i));
}

/** What the third host asks for, in milliseconds. */
interface Wishes {
  readonly crawlDelayMs: number;
  readonly pauseMs: number;
}

/** The third host, and others that lead to it as soon as it has said what it wants. */
class ThirdHost {
  readonly #variant: Variant;
  readonly #wishes: Wishes;
  /** When it asked to be left alone. */
  refusedMs = Number.NEGATIVE_INFINITY;
  /** When it had said what it wants. */
  saidMs = Number.POSITIVE_INFINITY;
  readonly #onSaid: (() => void)[] = [];
  port = 0;

  constructor(variant: Variant, wishes: Wishes) {
    this.#variant = variant;
    this.#wishes = wishes;
  }

  get origin(): string {
    return `http://${THIRD}:${this.port}`;
  }

  readonly answer: Answer = (request, response, host) => {
    const url = request.url!;
    if (host === THIRD) this.#answerItself(url, response);
    else if (url === "/robots.txt") this.#whenSaid(() => this.#lead(host, response));
    else if (this.#variant.by === "asset") {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(`<img src="${this.origin}/${host}.png">`);
    } else page(response);
  };

  #answerItself(url: string, response: ServerResponse): void {
    const { crawlDelayMs, pauseMs } = this.#wishes;
    const delays = this.#variant.asks === "crawl-delay";
    if (url.startsWith("/robots.txt")) {
      response.end(delays ? `User-agent: *\nCrawl-delay: ${crawlDelayMs / 1000}\n` : "");
      if (delays && url === "/robots.txt") this.#say();
    } else if (!delays && this.refusedMs < 0) {
      this.refusedMs = performance.now();
      response.writeHead(503, { "retry-after": String(pauseMs / 1000) }).end();
      this.#say();
    } else if (url.endsWith(".xml")) {
      response.writeHead(200, { "content-type": "text/xml" });
      response.end(`<urlset><url><loc>${this.origin}/listed</loc></url></urlset>`);
    } else page(response, ...(url === "/" ? ["/one"] : []));
  }

  #lead(host: string, response: ServerResponse): void {
    const { by } = this.#variant;
    const location = `${this.origin}/robots.txt?${host}`;
    if (by === "robots redirect") response.writeHead(302, { location }).end();
    else if (by === "sitemap") response.end(`Sitemap: ${this.origin}/${host}.xml\n`);
    else response.writeHead(404).end();
  }

  #say(): void {
    if (this.saidMs !== Number.POSITIVE_INFINITY) return;
    this.saidMs = performance.now();
    setTimeout(() => {
      for (const go of this.#onSaid.splice(0)) go();
    }, KNOWN_MS);
  }

  #whenSaid(go: () => void): void {
    if (performance.now() > this.saidMs + KNOWN_MS) go();
    else this.#onSaid.push(go);
  }
}

async function lead(variant: Variant, { program, size }: AttackOptions) {
  const isFull = size === "full";
  const wishes = isFull
    ? { crawlDelayMs: 6000, pauseMs: 25_000 }
    : { crawlDelayMs: 900, pauseMs: 2000 };
  const names = Array.from({ length: isFull ? 6 : 3 }, (_, i) => `way${i}.test`);
  const { by, threads, frontier, perHost } = variant;
  // The shared frontier has several connections per host only without a delay of the crawl's own.
  const delayMs = frontier === "shared" && perHost > 1 ? 0 : 100;
  const third = new ThirdHost(variant, wishes);
  const web = await WatchedWeb.start(third.answer);
  third.port = web.port;
  const seeds = [THIRD, ...names].map((name) => `http://${name}:${web.port}/`);
  const settings = ["--threads", threads, "--frontier", frontier, "--per-host", perHost].map(
    String,
  );
  const crawl = (names: readonly string[], out: string) => [
    ...["crawl", ...seeds, "--out", out, ...names, "--scope", "any", "--quiet", ...settings],
    ...["--delay", String(delayMs), "--max-time", isFull ? "100s" : "30s"],
    ...(by === "asset" ? ["--archival"] : []),
  ];
  try {
    const ended = await withNames(
      () => ["127.0.0.1"],
      (dns) =>
        withFolder((folder) => startCrawl(crawl(dns, join(folder, "out")), {}, { program }).ended),
    );
    return judge(variant, wishes, third, web.of(THIRD), ended);
  } finally {
    web.close();
  }
}

function judge(
  { asks, perHost }: Variant,
  { crawlDelayMs, pauseMs }: Wishes,
  { saidMs, refusedMs }: ThirdHost,
  asked: readonly Arrival[],
  { code, stderr }: Finished,
) {
  const problems: string[] = [];
  const isOver = code === 0 || code === 3;
  if (!isOver) problems.push(`exit code ${code}: ${stderr.slice(-300)}`);
  const after = asked.filter(({ atMs }) => atMs > saidMs);
  if (after.length < 3) problems.push(`the third host was asked ${after.length} times afterwards`);
  const leastMs = asks === "crawl-delay" ? crawlDelayMs : pauseMs;
  const before = asked.filter(({ endMs }) => endMs <= saidMs).slice(-1);
  const shortestMs =
    asks === "retry-after"
      ? Math.round((after[0]?.atMs ?? 0) - refusedMs)
      : perHost === 1
        ? shortestPauseMs([...before, ...after])
        : shortestGapMs([...before, ...after]);
  if (shortestMs < leastMs) problems.push(`asked again after ${shortestMs} of ${leastMs} ms`);
  return { figures: { requests: asked.length, shortestMs }, problems };
}

/** Every request passes the state of the host it goes to, whoever asks. */
export const attack: Attack = {
  row: "X7",
  what: "robots redirects, sitemaps and assets that lead to a third host with a delay or a pause of its own",
  async run(options) {
    const figures: Record<string, Record<string, number | string>> = {};
    const problems: string[] = [];
    const waiting = variants(options);
    // Most of the time everybody waits, so several run side by side.
    const runNext = async (): Promise<void> => {
      for (let variant = waiting.shift(); variant; variant = waiting.shift()) {
        options.onStep?.(variant.name);
        const result = await lead(variant, options);
        figures[variant.name] = result.figures;
        for (const problem of result.problems) problems.push(`${variant.name}: ${problem}`);
      }
    };
    await Promise.all(Array.from({ length: options.size === "full" ? 3 : 4 }, runNext));
    return { figures, problems };
  },
  mutants: [
    {
      name: "pauses stay with who heard them",
      from: "this.#rules.holds.raise(host.hash, untilMs, nowMs);",
      to: ";",
    },
    {
      name: "delays stay with who read robots.txt",
      from: "this.#rules.delays.raise(host.hash, delayMs, 0);",
      to: ";",
    },
  ],
};
