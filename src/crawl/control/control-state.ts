import type { HostSetting } from "../../frontier/host-settings.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { type ControlChange, isForThreads, type ThreadChange } from "./control-change.ts";

/** Where a crawl stands after all changes of course. */
export interface ControlSnapshot {
  readonly isPaused: boolean;
  /** Undefined: as the crawl was started with. */
  readonly linksPerThread: number | undefined;
  readonly blockedHosts: readonly string[];
  readonly hosts: readonly (HostSetting & { readonly host: string })[];
  /** Seeds that were added while it ran. */
  readonly seeds: number;
}

/** The sum of all changes, in this run and before: a fold over the log. */
export class ControlState {
  readonly #threads = new Map<string, ThreadChange>();
  readonly #seeds = new Set<CrawlUrl>();
  isPaused = false;

  apply(change: ControlChange): void {
    if (change.event === "pause") this.isPaused = true;
    else if (change.event === "goOn") this.isPaused = false;
    else if (change.event === "addSeeds") for (const url of change.urls) this.#seeds.add(url);
    else if (change.event === "setHost") {
      const key = `setHost ${change.host}`;
      this.#threads.set(key, { ...this.#threads.get(key), ...change });
    } else if (isForThreads(change))
      this.#threads.set(`${change.event} ${"host" in change ? change.host : ""}`, change);
  }

  /** What a thread that begins has to be told. */
  get forThreads(): readonly ThreadChange[] {
    return [...this.#threads.values()];
  }

  /** Seeds that were added. */
  get seeds(): readonly CrawlUrl[] {
    return [...this.#seeds];
  }

  isBlocked(host: string): boolean {
    return this.#threads.has(`blockHost ${host}`);
  }

  snapshot(): ControlSnapshot {
    const all = this.forThreads;
    const links = all.find((change) => change.event === "setLinksPerThread");
    return {
      isPaused: this.isPaused,
      linksPerThread: links?.linksPerThread,
      blockedHosts: all.flatMap((change) => (change.event === "blockHost" ? change.host : [])),
      hosts: all.flatMap((change) => {
        if (change.event !== "setHost") return [];
        const { host, delayMs, connections, budget } = change;
        return { host, delayMs, connections, budget };
      }),
      seeds: this.#seeds.size,
    };
  }
}
