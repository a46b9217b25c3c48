import type { Host } from "../../frontier/host.ts";
import type { HostEnds, HostRows } from "../../stats/host-rows.ts";

/** By what hosts can be sorted. */
export const HOST_SORTS = ["queued", "done", "failed", "delay", "next", "name"] as const;

/** One of them. */
export type HostSort = (typeof HOST_SORTS)[number];

/** Which hosts somebody wants to see. */
export interface HostQuestion {
  /** A part of the name; "" for all. */
  readonly search: string;
  readonly sort: HostSort;
  /** Largest first; names go from a to z either way. */
  readonly offset: number;
  readonly limit: number;
}

/** What is known of a host now. */
export interface HostLine extends HostEnds {
  readonly name: string;
  readonly queued: number;
  readonly inFlight: number;
  /** Null for a host that has nothing left: it is known by its counts alone. */
  readonly delayMs: number | null;
  /** Milliseconds until it may be asked; 0: now. */
  readonly nextMs: number | null;
  /** How often in a row it could not be reached. */
  readonly failures: number;
  /** What its robots.txt says, in words; null when it was not asked, or is forgotten. */
  readonly robots: string | null;
}

/** A part of all hosts that match. */
export interface HostPage {
  readonly total: number;
  readonly hosts: readonly HostLine[];
}

/** More is never sorted: nobody turns so many pages. */
export const MAX_HOST_OFFSET = 10_000;

/** Where a thread looks for its hosts. */
export interface HostPlaces {
  readonly rows: HostRows;
  /** Calls back for each host that is in memory. */
  readonly eachHost: (use: (host: Host) => void) => void;
  readonly robotsOf: (host: Host) => string | null;
  readonly nowMs: number;
}

interface Candidate {
  readonly name: string;
  readonly host: Host | undefined;
  /** In the rows of ends. */
  readonly row: number;
  readonly key: number;
}

/** The first `offset + limit` hosts of a thread, in order, and how many match. */
export function listHosts(question: HostQuestion, places: HostPlaces): HostPage {
  const { search, sort, offset, limit } = question;
  const { rows, nowMs } = places;
  const best = new Best(offset + limit, sort);
  const seen = new Set<number>();
  let total = 0;
  // Nothing is made for a host that will not be shown: there may be a hundred thousand.
  places.eachHost((host) => {
    const { name } = host;
    if (search !== "" && !name.includes(search)) return;
    const row = rows.rowOf(name);
    // A host of which nothing has ended and nothing waits was only heard of.
    if (row === 0 && host.queued + host.inFlight === 0) return;
    if (row > 0) seen.add(row);
    total++;
    best.add(name, host, row, keyOf(sort, host, row, rows, nowMs));
  });
  for (const name of rows.names()) {
    if (search !== "" && !name.includes(search)) continue;
    const row = rows.rowOf(name);
    if (seen.has(row)) continue;
    total++;
    best.add(name, undefined, row, keyOf(sort, undefined, row, rows, nowMs));
  }
  return { total, hosts: best.sorted().map((candidate) => lineOf(candidate, places)) };
}

/** The pages of all threads as one. */
export function mergeHosts(pages: readonly HostPage[], question: HostQuestion): HostPage {
  const { sort, offset, limit } = question;
  const byName = new Map<string, HostLine>();
  // Only a frontier whose hosts have no owner has one in several threads.
  for (const line of pages.flatMap(({ hosts }) => hosts)) {
    const other = byName.get(line.name);
    byName.set(line.name, other === undefined ? line : sumOf(other, line));
  }
  const keyed = [...byName.values()].map((line) => ({ ...line, key: lineKey(sort, line) }));
  const sorted = keyed.sort(orderOf(sort)).slice(offset, offset + limit);
  return {
    total: pages.reduce((sum, { total }) => sum + total, 0),
    hosts: sorted.map(({ key: _, ...line }) => line),
  };
}

function sumOf(some: HostLine, other: HostLine): HostLine {
  return {
    ...some,
    queued: some.queued + other.queued,
    inFlight: some.inFlight + other.inFlight,
    done: some.done + other.done,
    failed: some.failed + other.failed,
    refused: some.refused + other.refused,
  };
}

function orderOf(sort: HostSort) {
  type Keyed = { readonly key: number; readonly name: string };
  const byName = (a: Keyed, b: Keyed) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  return sort === "name" ? byName : (a: Keyed, b: Keyed) => b.key - a.key || byName(a, b);
}

function keyOf(
  sort: HostSort,
  host: Host | undefined,
  row: number,
  rows: HostRows,
  nowMs: number,
): number {
  if (sort === "done" || sort === "failed") return rows.countOf(row, sort);
  if (sort === "name") return 0;
  if (host === undefined) return -1;
  if (sort === "queued") return host.queued;
  return sort === "delay" ? Math.round(host.delayMs) : waitOf(host, nowMs);
}

function lineKey(sort: HostSort, line: HostLine): number {
  if (sort === "delay") return line.delayMs ?? -1;
  if (sort === "next") return line.nextMs ?? -1;
  return sort === "name" ? 0 : line[sort];
}

function waitOf({ nextMs, heldMs }: Host, nowMs: number): number {
  return Math.max(0, Math.round(Math.max(nextMs, heldMs) - nowMs));
}

function lineOf({ name, host, row }: Candidate, places: HostPlaces): HostLine {
  const { nowMs, robotsOf, rows } = places;
  return {
    name,
    ...rows.endsOf(row),
    queued: host?.queued ?? 0,
    inFlight: host?.inFlight ?? 0,
    delayMs: host === undefined ? null : Math.round(host.delayMs),
    nextMs: host === undefined ? null : waitOf(host, nowMs),
    failures: host?.failures ?? 0,
    robots: host === undefined ? null : robotsOf(host),
  };
}

/** Keeps the first so many of all that come, without sorting the others. */
class Best {
  readonly #most: number;
  readonly #order: (a: Candidate, b: Candidate) => number;
  readonly #isByName: boolean;
  #kept: Candidate[] = [];
  /** The last of those that are certainly kept. */
  #last: Candidate | undefined;

  constructor(most: number, sort: HostSort) {
    this.#most = most;
    this.#order = orderOf(sort);
    this.#isByName = sort === "name";
  }

  add(name: string, host: Host | undefined, row: number, key: number): void {
    if (this.#last !== undefined && this.#isBehind(this.#last, name, key)) return;
    if (this.#kept.push({ name, host, row, key }) >= 4 * this.#most + 64) this.#cut();
  }

  sorted(): readonly Candidate[] {
    this.#cut();
    return this.#kept;
  }

  #isBehind(last: Candidate, name: string, key: number): boolean {
    if (this.#isByName || key === last.key) return name > last.name;
    return key < last.key;
  }

  #cut(): void {
    this.#kept = this.#kept.sort(this.#order).slice(0, this.#most);
    if (this.#kept.length === this.#most) this.#last = this.#kept.at(-1);
  }
}
