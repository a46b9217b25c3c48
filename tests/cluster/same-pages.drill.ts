import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "../faults/drill.ts";
import { orbweaver, readPages } from "../support/orbweaver.ts";
import type { ClusterDrill } from "./cluster-drill.ts";
import { judgeCrawl } from "./judge-crawl.ts";
import { withEngine, withMeteredWeb } from "./with-engine.ts";

const HOSTS = 50;
/** Slow enough that all workers are there before the crawl is over. */
const DELAY_MS = 200;
/** Workers, and whether they go in supersteps; the first ones are the short form. */
const CRAWLS: readonly (readonly [workers: number, inSteps: boolean])[] = [
  ...([
    [1, false],
    [2, false],
    [2, true],
    [4, false],
  ] as const),
  ...([
    [8, false],
    [1, true],
    [4, true],
    [8, true],
  ] as const),
];

/** One, two, four and eight workers, also in supersteps, fetch what an embedded crawl of the same web fetches. */
export const drill: ClusterDrill = {
  name: "same-pages",
  short: { count: 3, pages: 1500 },
  full: { count: CRAWLS.length, pages: 3000 },
  async run({ count, pages, seed, onFault, program }) {
    const profile = { pages, hosts: HOSTS, seed };
    const stage = { profile, latencyMs: 2, delayMs: DELAY_MS, program };
    const expected = await withFolder((folder) =>
      withMeteredWeb({ ...stage, delayMs: 0 }, async (web) => {
        const out = join(folder, "embedded");
        const rest = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet", "--out", out];
        await orbweaver(["crawl", ...web.start, "--scope", "any", ...rest]);
        return pathsOf([out]);
      }),
    );
    const problems: string[] = [];
    let compared = 0;
    for (const [workers, inSteps] of CRAWLS.slice(0, count)) {
      const name = `${workers} workers${inSteps ? " in supersteps" : ""}`;
      const args = inSteps ? ["--supersteps"] : [];
      await withEngine({ ...stage, args }, async ({ crawl, web }) => {
        await crawl.create();
        for (let i = 1; i < workers; i++) crawl.join();
        const ends = await crawl.end();
        const judged = await judgeCrawl(crawl, web, { maxRefetched: 0 });
        for (const out of crawl.folders)
          if (pathsOf([out]).size === 0) problems.push(`${name}: ${out} has no page`);
        const found = pathsOf(crawl.folders);
        const differ = [...expected].filter((one) => !found.has(one)).length;
        const surplus = [...found].filter((one) => !expected.has(one)).length;
        if (differ + surplus > 0)
          problems.push(`${name}: ${differ} pages missing, ${surplus} more`);
        if (inSteps) {
          // A page that lost one of the links to it is mostly found by another.
          const { sent, taken } = linksIn(crawl.folders);
          if (sent !== taken)
            problems.push(`${name}: ${sent} links were sent, ${taken} were taken in`);
        }
        problems.push(...[...ends, ...judged.problems].map((one) => `${name}: ${one}`));
        compared++;
      });
      onFault?.(compared);
    }
    if (expected.size < 0.9 * pages) problems.push(`only ${expected.size} pages are expected`);
    return { figures: { crawls: compared, pages: expected.size }, problems };
  },
  mutants: [
    {
      name: "blocks of the step before are taken in and forgotten",
      from: "local counts = insertLinks(order, block, 3, level)",
      to: "local counts = {links = 0, fresh = 0, late = 0, lifted = 0}",
      noticedBy: /links were sent/,
    },
    {
      name: "a block of links is dropped now and then",
      // Its page does not wait for it: one that did would wait for ever, and the crawl would not end.
      from: "const link = recordOf(found, host, rules);",
      to: 'const link = recordOf(found, host, rules); if (link.decimal.endsWith("77")) return;',
      noticedBy: /pages missing/,
    },
  ],
};

/** Links in the blocks of all supersteps of all workers. */
function linksIn(folders: readonly string[]): { sent: number; taken: number } {
  const sums = { sent: 0, taken: 0 };
  for (const out of folders) {
    const steps = readFileSync(join(out, "reports", "supersteps.jsonl"), "utf8");
    for (const line of steps.split("\n").slice(0, -1)) {
      const { links, receivedLinks } = JSON.parse(line) as Record<string, number>;
      sums.sent += links!;
      sums.taken += receivedLinks!;
    }
  }
  return sums;
}

/** Pages without the port, which differs from web to web. */
function pathsOf(folders: readonly string[]): Set<string> {
  const urls = folders.flatMap((out) => readPages(out).map(({ url }) => url));
  return new Set(urls.map((url) => url.replace(/:\d+\//, "/")));
}
