import type { Host } from "../../frontier/host.ts";
import type { HostEnds, HostRows } from "../../stats/host-rows.ts";
import { type HostQuestion, HostRanking, type HostRanks, type HostSort } from "./host-ranking.ts";

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

/** Where a thread looks for its hosts. */
export interface HostPlaces {
  readonly rows: HostRows;
  /** Calls back for each host that is in memory. */
  readonly eachHost: (use: (host: Host) => void) => void;
  readonly robotsOf: (host: Host) => string | null;
  readonly nowMs: number;
}

/** The first `offset + limit` hosts of a thread, in order, and how many match. */
export function rankHosts(question: HostQuestion, places: HostPlaces): HostRanks {
  const { search, sort } = question;
  const { rows, nowMs } = places;
  const ranking = new HostRanking(question);
  const seen = new Set<number>();
  places.eachHost((host) => {
    const { name } = host;
    if (search !== "" && !name.includes(search)) return;
    const row = rows.rowOf(name);
    // A host of which nothing has ended and nothing waits was only heard of.
    if (row === 0 && host.queued + host.inFlight === 0) return;
    if (row > 0) seen.add(row);
    ranking.add(name, keyOf(sort, host, row, rows, nowMs));
  });
  for (const name of rows.names()) {
    if (search !== "" && !name.includes(search)) continue;
    const row = rows.rowOf(name);
    if (!seen.has(row)) ranking.add(name, keyOf(sort, undefined, row, rows, nowMs));
  }
  return ranking.ranks();
}

/** What a thread knows of these hosts; those that it does not know are left out. */
export function describeHosts(names: readonly string[], places: HostPlaces): HostLine[] {
  const wanted = new Map<string, Host | undefined>(names.map((name) => [name, undefined]));
  places.eachHost((host) => {
    if (wanted.has(host.name)) wanted.set(host.name, host);
  });
  return [...wanted].flatMap(([name, host]) => {
    const row = places.rows.rowOf(name);
    return row === 0 && host === undefined ? [] : lineOf(name, host, row, places);
  });
}

/** The lines of these hosts, in their order, of all threads that know them. */
export function mergeLines(names: readonly string[], lines: readonly HostLine[]): HostLine[] {
  const byName = new Map<string, HostLine>();
  // Only a frontier whose hosts have no owner has one in several threads.
  for (const line of lines) {
    const other = byName.get(line.name);
    byName.set(line.name, other === undefined ? line : sumOf(other, line));
  }
  return names.flatMap((name) => byName.get(name) ?? []);
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

function keyOf(
  sort: HostSort,
  host: Host | undefined,
  row: number,
  rows: HostRows,
  nowMs: number,
): number {
  if (sort === "done" || sort === "failed") return rows.countOf(row, sort);
  if (host === undefined) return -1;
  if (sort === "queued") return host.queued;
  return sort === "delay" ? Math.round(host.delayMs) : waitOf(host, nowMs);
}

function waitOf({ nextMs, heldMs }: Host, nowMs: number): number {
  return Math.max(0, Math.round(Math.max(nextMs, heldMs) - nowMs));
}

function lineOf(
  name: string,
  host: Host | undefined,
  row: number,
  { nowMs, robotsOf, rows }: HostPlaces,
): HostLine {
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
