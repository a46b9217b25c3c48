import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { PracticeRedis } from "../../src/web/practice-redis.ts";
import { startCrawl, withFolder } from "../faults/drill.ts";
import type { ClusterDrill } from "./cluster-drill.ts";

const LEASE_SECONDS = 3;
const DELAY_MS = 100;
/** Longer than until the next worker has taken over. */
const PAUSE_SECONDS = 8;
/** Asked of the site by robots.txt; longer than the crawl's own. */
const CRAWL_DELAY_MS = 300;
/** So long after it was told to wait, a worker has noted it. */
const NOTED_MS = 100;

/** A host that counts what is asked of it, and wants to be left alone once. */
class PausingHost {
  readonly times: { readonly path: string; readonly atMs: number }[] = [];
  pausedMs: number | undefined;
  readonly #pages: number;
  readonly #server = createServer(({ url }, response) => this.#answer(url ?? "/", response));

  constructor(pages: number) {
    this.#pages = pages;
  }

  async start(): Promise<string> {
    await once(this.#server.listen(0, "127.0.0.1"), "listening");
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}/`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(path: string, response: ServerResponse): void {
    const atMs = performance.now();
    this.times.push({ path, atMs });
    if (path === "/robots.txt") {
      response.end(`User-agent: *\nCrawl-delay: ${CRAWL_DELAY_MS / 1000}\nDisallow: /private`);
      return;
    }
    if (this.pausedMs === undefined && this.times.length > this.#pages / 3) {
      this.pausedMs = atMs;
      response.writeHead(503, { "retry-after": String(PAUSE_SECONDS) }).end();
      return;
    }
    const links = Array.from({ length: this.#pages }, (_, i) => `<a href="/${i}">${i}</a>`);
    response.setHeader("content-type", "text/html");
    response.end(`${links.join("")}<a href="/private">no</a>`);
  }
}

/** The worker that visits a host dies: the next one knows its robots.txt and keeps the pause that it asked for. */
export const drill: ClusterDrill = {
  name: "moved-host",
  short: { count: 1, pages: 12 },
  full: { count: 1, pages: 30 },
  run({ pages, onFault, program }) {
    return withFolder(async (folder) => {
      const host = new PausingHost(pages);
      const start = await host.start();
      const redis = await PracticeRedis.start({ folder: join(folder, "redis") });
      const limits = program === undefined ? {} : { program };
      const run = (name: string, words: readonly string[]) =>
        startCrawl(
          [
            ...[...words, "--engine", redis.url, "--crawl", "moved", "--json", "--quiet"],
            ...["--out", join(folder, name)],
          ],
          {},
          limits,
        );
      const first = run("first", [
        ...["crawl", start, "--frontier", "engine", "--allow-private", "127.0.0.0/8"],
        ...["--delay", String(DELAY_MS), "--engine-lease", `${LEASE_SECONDS}s`],
      ]);
      const problems: string[] = [];
      try {
        while (host.pausedMs === undefined && first.child.exitCode === null) await setTimeout(2);
        await setTimeout(NOTED_MS);
        first.child.kill("SIGKILL");
        await first.ended;
        onFault?.(1);
        const second = run("second", ["worker"]);
        const { code, stderr } = await second.ended;
        if (code !== 0) problems.push(`the second worker ended with ${code}: ${stderr}`);
      } finally {
        first.child.kill("SIGKILL");
        host.close();
        await redis.kill();
      }
      const pausedMs = host.pausedMs ?? 0;
      const after = host.times.filter(({ atMs }) => atMs > pausedMs);
      const waitedMs = Math.round((after[0]?.atMs ?? 0) - pausedMs);
      const asked = host.times.filter(({ path }) => path === "/robots.txt").length;
      const smallestGapMs = Math.round(
        Math.min(...after.slice(1).map(({ atMs }, i) => atMs - after[i]!.atMs)),
      );
      const fetched = new Set(host.times.map(({ path }) => path));
      if (waitedMs < 1000 * PAUSE_SECONDS)
        problems.push(`the host was asked ${waitedMs} ms after it wanted ${PAUSE_SECONDS} s`);
      if (asked !== 1) problems.push(`robots.txt was asked for ${asked} times`);
      if (smallestGapMs < CRAWL_DELAY_MS)
        problems.push(`only ${smallestGapMs} ms between two requests after the move`);
      if (fetched.has("/private")) problems.push("what robots.txt forbids was asked for");
      if (fetched.size !== pages + 2) problems.push(`${fetched.size} paths were asked for`);
      return { figures: { waitedMs, robots: asked, smallestGapMs }, problems };
    });
  },
  mutants: [
    {
      name: "robots.txt is not kept with the host",
      from: "keepWith(this.#frontier.hostMemory)",
      to: "known(this.#frontier.hostMemory)",
      noticedBy: /robots\.txt was asked for/,
    },
    {
      name: "notes wait for the next page",
      from: "if (partition.notes.size > 0 && !partition.isLost)",
      to: "if (false)",
      noticedBy: /ms after it wanted/,
    },
  ],
};
