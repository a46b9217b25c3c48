import { join } from "node:path";
import { type Exchanges, readExchanges } from "../../stats/exchange-points.ts";
import { crawlPaths } from "../../store/folder/crawl-folder.ts";
import { PROFILES } from "../../web/profile.ts";
import { type LabRun, measured, type Table } from "../experiment.ts";
import { labCrawl, webText, withWeb } from "../lab-web.ts";
import { rounded } from "../run-spread.ts";

const SHIPPED_THREADS = 4;
const SHIPPED_HOSTS = 40;

/** What the threads of a crawl exchanged. */
export interface ShippedExchanges {
  readonly web: string;
  readonly pages: number;
  readonly threads: Exchanges["threads"];
}

/** A crawl with the code that ships, and what its reports/exchanges.jsonl says. */
export async function shippedExchanges(run: LabRun): Promise<ShippedExchanges> {
  const pages = Math.max(SHIPPED_HOSTS, run.pick(1500, 6000, 20_000));
  const profile = { ...PROFILES.small, seed: run.seed, hosts: SHIPPED_HOSTS, pages };
  return run.step("exchanges", () =>
    withWeb({ profile }, async (web) => {
      const out = join(run.scratch, "exchanges");
      const settings = { order: "opic", threads: SHIPPED_THREADS, store: "none" } as const;
      const { pages: crawled } = await labCrawl(web, out, settings, run.signal);
      const { threads } = readExchanges(crawlPaths(out).exchanges);
      return { web: webText(profile), pages: crawled, threads: [...threads] };
    }),
  );
}

/** The same as a table. */
export function shippedTable({ pages, threads }: ShippedExchanges): Table {
  return {
    title: `A real crawl with --order opic, ${SHIPPED_THREADS} threads, ${pages} pages: what reports/exchanges.jsonl says`,
    columns: [
      ...[measured("thread"), measured("exchanges"), measured("visits between two")],
      ...[measured("blocks sent"), measured("failures, own"), measured("failures, foreign")],
      measured("foreign / own", "%"),
    ],
    rows: threads.map(({ thread, exchanges, visits, blocks, lateOwn, lateForeign }) => [
      ...[thread + 1, exchanges, rounded(visits / Math.max(1, exchanges), 1), blocks],
      ...[lateOwn, lateForeign, rounded((100 * lateForeign) / Math.max(1, lateOwn), 1)],
    ]),
  };
}
