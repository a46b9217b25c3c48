import { join } from "node:path";
import { withFolder } from "../faults/drill.ts";
import { orbweaver, readPages } from "../support/orbweaver.ts";
import type { ClusterDrill } from "./cluster-drill.ts";
import { judgeCrawl } from "./judge-crawl.ts";
import { withEngine, withMeteredWeb } from "./with-engine.ts";

const HOSTS = 50;
const WORKERS = [1, 2, 4, 8];

/** One, two, four and eight workers fetch what an embedded crawl of the same web fetches. */
export const drill: ClusterDrill = {
  name: "same-pages",
  short: { count: 2, pages: 600 },
  full: { count: WORKERS.length, pages: 3000 },
  async run({ count, pages, seed, onFault, program }) {
    const profile = { pages, hosts: HOSTS, seed };
    const stage = { profile, latencyMs: 2, delayMs: 0, program };
    const expected = await withFolder((folder) =>
      withMeteredWeb(stage, async (web) => {
        const out = join(folder, "embedded");
        const rest = ["--delay", "0", "--allow-private", "127.0.0.0/8", "--quiet", "--out", out];
        await orbweaver(["crawl", ...web.start, "--scope", "any", ...rest]);
        return pathsOf([out]);
      }),
    );
    const problems: string[] = [];
    let compared = 0;
    for (const workers of WORKERS.slice(0, count)) {
      await withEngine(stage, async ({ crawl, web }) => {
        await crawl.create();
        for (let i = 1; i < workers; i++) crawl.join();
        const ends = await crawl.end();
        const judged = await judgeCrawl(crawl, web, {
          maxRefetched: 0,
          // Without a delay nobody asks for one connection.
          perHost: Number.POSITIVE_INFINITY,
        });
        const found = pathsOf(crawl.folders);
        const differ = [...expected].filter((one) => !found.has(one)).length;
        const surplus = [...found].filter((one) => !expected.has(one)).length;
        if (differ + surplus > 0)
          problems.push(`${workers} workers: ${differ} pages missing, ${surplus} more`);
        problems.push(...[...ends, ...judged.problems].map((one) => `${workers} workers: ${one}`));
        compared++;
      });
      onFault?.(compared);
    }
    if (expected.size < 0.9 * pages) problems.push(`only ${expected.size} pages are expected`);
    return { figures: { crawls: compared, pages: expected.size }, problems };
  },
  mutants: [
    {
      name: "a block of links is dropped now and then",
      from: "const known = remembered?.get(link.decimal);",
      to: 'if (link.decimal.endsWith("77")) return; const known = remembered?.get(link.decimal);',
    },
  ],
};

/** Pages without the port, which differs from web to web. */
function pathsOf(folders: readonly string[]): Set<string> {
  const urls = folders.flatMap((out) => readPages(out).map(({ url }) => url));
  return new Set(urls.map((url) => url.replace(/:\d+\//, "/")));
}
