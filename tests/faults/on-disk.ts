import { checkDone, readDone } from "../../src/frontier/fold/done-list.ts";
import { ShardState } from "../../src/frontier/fold/shard-state.ts";
import { openSnapshot, type SnapshotReader } from "../../src/frontier/fold/snapshot.ts";
import { OUTCOME } from "../../src/frontier/frontier.ts";
import { decodeEvents, type JournalEvent } from "../../src/frontier/journal/event-cursor.ts";
import { readJournal } from "../../src/frontier/journal/journal-reader.ts";
import { lastFingerprint } from "../../src/hash/fingerprint.ts";
import { urlFingerprint } from "../../src/hash/url-fingerprint.ts";
import { shardsIn } from "../../src/store/finish/journal-view.ts";
import {
  type CrawlState,
  crawlPaths,
  readCrawlState,
} from "../../src/store/folder/crawl-folder.ts";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";
import { readSelfCheck } from "../support/self-check.ts";
import { OpenArchives } from "./open-archives.ts";

type Done = Extract<JournalEvent, { kind: "done" }>;

/** What the journals of a crawl say, and what is wrong with it. */
export interface OnDisk {
  readonly admitted: number;
  readonly done: number;
  /** Fingerprints of what is done. */
  readonly doneNames: ReadonlySet<string>;
  readonly pages: number;
  readonly records: number;
  /** Where the records of what is done are: "file offset". */
  readonly places: ReadonlySet<string>;
  /** Shards whose journal begins with a snapshot. */
  readonly snapshots: number;
  readonly problems: readonly string[];
}

/**
 * Reads every snapshot and the journals behind it: each URL admitted once and done once, each record where its done
 * event says, and in a snapshot every URL either done or waiting.
 */
export function readOnDisk(out: string): OnDisk {
  const state = readCrawlState(out);
  if (state === undefined) throw new Error("the folder holds no crawl any more");
  const { journals, archive } = crawlPaths(out);
  const archives = new OpenArchives(archive);
  const reading = new Reading(journals, state, archives);
  for (const shard of shardsIn(journals, state.journals)) reading.read(shard);
  archives.close();
  return {
    admitted: reading.admitted.size,
    done: reading.doneNames.size,
    doneNames: reading.doneNames,
    pages: reading.pages,
    records: reading.records,
    places: reading.places,
    snapshots: reading.snapshots,
    problems: [...reading.problems, ...(readSelfCheck(out)?.problems ?? [])],
  };
}

/** What was found so far, in all shards: a URL belongs to one, but a broken program might not respect that. */
class Reading {
  readonly problems: string[] = [];
  /** Fingerprint and URL; of what a snapshot knows the fingerprint alone may be left. */
  readonly admitted = new Map<string, string | undefined>();
  readonly doneNames = new Set<string>();
  readonly places = new Set<string>();
  pages = 0;
  records = 0;
  snapshots = 0;
  readonly #folder: string;
  readonly #state: CrawlState;
  readonly #archives: OpenArchives;

  constructor(folder: string, state: CrawlState, archives: OpenArchives) {
    this.#folder = folder;
    this.#state = state;
    this.#archives = archives;
  }

  read(shard: number): void {
    const folder = this.#folder;
    const snapshot = openSnapshot(folder, shard);
    if (snapshot !== undefined) this.#readSnapshot(shard, snapshot);
    const after = snapshot === undefined ? {} : { after: snapshot.end };
    const begun = this.#state.journals !== undefined;
    for (const batch of readJournal({ folder, shard, begun, ...after })) {
      for (const event of decodeEvents(batch)) {
        if (event.kind === "admit") for (const { url } of event.found) this.#admit(url);
        else if (event.kind === "done") this.#end(event);
      }
    }
  }

  #readSnapshot(shard: number, snapshot: SnapshotReader): void {
    const { seedLow, seedHigh } = this.#state;
    this.snapshots++;
    const say = (what: string) => this.problems.push(`snapshot of shard ${shard}: ${what}`);
    const known: string[] = [];
    for (const { bytes, from, to } of snapshot.fingerprints()) {
      for (let at = from; at < to; at += 8) {
        const name = `${bytes.readUInt32LE(at)} ${bytes.readUInt32LE(at + 4)}`;
        if (this.admitted.has(name)) say(`fingerprint ${name} is known twice`);
        this.admitted.set(name, undefined);
        known.push(name);
      }
    }
    const waiting = this.#readQueue(snapshot, say);
    const ends = new Map<number, number>();
    checkDone(this.#folder, shard, ({ file, what }) => say(`${file}: ${what}`));
    for (const batch of readDone(this.#folder, shard)) {
      for (const event of decodeEvents(batch)) {
        if (event.kind !== "done") continue;
        this.#end(event);
        ends.set(event.outcome, (ends.get(event.outcome) ?? 0) + 1);
      }
    }
    for (const name of known) {
      const isDone = this.doneNames.has(name);
      if (isDone && waiting.has(name)) say(`${this.admitted.get(name)} is done and waits`);
      if (!isDone && !waiting.has(name))
        say(`fingerprint ${name} is neither done nor does it wait`);
    }
    const numbers = new ShardState(seedLow, seedHigh);
    snapshot.restore(numbers, false);
    if (numbers.waiting !== waiting.size) say(`${waiting.size} URLs wait, not ${numbers.waiting}`);
    for (const [outcome, count] of numbers.outcomes.entries()) {
      const met = ends.get(outcome) ?? 0;
      if (met !== count) say(`${met} URLs ended with outcome ${outcome}, not ${count}`);
    }
  }

  /** Fingerprints of what waits in a snapshot. */
  #readQueue(snapshot: SnapshotReader, say: (what: string) => void): Set<string> {
    const waiting = new Set<string>();
    for (const events of snapshot.queued()) {
      for (const event of decodeEvents(events)) {
        if (event.kind !== "admit") continue;
        for (const { url } of event.found) {
          const name = this.#nameOf(url);
          if (!this.admitted.has(name)) say(`${url} waits and is not known`);
          if (waiting.has(name)) say(`${url} waits twice`);
          waiting.add(name);
          this.admitted.set(name, url);
        }
      }
    }
    return waiting;
  }

  #admit(url: string): void {
    const name = this.#nameOf(url);
    if (this.admitted.has(name)) this.problems.push(`${url} is admitted twice`);
    this.admitted.set(name, url);
  }

  #end({ low, high, outcome, where }: Done): void {
    const name = `${low} ${high}`;
    const url = this.admitted.get(name) ?? `the URL of fingerprint ${name}`;
    if (!this.admitted.has(name)) this.problems.push(`${url} is done and was not admitted`);
    if (this.doneNames.has(name)) this.problems.push(`${url} is done twice`);
    this.doneNames.add(name);
    if (outcome === OUTCOME.page) this.pages++;
    if (where === undefined) return;
    this.records++;
    const { file, offset, length } = where;
    const place = `${file} ${offset}`;
    if (this.places.has(place)) this.problems.push(`${place} is the record of two URLs`);
    this.places.add(place);
    const target = this.#archives.targetOf(file, offset, length);
    if (target === undefined || this.#nameOf(target) !== name)
      this.problems.push(`${url} is not in ${file} at ${offset}`);
  }

  #nameOf(url: string): string {
    urlFingerprint(url as CrawlUrl, this.#state.seedLow, this.#state.seedHigh);
    return `${lastFingerprint.low} ${lastFingerprint.high}`;
  }
}
