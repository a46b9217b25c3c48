import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCrawl, withFolder } from "../faults/drill.ts";
import type { Attack, AttackOptions, AttackResult } from "./attack.ts";
import { mostWithinMs, page, WatchedWeb, withNames } from "./watched-web.ts";

const RECORD = new URL("../hostile/record-connects.js", import.meta.url).href;
const VICTIM = "127.0.0.1";
/** Nobody listens there; every name has another one, so that no floor but the victim's spaces them. */
const deadAddress = (name: string) => {
  const i = Number(/\d+/.exec(name)![0]);
  return `127.2.${i >> 8}.${i & 255}`;
};
const DELAY_MS = 500;
const FLOOR_MS = DELAY_MS / 10;
const WINDOW_FLOORS = 10;
/** Requests that are late because a thread stood still may come in the window of the next ones. */
const SLACK = 3;
const MAX_TRIED = 4;

/** Many names whose first address is dead: the floor counts the address that is connected to. */
async function namesWithDeadAddress(
  { program, size }: AttackOptions,
  threads: number,
  names: number,
): Promise<AttackResult> {
  const web = await WatchedWeb.start(
    (request, response) => {
      if (request.url === "/robots.txt") response.writeHead(404).end();
      else page(response);
    },
    [VICTIM],
  );
  try {
    const { code, pages } = await withNames(
      (name) => [deadAddress(name), VICTIM],
      (dns) =>
        withFolder(async (folder) => {
          const seeds = Array.from(
            { length: names },
            (_, i) => `http://n${i}.s${i}.test:${web.port}/`,
          );
          const list = join(folder, "seeds.txt");
          writeFileSync(list, seeds.join("\n"));
          const out = join(folder, "out");
          const ended = await startCrawl(
            [
              ...["crawl", "--seeds", list, "--out", out, ...dns, "--quiet", "--json"],
              ...["--delay", String(DELAY_MS), "--threads", String(threads)],
              ...["--max-time", size === "full" ? "180s" : "60s"],
            ],
            {},
            { program },
          ).ended;
          return { code: ended.code, pages: web.arrivals.filter(({ url }) => url === "/").length };
        }),
    );
    const most = mostWithinMs(web.arrivals, WINDOW_FLOORS * FLOOR_MS);
    const problems: string[] = [];
    if (most > WINDOW_FLOORS + 1 + SLACK)
      problems.push(`${most} requests at the victim within ${WINDOW_FLOORS * FLOOR_MS} ms`);
    if (code !== 0) problems.push(`exit code ${code}`);
    if (pages !== names) problems.push(`${pages} pages of ${names}`);
    const row = `${names} names, T=${threads}`;
    return { figures: { [row]: { requests: web.arrivals.length, mostInWindow: most } }, problems };
  } finally {
    web.close();
  }
}

/** One name with very many addresses: few of them are tried for each request. */
async function oneNameManyAddresses(
  { program }: AttackOptions,
  addresses: number,
): Promise<AttackResult> {
  const all = Array.from({ length: addresses }, (_, i) => `127.1.${i >> 8}.${i & 255}`);
  const connects = await withNames(
    () => all,
    (dns) =>
      withFolder(async (folder) => {
        const file = join(folder, "connects");
        writeFileSync(file, "");
        const crawl = startCrawl(
          [
            ...["crawl", "http://many.test:9/", "--out", join(folder, "out"), ...dns, "--quiet"],
            ...["--no-robots", "--retries", "0", "--delay", "100", "--max-time", "10s"],
          ].map((word) => word.replace(":9/", ":8099/")),
          { NODE_OPTIONS: `--import ${RECORD}`, HOSTILE_CONNECTS: file },
          { program },
        );
        await crawl.ended;
        const lines = readFileSync(file, "utf8").split("\n");
        return lines.filter((line) => line.startsWith("127.1.")).length;
      }),
  );
  const problems: string[] = [];
  if (connects > MAX_TRIED) problems.push(`${connects} connects for one request`);
  if (connects === 0) problems.push("nothing was tried");
  return { figures: { [`${addresses} addresses`]: { connects } }, problems };
}

/** The floor counts the address that is really connected to, at every attempt. */
export const attack: Attack = {
  row: "X6",
  what: "300 names with a dead address and a victim's; one name with 2,000 addresses",
  async run(options) {
    const { size } = options;
    const names = size === "full" ? 300 : size === "short" ? 30 : 20;
    const addresses = size === "full" ? [5, 200, 2000] : [200];
    const results: AttackResult[] = [];
    for (const threads of size === "full" ? [1, 2, 4] : size === "short" ? [1, 2] : [2]) {
      options.onStep?.(`${names} names with a dead address, T=${threads}`);
      results.push(await namesWithDeadAddress(options, threads, names));
    }
    for (const count of addresses) {
      options.onStep?.(`one name with ${count} addresses`);
      results.push(await oneNameManyAddresses(options, count));
    }
    return {
      figures: Object.assign({}, ...results.map(({ figures }) => figures)),
      problems: results.flatMap(({ problems }) => problems),
    };
  },
  mutants: [
    {
      name: "only the first address passes its floor",
      from: "const untilMs = gatekeeper.dial(this.#host, gate, clock());",
      to: "const untilMs = 0;",
    },
    {
      name: "all addresses are tried",
      from: "MAX_ADDRESSES_TRIED = 4;",
      to: "MAX_ADDRESSES_TRIED = 4e3;",
    },
  ],
};
