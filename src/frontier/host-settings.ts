import { siteOf } from "../url/site.ts";

/** What an operator may decide about one host while a crawl runs; what is absent stays as the crawl has it. */
export interface HostSetting {
  /** Milliseconds between two requests; a longer Crawl-delay of the site still holds. */
  readonly delayMs?: number | undefined;
  /** Requests at a time. */
  readonly connections?: number | undefined;
  /** Pages of the host's site, as `--max-pages-per-site` counts them. */
  readonly budget?: number | undefined;
}

/** What was decided about single hosts while the crawl runs. Every thread has its own copy; deciding twice changes nothing. */
export class HostSettings {
  readonly #byName = new Map<string, HostSetting>();
  readonly #budgets = new Map<string, number>();
  readonly #blocked = new Set<string>();
  /** What was set, and which hosts are asked nothing any more, by name; nearly always nothing and none. */
  readonly hosts: ReadonlyMap<string, HostSetting> = this.#byName;
  readonly blocked: ReadonlySet<string> = this.#blocked;

  /** True once a budget was set. */
  get hasBudgets(): boolean {
    return this.#budgets.size > 0;
  }

  /** Replaces the given parts of what is set for a host. */
  set(hostname: string, setting: HostSetting): void {
    const known = this.#byName.get(hostname) ?? {};
    const { delayMs = known.delayMs, connections = known.connections, budget } = setting;
    this.#byName.set(hostname, { delayMs, connections });
    if (budget !== undefined) this.#budgets.set(siteOf(hostname), budget);
  }

  /** The host is asked nothing any more. */
  block(hostname: string): void {
    this.#blocked.add(hostname);
  }

  isBlocked(hostname: string): boolean {
    return this.#blocked.size > 0 && this.#blocked.has(hostname);
  }

  /** The delay that was set for the host, if one was. */
  delayMsOf(hostname: string): number | undefined {
    return this.#byName.size === 0 ? undefined : this.#byName.get(hostname)?.delayMs;
  }

  /** The connections that were set for the host, if any were. */
  connectionsOf(hostname: string): number | undefined {
    return this.#byName.size === 0 ? undefined : this.#byName.get(hostname)?.connections;
  }

  /** The budget that was set for a site, if one was. */
  budgetOf(site: string): number | undefined {
    return this.#budgets.get(site);
  }
}
