import type { DrillOptions, Random } from "../faults/drill.ts";
import { type EngineStage, type StageOptions, withEngine } from "./with-engine.ts";

const WORKERS = 3;
const HOSTS = 50;
const LATENCY_MS = 2;
/** Of the pages that are left for each fault: a fault strikes after up to so many, so that nearly all meet a running crawl. */
const MAX_STEP = 1.6;

/** A crawl by three workers, and faults that strike it one after the other. */
export interface FaultStage extends EngineStage {
  /** Settles after a random part of the pages; false when no worker runs any more. */
  later(random: Random): Promise<boolean>;
}

/** Runs with three workers that have joined, on a web of 50 hosts; everything is gone afterwards. */
export function withThreeWorkers<T>(
  {
    count,
    pages,
    ...rest
  }: Pick<DrillOptions, "count" | "pages"> & Pick<StageOptions, "delayMs" | "args" | "program">,
  run: (stage: FaultStage) => Promise<T>,
): Promise<T> {
  const options = { ...rest, profile: { pages, hosts: HOSTS }, latencyMs: LATENCY_MS };
  return withEngine(options, async (stage) => {
    const { crawl, web } = stage;
    await crawl.create();
    const others = Array.from({ length: WORKERS - 1 }, () => crawl.join());
    for (const worker of others) await crawl.joined(worker);
    const left = Math.max(0, pages - (await web.report()).pages);
    const later = async (random: Random) => {
      const step = 1 + random.below(Math.ceil((MAX_STEP * left) / (count + 1)));
      await crawl.served((await web.report()).pages + step);
      return crawl.alive.length > 0;
    };
    return run({ ...stage, later });
  });
}
