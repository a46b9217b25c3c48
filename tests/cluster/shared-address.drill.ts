import type { ClusterDrill } from "./cluster-drill.ts";
import { judgeCrawl } from "./judge-crawl.ts";
import { withEngine } from "./with-engine.ts";

const DELAY_MS = 400;
const WORKERS = 3;
const HOSTS = 60;
/** Of all requests: the web sees one when it gets round to it, so a gap may look shorter than it was. */
const MAX_CLOSE = 0.02;

/** Hosts of all workers share one address, whose floor they keep together. */
export const drill: ClusterDrill = {
  name: "shared-address",
  short: { count: 1, pages: 600 },
  full: { count: 1, pages: 2000 },
  async run({ pages, program }) {
    const hostNames = Array.from({ length: HOSTS }, (_, host) => `site${host}.example`);
    const profile = { pages, hosts: HOSTS };
    const stage = { profile, hostNames, latencyMs: 5, delayMs: DELAY_MS, program };
    return withEngine(stage, async ({ crawl, web }) => {
      await crawl.create();
      for (let i = 1; i < WORKERS; i++) crawl.join();
      const ends = await crawl.end();
      const { figures, problems } = await judgeCrawl(crawl, web, { maxRefetched: 0 });
      const { closeStarts, requests } = await web.report();
      if (closeStarts > MAX_CLOSE * requests)
        problems.push(`${closeStarts} of ${requests} requests within half a floor of another`);
      return {
        figures: { ...figures, requests, closeStarts },
        problems: [...ends, ...problems],
      };
    });
  },
  mutants: [
    {
      name: "an address has no lease",
      from: "gatekeeper.floors = this.#frontier.floors",
      to: "gatekeeper.floors = void 0",
      noticedBy: /within half a floor/,
    },
  ],
};
