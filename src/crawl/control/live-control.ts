import type { CrawlConfig } from "../../config/schema.ts";
import { ControlError } from "../../errors.ts";
import type { HostSetting } from "../../frontier/host-settings.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { hostnameOf } from "../../url/url-parts.ts";
import { maxLinksPerThread } from "../file-budget.ts";
import { openScope } from "../visit/open-scope.ts";
import {
  checkHost,
  checkSeeds,
  checkSetting,
  checkWhole,
  type RefusedSeed,
} from "./change-input.ts";
import type { ControlChange } from "./control-change.ts";
import type { ControlLog } from "./control-log.ts";
import { type ControlSnapshot, ControlState } from "./control-state.ts";

/** What became of seeds that were to be added. */
export interface AddedSeeds {
  /** New: they will be visited. */
  readonly added: number;
  /** The crawl knows these already. */
  readonly known: number;
  readonly refused: readonly RefusedSeed[];
}

/** A crawl that runs, as control sees it. */
export interface Steered {
  readonly config: CrawlConfig;
  readonly log: ControlLog;
  /** Settles when all threads run, or cannot. */
  readonly begun: Promise<void>;
  /** Neither ending nor ended. */
  isRunning(): boolean;
  /** Obeys a change that is durable; settles when all threads do. */
  obey(change: ControlChange): Promise<void>;
  /** Admits seeds; settles when they are durable with how many are new, or undefined when the crawl ended before that. */
  admit(seeds: readonly CrawlUrl[]): Promise<number | undefined>;
}

/**
 * Changes the course of a running crawl. A change is written to logs/control.jsonl and synced before it is obeyed, so
 * when a call has settled a crash does not undo it, and a resumed crawl keeps it. Calls take effect in their order.
 * A refused one throws a ControlError and changes nothing.
 */
export class LiveControl {
  readonly #steered: () => Steered | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #lastState: ControlSnapshot = new ControlState().snapshot();

  /** `steered` returns the crawl while it runs. */
  constructor(steered: () => Steered | undefined) {
    this.#steered = steered;
  }

  /** Takes no more URLs; requests in flight end. A paused crawl does not end by --max-wait, but by --max-time. */
  pause(): Promise<void> {
    return this.#change(() => ({ event: "pause" }));
  }

  /** Goes on after a pause. */
  goOn(): Promise<void> {
    return this.#change(() => ({ event: "goOn" }));
  }

  /** Ends the crawl as the first Ctrl-C does; `resume` goes on. */
  stop(): Promise<void> {
    return this.#change(() => ({ event: "stop" }));
  }

  /**
   * Adds seeds, which go through the same rules as the lines of a seed file: --exclude, robots.txt, addresses; they
   * widen the scope, and consent to no private address.
   */
  addSeeds(urls: readonly string[]): Promise<AddedSeeds> {
    return this.#inTurn(async (crawl) => {
      const scope = openScope(crawl.config, []);
      const { seeds, refused } = checkSeeds(urls, (url) => {
        if (crawl.log.state.isBlocked(hostnameOf(url))) return "host_blocked";
        return scope.excludes(url) ? "excluded" : undefined;
      });
      if (seeds.length === 0) return { added: 0, known: 0, refused };
      await this.#make(crawl, { event: "addSeeds", urls: seeds });
      const added = await crawl.admit(seeds);
      if (added === undefined)
        throw new ControlError("ended", "the crawl ended meanwhile; its resume has these seeds");
      return { added, known: seeds.length - added, refused };
    });
  }

  /** Asks this host nothing any more: its queued URLs end as refused (`host_blocked`), and new links to it are left out. */
  blockHost(host: string): Promise<void> {
    return this.#change(() => ({ event: "blockHost", host: checkHost(host) }));
  }

  /**
   * Changes the delay, the connections or the budget of a host. A longer Crawl-delay of the site still holds. The budget
   * is that of the host's site; without --max-pages-per-site its pages are counted from the first budget on.
   */
  setHost(host: string, setting: HostSetting): Promise<void> {
    return this.#change(({ config }) => {
      const name = checkHost(host);
      if (config.frontier !== "sharded")
        throw new ControlError(
          "unsupported",
          `with --frontier ${config.frontier} hosts have no owner that could keep settings of their own`,
        );
      return { event: "setHost", host: name, ...checkSetting(setting) };
    });
  }

  /** Changes how many requests each thread may have in flight, as far as files may be open. */
  setLinksPerThread(links: number): Promise<void> {
    return this.#change(({ config }) => {
      const most = maxLinksPerThread(config);
      const linksPerThread = checkWhole(links, "links per thread", 1, most);
      return { event: "setLinksPerThread", linksPerThread };
    });
  }

  /** Where the crawl stands after all changes, in this run and before. */
  state(): ControlSnapshot {
    const crawl = this.#steered();
    if (crawl !== undefined) this.#lastState = crawl.log.state.snapshot();
    return this.#lastState;
  }

  #change(changeOf: (crawl: Steered) => ControlChange): Promise<void> {
    return this.#inTurn(async (crawl) => this.#make(crawl, changeOf(crawl)));
  }

  async #make(crawl: Steered, change: ControlChange): Promise<void> {
    if (crawl.config.frontier === "engine" && !OWN_EVENTS.has(change.event))
      throw new ControlError(
        "unsupported",
        "a worker of a crawl on an engine can be paused and stopped; seeds and hosts belong to all of its workers",
      );
    crawl.log.append(change, Date.now());
    await crawl.obey(change);
  }

  #inTurn<T>(step: (crawl: Steered) => Promise<T>): Promise<T> {
    const turn = this.#last.then(async () => {
      await this.#steered()?.begun;
      const crawl = this.#steered();
      if (crawl === undefined || !crawl.isRunning())
        throw new ControlError(
          "ended",
          "the crawl is not running: it has ended, is ending, or has not begun",
        );
      return step(crawl);
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}

/** What a worker of a crawl on an engine may change for itself. */
const OWN_EVENTS: ReadonlySet<string> = new Set(["pause", "goOn", "stop", "setLinksPerThread"]);
