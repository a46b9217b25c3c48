import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCrawl, withFolder } from "../faults/drill.ts";
import type { Attack, AttackOptions, AttackResult } from "./attack.ts";
import {
  type Answer,
  mostWithinMs,
  page,
  shortestGapMs,
  shortestPauseMs,
  WatchedWeb,
  withNames,
} from "./watched-web.ts";

/** A part of the row: a web, a crawl of it, and what must be true of both. */
interface Part {
  readonly name: string;
  readonly answer: Answer;
  readonly seeds: (port: number) => readonly string[];
  readonly args: readonly string[];
  judge(web: WatchedWeb, out: string): { figures: Record<string, number>; problems: string[] };
}

const ROOT_DELAY_MS = 300;

/** Two spellings of one host, with links to each other. */
function rootDot(threads: number): Part {
  return {
    name: `a.test. and a.test, T=${threads}`,
    answer: (request, response) => {
      const { port } = new URL(`http://${request.headers.host}`);
      const spellings = [`http://a.test:${port}`, `http://a.test.:${port}`];
      if (request.url === "/robots.txt") response.writeHead(404).end();
      else if (request.url !== "/") page(response);
      else page(response, ...spellings.flatMap((origin) => [`${origin}/1`, `${origin}/2`]));
    },
    seeds: (port) => [`http://a.test:${port}/`, `http://a.test.:${port}/`],
    args: ["--delay", String(ROOT_DELAY_MS), "--threads", String(threads), "--scope", "domain"],
    judge(web) {
      const asked = web.of("a.test");
      const shortestMs = shortestPauseMs(asked);
      const robots = asked.filter(({ url }) => url === "/robots.txt").length;
      const problems: string[] = [];
      if (asked.length < 6) problems.push(`asked ${asked.length} times`);
      if (shortestMs < ROOT_DELAY_MS) problems.push(`asked again after ${shortestMs} ms`);
      if (robots > 1) problems.push(`${robots} downloads of robots.txt`);
      return { figures: { requests: asked.length, robots, shortestMs }, problems };
    },
  };
}

const START_DELAY_MS = 1000;
const FIRST = 12;

/** Many names of one address, all of which could be asked at once when the process starts. */
function manyNames(threads: number): Part {
  const floorMs = START_DELAY_MS / 10;
  return {
    name: `start with many names of one address, T=${threads}`,
    answer: (request, response) => {
      if (request.url === "/robots.txt") response.writeHead(404).end();
      else page(response);
    },
    seeds: (port) => Array.from({ length: FIRST }, (_, i) => `http://n${i}.s${i}.test:${port}/`),
    args: ["--delay", String(START_DELAY_MS), "--threads", String(threads), "--max-time", "3s"],
    judge(web) {
      const first = web.arrivals.slice(0, FIRST);
      const shortestMs = shortestGapMs(first);
      const most = mostWithinMs(first, 4 * floorMs);
      const problems: string[] = [];
      if (first.length < FIRST) problems.push(`only ${first.length} requests`);
      // What a machine that stands still takes from one gap it adds to another.
      if (shortestMs < floorMs / 2) problems.push(`two requests within ${shortestMs} ms`);
      if (most > 6) problems.push(`${most} requests within ${4 * floorMs} ms`);
      return { figures: { requests: web.arrivals.length, shortestMs }, problems };
    },
  };
}

const WILDCARDS = 4096;

/** A robots.txt whose rule that matters stands behind more wildcards than are tried. */
function manyRules(): Part {
  const filler = Array.from({ length: WILDCARDS }, (_, i) => `Disallow: /x*${i}`).join("\n");
  const robots = `User-agent: *\nAllow: /\n${filler}\nDisallow: /*secret\n`;
  return {
    name: "4,097 wildcard rules",
    answer: (request, response) => {
      if (request.url === "/robots.txt") response.end(robots);
      else page(response, "/my-secret", "/open");
    },
    seeds: (port) => [`http://rules.test:${port}/my-secret`, `http://rules.test:${port}/`],
    args: ["--delay", "50"],
    judge(web) {
      const asked = web.arrivals.filter(({ url }) => url !== "/robots.txt");
      const secret = asked.filter(({ url }) => url.includes("secret")).length;
      const problems = secret > 0 ? [`${secret} requests for what the last rule forbids`] : [];
      if (web.arrivals.length === 0) problems.push("robots.txt was not read");
      return { figures: { requests: web.arrivals.length, secret }, problems };
    },
  };
}

const FOREIGN = 1000;

/** One seed whose robots.txt names sitemaps of very many other sites. */
function foreignSitemaps(): Part {
  const isOwn = (host: string) => host === "seed.test" || host.endsWith(".seed.test");
  return {
    name: "Sitemap lines to 1,000 foreign hosts",
    answer: (request, response, host) => {
      const { port } = new URL(`http://${request.headers.host}`);
      if (request.url === "/robots.txt" && host === "seed.test") {
        const own = `Sitemap: http://maps.seed.test:${port}/own.xml\n`;
        const others = Array.from(
          { length: FOREIGN },
          (_, i) => `Sitemap: http://f${i}.site${i}.test:${port}/map.xml\n`,
        );
        response.end(own + others.join(""));
      } else if (request.url === "/robots.txt") response.writeHead(404).end();
      else if (request.url === "/own.xml")
        // A sitemap of its own that leads elsewhere.
        response.writeHead(302, { location: `http://led.elsewhere.test:${port}/map.xml` }).end();
      else page(response);
    },
    seeds: (port) => [`http://seed.test:${port}/`],
    args: ["--delay", "50", "--max-time", "10s"],
    judge(web, out) {
      const foreign = web.arrivals.filter(({ host }) => !isOwn(host)).length;
      const own = web.arrivals.filter(({ url }) => url === "/own.xml").length;
      const skipped =
        readFileSync(join(out, "reports/skipped.jsonl"), "utf8").split("\n").length - 1;
      const problems = foreign > 0 ? [`${foreign} requests to foreign sites`] : [];
      if (own !== 1) problems.push(`its own sitemap was asked for ${own} times`);
      if (skipped < FOREIGN) problems.push(`only ${skipped} of them are reported`);
      return { figures: { requests: web.arrivals.length, foreign, skipped }, problems };
    },
  };
}

async function play(part: Part, { program }: AttackOptions): Promise<AttackResult> {
  const web = await WatchedWeb.start(part.answer);
  try {
    return await withNames(
      () => ["127.0.0.1"],
      (dns) =>
        withFolder(async (folder) => {
          const list = join(folder, "seeds.txt");
          writeFileSync(list, part.seeds(web.port).join("\n"));
          const out = join(folder, "out");
          const args = ["crawl", "--seeds", list, "--out", out, ...dns, "--quiet", ...part.args];
          const { code, stderr } = await startCrawl(args, {}, { program }).ended;
          const { figures, problems } = part.judge(web, out);
          if (code !== 0 && code !== 3 && code !== 6)
            problems.push(`exit code ${code}: ${stderr.slice(-300)}`);
          return {
            figures: { [part.name]: figures },
            problems: problems.map((problem) => `${part.name}: ${problem}`),
          };
        }),
    );
  } finally {
    web.close();
  }
}

/** One host is one host, from the first request, and no robots.txt leads where it must not. */
export const attack: Attack = {
  row: "X13",
  what: "two spellings of a host, many names of an address, too many rules, sitemaps of others",
  async run(options) {
    const threads = options.size === "full" ? [1, 2, 4] : [2];
    const parts = [
      ...threads.map(rootDot),
      ...threads.map(manyNames),
      manyRules(),
      foreignSitemaps(),
    ];
    const results: AttackResult[] = [];
    for (const part of parts) {
      options.onStep?.(part.name);
      results.push(await play(part, options));
    }
    return {
      figures: Object.assign({}, ...results.map(({ figures }) => figures)),
      problems: results.flatMap(({ problems }) => problems),
    };
  },
  mutants: [
    {
      name: "the root dot makes another host",
      from: 'hostname.length > 1 && hostname.endsWith(".")',
      to: "hostname.length < 0",
    },
    {
      name: "rules beyond the limit lose their rank",
      from: "{ ...rule, end, writtenEnd }",
      to: "{ ...rule, end }",
    },
    {
      name: "a site vouches for everybody's sitemaps",
      from: "this.#rules.refusal(file, siteOf(hostnameOf(file)) === site)",
      to: "this.#rules.refusal(file, true)",
    },
    { name: "no floor", from: "rules.delayMs / 10", to: "rules.delayMs / 1e6" },
  ],
};
