import { fingerprint, lastFingerprint } from "../../hash/fingerprint.ts";
import { siteOf } from "../../url/site.ts";
import type { Lease } from "../host.ts";
import type { Shard } from "../shard/shard.ts";
import { siteKey } from "../site-budget.ts";
import { isPacked, unpackLinks } from "./cold-queues.ts";
import type { Engine, ExtractedHost, Received } from "./engine.ts";
import { type Ahead, HeldPartition, type HeldUrl, type StepPart } from "./held-partition.ts";
import { readRecord } from "./link-record.ts";
import type { Ownership } from "./ownership.ts";

/** No host is left alone for longer, whatever clocks say. */
const MAX_HOLD_MS = 24 * 3_600_000;

/** What holding partitions needs. */
export interface HeldParts {
  readonly ahead: Ahead;
  readonly delayMs: number;
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly hasBudgets: boolean;
  readonly shard: Shard;
  readonly owned: Ownership;
  readonly engine: () => Engine;
  readonly post: (answer: () => void) => void;
  /** Whether the end of a URL was accepted a short while ago. */
  readonly hasSettled: (low: number, high: number) => boolean;
  /** URLs have come. */
  readonly onUrls: () => void;
}

/** The partitions that this thread holds and their URLs that are here. */
export class HeldPartitions {
  readonly #parts: HeldParts;
  readonly #all = new Map<number, HeldPartition>();
  readonly #urls = new Map<string, HeldUrl>();
  /** To be claimed. */
  readonly #wanted = new Set<number>();
  readonly #claiming = new Set<number>();
  readonly #releasing = new Set<HeldPartition>();
  #polledMs = Number.NEGATIVE_INFINITY;
  /** Something changed that may let a partition be asked. */
  #isDirty = true;

  constructor(parts: HeldParts) {
    this.#parts = parts;
  }

  /** Partitions held, also those that are being given back. */
  get size(): number {
    return this.#all.size;
  }

  /** URLs here that are not settled. */
  get urls(): number {
    return this.#urls.size;
  }

  /** A claim is on its way: there may be one more partition to give back. */
  get isClaiming(): boolean {
    return this.#claiming.size > 0;
  }

  /** Nothing that was asked is unanswered. */
  get isQuiet(): boolean {
    return this.#wanted.size + this.#claiming.size === 0 && this.#parts.owned.members > 0;
  }

  of(partition: number): HeldPartition | undefined {
    return this.#all.get(partition);
  }

  urlOf(lease: Lease): HeldUrl | undefined {
    return this.#urls.get(keyOf(lease.low, lease.high));
  }

  /** Marks a URL as taken; undefined when it is not this thread's to visit. */
  begin(lease: Lease): HeldPartition | undefined {
    const url = this.urlOf(lease);
    if (url === undefined || url.isTaken || url.partition.isLeaving) return undefined;
    url.isTaken = true;
    if (!url.isAside) this.#isDirty = url.partition.took(lease.host.name) || this.#isDirty;
    url.isAside = false;
    return url.partition;
  }

  /** It waits here again, or rests; false when its partition leaves, and the URL waits in the engine. */
  giveBack(lease: Lease, isAside = false): boolean {
    const url = this.urlOf(lease);
    if (url === undefined) return false;
    if (url.partition.isLeaving) {
      this.end(lease);
      return false;
    }
    url.isTaken = false;
    url.isAside = isAside;
    if (!isAside) url.partition.put(lease.host.name);
    return true;
  }

  /** The engine has accepted its end. */
  end(lease: Lease): void {
    const key = keyOf(lease.low, lease.high);
    const url = this.#urls.get(key);
    if (url === undefined) return;
    this.#urls.delete(key);
    url.partition.urls--;
  }

  /** The next URL of its host is not fetched before this time. */
  rest(lease: Lease, untilMs: number): void {
    this.urlOf(lease)?.partition.rest(lease.host.name, untilMs);
  }

  /** The next URL of its host, or of all hosts, is fetched now. */
  wake(lease?: Lease): void {
    if (lease !== undefined) this.urlOf(lease)?.partition.wake(lease.host.name);
    else for (const held of this.#all.values()) held.wake();
    this.#isDirty = true;
  }

  /** Something can be taken in a partition. */
  woke(partition: number): void {
    if (!this.#parts.owned.isMine(partition)) return;
    const held = this.#all.get(partition);
    if (held === undefined) this.#wanted.add(partition);
    else held.woke();
    this.#isDirty = true;
  }

  /** There may be something to take, or to take in, in these partitions. */
  noteMail(partitions: readonly number[]): void {
    for (const partition of partitions) {
      if (!this.#parts.owned.isMine(partition)) continue;
      const held = this.#all.get(partition);
      if (held === undefined) this.#wanted.add(partition);
      else held.hasMail = true;
    }
  }

  /** The partitions that a superstep works on. */
  get working(): HeldPartition[] {
    return [...this.#all.values()].filter(
      (held) => !held.isLeaving && !held.isLost && !this.#claiming.has(held.number),
    );
  }

  /** A superstep's call to one of them. */
  step(
    held: HeldPartition,
    part: StepPart,
    nowMs: number,
    onAnswer: (received: Received | undefined, cashes: readonly number[]) => void,
  ): void {
    const { engine, post } = this.#parts;
    held.step(
      { engine: engine(), nowMs, post },
      part,
      (hosts) => this.#arrived(held, hosts, nowMs),
      () => this.#reclaim(held, nowMs),
      onAnswer,
    );
  }

  /** Who should have what has changed. */
  reassign(): void {
    const { owned } = this.#parts;
    for (const partition of owned.mine) {
      const held = this.#all.get(partition);
      if (held === undefined) this.#wanted.add(partition);
      else if (held.isLeaving && !this.#releasing.has(held)) {
        held.isLeaving = false;
        held.isDoubtful = true;
      }
    }
    for (const held of this.#all.values()) if (!owned.isMine(held.number)) this.#leave(held);
    for (const partition of [...this.#wanted])
      if (!owned.isMine(partition)) this.#wanted.delete(partition);
    this.#isDirty = true;
  }

  /** Everything goes back. */
  releaseAll(): void {
    this.#wanted.clear();
    for (const held of this.#all.values()) this.#leave(held);
    this.#releaseEmpty();
  }

  /** Another holder has it. */
  lose(held: HeldPartition): void {
    if (held.isLost) return;
    held.isLost = true;
    this.#forget(held, true);
    if (this.#all.get(held.number) === held) this.#all.delete(held.number);
    if (this.#parts.owned.isMine(held.number)) this.#wanted.add(held.number);
    this.#isDirty = true;
  }

  loseAll(): void {
    for (const held of [...this.#all.values()]) this.lose(held);
    this.#wanted.clear();
    this.#claiming.clear();
  }

  /** Answers may have been lost, or what the engine knew of one partition. */
  doubt(partition?: number): void {
    for (const held of this.#all.values())
      if (partition === undefined || held.number === partition) held.isDoubtful = true;
    this.#isDirty = true;
  }

  /** Claims, asks for URLs, renews and gives back, as far as it is time. */
  ask(nowMs: number, lack: number, mayClaim: boolean, isTick: boolean): void {
    const { owned, ahead, engine, post } = this.#parts;
    if (mayClaim && nowMs - this.#polledMs > ahead.leaseMs / 3) {
      this.#polledMs = nowMs;
      this.noteMail(owned.mine);
    }
    if (mayClaim)
      for (const partition of [...this.#wanted])
        if (!this.#all.has(partition)) this.#claim(partition, "", nowMs);
        else this.#wanted.delete(partition);
    if (!this.#isDirty && !isTick && lack === 0) return;
    this.#isDirty = false;
    const asking = { engine: engine(), nowMs, hosts: lack, post };
    for (const held of [...this.#all.values()]) {
      if (this.#claiming.has(held.number)) continue;
      held.ask(
        asking,
        (hosts) => this.#arrived(held, hosts, nowMs),
        () => this.#reclaim(held, nowMs),
      );
    }
    this.#releaseEmpty();
  }

  sitesOf(partition: number): ReadonlyMap<string, number> {
    return this.#all.get(partition)?.sites ?? new Map();
  }

  countPage(partition: number, low: number, high: number): void {
    const sites = this.#all.get(partition)?.sites;
    const key = siteKey(low, high);
    sites?.set(key, (sites.get(key) ?? 0) + 1);
  }

  #claim(partition: number, token: string, nowMs: number): void {
    this.#wanted.delete(partition);
    if (this.#claiming.has(partition) || this.#all.has(partition)) return;
    this.#claiming.add(partition);
    const { post, ahead } = this.#parts;
    const engine = this.#parts.engine();
    engine.claim({ partition, token }, (answer) =>
      post(() => {
        if (engine !== this.#parts.engine()) return;
        this.#claiming.delete(partition);
        if (answer.kind !== "claimed") return;
        // Somebody may have called while the claim was on its way.
        this.#wanted.delete(partition);
        const held = new HeldPartition(partition, answer.token, answer.moved, nowMs, ahead);
        this.#all.set(partition, held);
        this.#isDirty = true;
        if (!this.#parts.owned.isMine(partition)) this.#leave(held);
      }),
    );
  }

  /** The engine knows nothing of this lease: it has lost its last writes, or the lease has run out. */
  #reclaim(held: HeldPartition, nowMs: number): void {
    const { post, ahead } = this.#parts;
    const engine = this.#parts.engine();
    const { number: partition, token } = held;
    // A second claim would take the lease away from the first.
    if (this.#claiming.has(partition)) return;
    this.#claiming.add(partition);
    engine.claim({ partition, token }, (answer) =>
      post(() => {
        if (engine === this.#parts.engine()) this.#claiming.delete(partition);
        if (held.isLost || engine !== this.#parts.engine()) return;
        if (answer.kind === "claimed" && answer.token === token) {
          held.isDoubtful = true;
          return;
        }
        this.lose(held);
        if (answer.kind !== "claimed") return;
        this.#wanted.delete(partition);
        this.#all.set(
          partition,
          new HeldPartition(partition, answer.token, answer.moved, nowMs, ahead),
        );
      }),
    );
  }

  /** Nothing more is taken from it; what is here and not taken is forgotten, because the engine will have it wait again. */
  #leave(held: HeldPartition): void {
    if (held.isLeaving) return;
    held.isLeaving = true;
    this.#forget(held, false);
  }

  #forget(held: HeldPartition, andTaken: boolean): void {
    for (const [key, url] of this.#urls) {
      if (url.partition !== held || (url.isTaken && !andTaken)) continue;
      this.#urls.delete(key);
      held.urls--;
    }
  }

  #releaseEmpty(): void {
    for (const held of this.#all.values()) {
      if (!held.isLeaving || held.urls > 0 || this.#releasing.has(held)) continue;
      this.#releasing.add(held);
      const { number: partition, token } = held;
      const engine = this.#parts.engine();
      engine.release({ partition, token }, () =>
        this.#parts.post(() => {
          this.#releasing.delete(held);
          held.isLost = true;
          if (this.#all.get(partition) === held) this.#all.delete(partition);
          engine.wake(partition);
        }),
      );
    }
  }

  /** Takes in what came; returns how many URLs of each host are new here. */
  #arrived(held: HeldPartition, hosts: readonly ExtractedHost[], nowMs: number): number[] {
    if (held.isLost || held.isLeaving) return [];
    const { shard, hasBudgets } = this.#parts;
    const fresh: number[] = [];
    for (const { host, note, sitePages, urls } of hosts) {
      this.#expect(held, host, note, nowMs);
      if (hasBudgets) this.#noteSite(held, host, sitePages);
      let count = 0;
      for (const { cash, record } of urls) {
        if (isPacked(record)) {
          this.#unpack(held, host, record);
          continue;
        }
        const { found, low, high } = readRecord(record, host);
        const key = keyOf(low, high);
        // After a restart the engine hands out again what is here, or what is done.
        if (this.#urls.has(key) || this.#parts.hasSettled(low, high)) {
          held.took(host);
          continue;
        }
        this.#urls.set(key, { partition: held, cash, isTaken: false, isAside: false });
        held.urls++;
        shard.enqueueNew(found, host, low, high);
        count++;
      }
      fresh.push(count);
    }
    this.#isDirty = true;
    if (fresh.some((count) => count > 0)) this.#parts.onUrls();
    return fresh;
  }

  /** A block of links that were packed: they go back to the front of their queue. */
  #unpack(held: HeldPartition, host: string, packed: Buffer): void {
    const id = Buffer.from(packed.subarray(0, 8));
    const key = `packed ${keyOf(id.readUInt32LE(0), id.readUInt32LE(4))}`;
    if (this.#urls.has(key)) return;
    this.#urls.set(key, { partition: held, cash: 0, isTaken: true, isAside: false });
    held.urls++;
    const { number: partition, token } = held;
    const block = { partition, token, host, id, links: unpackLinks(packed) };
    this.#parts.engine().unpack(block, () =>
      this.#parts.post(() => {
        if (this.#urls.delete(key)) held.urls--;
        held.woke();
        this.#isDirty = true;
        this.#parts.onUrls();
      }),
    );
  }

  /** What its last holder knew of a host; one that somebody else asked a moment ago waits for one delay. */
  #expect(held: HeldPartition, host: string, note: string, nowMs: number): void {
    if (note === "" && held.movedMs === undefined) return;
    const { delayMs: least, shard, owned } = this.#parts;
    const [noted = 0, untilWallMs = 0] = note.split(" ").map(Number);
    const delayMs = Math.max(least, noted);
    const heldMs = Math.min(untilWallMs - owned.aheadMs, nowMs + MAX_HOLD_MS);
    const movedMs = held.movedMs === undefined ? 0 : held.movedMs + delayMs;
    shard.expect(host, delayMs, Math.max(0, movedMs, untilWallMs > 0 ? heldMs : 0));
  }

  /** Pages that are not settled count here already. */
  #noteSite(held: HeldPartition, host: string, pages: number): void {
    fingerprint(siteOf(host), this.#parts.seedLow, this.#parts.seedHigh);
    const key = siteKey(lastFingerprint.low, lastFingerprint.high);
    held.sites.set(key, Math.max(pages, held.sites.get(key) ?? 0));
  }
}

function keyOf(low: number, high: number): string {
  return `${low} ${high}`;
}
