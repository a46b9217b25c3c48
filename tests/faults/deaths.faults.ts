import { loadavg } from "node:os";
import { setTimeout } from "node:timers/promises";
import { checkSettings, configFrom } from "../../src/config/crawl-config.ts";
import { buildHere } from "../support/build-here.ts";
import { CheckedCrawl } from "../support/checked-crawl.ts";
import { BUILDERS_VARIABLE, type Drill, drillThreads, Random, withCrawl } from "./drill.ts";
import { readOnDisk } from "./on-disk.ts";
import { ROWS_HANDLER, readRows } from "./rows-on-disk.ts";

const MAX_UNCOMMITTED = 200;
const MAX_BACK_MS = 1000;
const MANY = 100;
/** So many deaths need a long crawl, so it is polite: 20 hosts allow some 190 pages a second. */
const LONG_DELAY_MS = 100;
/** One death in so many happens while another worker is being replaced. */
const BOTH = 10;
/** From one death to the next at most this many times the pages that are left for each: half of that on average. */
const STEP = 1.5;

/**
 * Random deaths of workers in one long crawl. Nothing is compressed: Node (20.20) aborts the whole process when a thread
 * is ended from outside while it makes a zlib stream, which no fault of the thread's own does.
 */
export const drill: Drill = {
  name: "deaths",
  short: { count: 8, pages: 6000 },
  full: { count: 500, pages: 80_000 },
  async run({ count, pages, seed, onFault }) {
    const random = new Random(seed);
    const load = loadavg()[0]!;
    const threads = drillThreads();
    const { [BUILDERS_VARIABLE]: asked } = process.env;
    const builders = asked === undefined ? undefined : Number(asked);
    const crawlers = Array.from({ length: threads }, (_, thread) => `crawler ${thread}`);
    const workers = builders === 0 ? crawlers : [...crawlers, "builder 0"];
    const problems: string[] = [];
    return withCrawl({ pages, hosts: 20, encodings: false }, 3, async (web, out) => {
      const settings = checkSettings({
        seeds: [...web.start],
        threads,
        builders,
        delayMs: count >= MANY ? LONG_DELAY_MS : 0,
        maxUncommitted: MAX_UNCOMMITTED,
        warcLevel: 0,
        handler: ROWS_HANDLER,
      });
      const config = configFrom(settings, { typed: web.start });
      // As a command would: where the builder may be in the main thread it is.
      const crawl = new CheckedCrawl(config, out, false, undefined, buildHere);
      const { reachable } = await web.truth();
      const back = new BackTimes();
      const dying = new Set<string>();
      let deaths = 0;
      let isOver = false;
      crawl.events.on("workerReplaced", (name, _, backMs) => {
        back.replaced(name, backMs);
        dying.delete(name);
        // A crawler that dies while its builder is replaced is replaced with it, without an event of its own.
        if (name.startsWith("builder")) dying.clear();
      });
      const killer = async () => {
        let next = 1;
        let mayDie = 1;
        while (deaths < count && !isOver) {
          await setTimeout(2);
          const { pages: done } = crawl.progress();
          // Deaths without a page in between are a fault of another kind, after which a crawl gives up.
          if (done < next || isOver || dying.size >= mayDie) continue;
          const name = workers[random.below(workers.length)]!;
          if (dying.has(name)) continue;
          mayDie = random.below(BOTH) === 0 ? 2 : 1;
          back.strike(name, dying.size === 0 && mayDie === 1);
          dying.add(name);
          const hasDied = await crawl.killWorker(name);
          back.noticed(name);
          if (hasDied) onFault?.(++deaths);
          else dying.delete(name);
          // Spread over the pages that are left, so that all of them happen during this crawl.
          const step = (STEP * (reachable - done)) / (count - deaths + 1);
          next = done + 1 + random.below(Math.max(1, Math.floor(step)));
        }
      };
      const [summary] = await Promise.all([
        crawl.run().finally(() => {
          isOver = true;
        }),
        killer(),
      ]);
      const { repeated } = await web.report();
      const disk = readOnDisk(out);
      const rows = readRows(out, reachable);
      problems.push(...disk.problems, ...rows.problems);
      if (summary.ended !== "finished") problems.push(`the crawl ended: ${summary.ended}`);
      if (disk.pages !== reachable) problems.push(`${disk.pages} pages of ${reachable}`);
      if (deaths < count) problems.push(`${deaths} deaths met the crawl, not ${count}`);
      if (repeated > deaths * MAX_UNCOMMITTED) problems.push(`${repeated} pages fetched again`);
      // So many deaths begin so many segments that each journal must have been folded.
      if (count >= MANY && disk.snapshots === 0) problems.push("no journal was ever folded");
      const times = back.figures();
      // A short run is for machines of any speed.
      const isJudged = count >= MANY;
      const isHeld = times.slowerThan1s === 0;
      if (isJudged && !isHeld) {
        problems.push(
          `goal missed: leases of ${times.slowerThan1s} of ${times.replaced} were back after more than ` +
            `1 s, slowest ${times.slowestBackMs} ms (load of the machine before: ${load.toFixed(1)})`,
        );
      }
      const figures = {
        deaths,
        ...times,
        refetched: repeated,
        lost: Math.max(0, reachable - disk.pages),
        rows: rows.rows,
        rowsLost: rows.lost,
        rowsTwice: rows.twice,
        snapshots: disk.snapshots,
        backWithin1s: isJudged ? (isHeld ? "yes" : "NO") : "not judged",
      };
      return { figures, problems };
    });
  },
};

/** How long it takes from each death until the dead worker's leases wait again: to notice it, and to replace it. */
class BackTimes {
  readonly #struck = new Map<
    string,
    { readonly atMs: number; readonly isAlone: boolean; noticedMs: number }
  >();
  readonly #times: { readonly ms: number; readonly wasAlone: boolean }[] = [];

  strike(name: string, isAlone: boolean): void {
    this.#struck.set(name, { atMs: performance.now(), isAlone, noticedMs: 0 });
  }

  noticed(name: string): void {
    const struck = this.#struck.get(name);
    if (struck !== undefined) struck.noticedMs = performance.now() - struck.atMs;
  }

  replaced(name: string, backMs: number): void {
    const struck = this.#struck.get(name);
    this.#struck.delete(name);
    this.#times.push({
      ms: backMs + (struck?.noticedMs ?? 0),
      wasAlone: struck?.isAlone ?? false,
    });
  }

  figures() {
    const times = this.#times.toSorted((a, b) => a.ms - b.ms);
    const slow = times.filter(({ ms }) => ms > MAX_BACK_MS);
    return {
      replaced: times.length,
      medianBackMs: Math.round(times[times.length >> 1]?.ms ?? 0),
      slowestBackMs: Math.round(times.at(-1)?.ms ?? 0),
      slowerThan1s: slow.length,
      ofThemAlone: slow.filter(({ wasAlone }) => wasAlone).length,
    };
  }
}
