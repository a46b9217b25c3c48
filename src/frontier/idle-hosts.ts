/** Entries per slot before the table is cleaned or grows. */
const MAX_LOAD = 0.8;
/** Cleaning must bring the load down to this, else the table grows: so each cleaning is paid by many inserts. */
const CLEANED_LOAD = 0.6;
/** Small steps: while entries move, the old and the new table are there together. */
const GROWTH = 1.25;
const FIRST_SLOTS = 64;

/** What is kept of a host that has nothing to fetch. */
export interface IdleHost {
  /** When it may be asked again. */
  readonly nextMs: number;
  readonly delayMs: number;
  /** Failures in a row, as its back-off counts them. */
  readonly step: number;
}

/**
 * Hosts with no URL waiting, by fingerprint of their name: 21 bytes a slot, no object and no name per host. A host
 * that may be asked at once and has nothing of its own (the crawl's delay, no back-off) needs no entry, and loses the
 * one it has in time: a table that is full is first cleaned of those. Two of a million hosts share a fingerprint with
 * probability 3e-8; then one of them waits for the other.
 */
export class IdleHosts {
  readonly #delayMs: number;
  #slots = FIRST_SLOTS;
  /** Pairs of low and high half; a low half of 0 is an empty slot. */
  #fingerprints = new Int32Array(2 * FIRST_SLOTS);
  #nextMs = new Float64Array(FIRST_SLOTS);
  #delays = new Float32Array(FIRST_SLOTS);
  #steps = new Uint8Array(FIRST_SLOTS);
  #size = 0;

  /** `delayMs` is the crawl's own delay. */
  constructor(delayMs: number) {
    this.#delayMs = Math.fround(delayMs);
  }

  /** Entries, those that could be forgotten included. */
  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return 21 * this.#slots;
  }

  /** Keeps a host that has become idle, instead of what was kept before. Steps above 255 count as 255. */
  keep(low: number, high: number, host: IdleHost, nowMs: number): void {
    let slot = this.#find(low, high);
    if (this.#fingerprints[2 * slot] === 0) {
      if (this.#isForgettable(host.nextMs, host.delayMs, host.step, nowMs)) return;
      if (this.#size + 1 > MAX_LOAD * this.#slots) {
        this.#makeRoom(nowMs);
        slot = this.#find(low, high);
      }
      this.#fingerprints[2 * slot] = keyOf(low);
      this.#fingerprints[2 * slot + 1] = high;
      this.#size++;
    }
    this.#nextMs[slot] = host.nextMs;
    this.#delays[slot] = host.delayMs;
    this.#steps[slot] = Math.min(host.step, 255);
  }

  /** Takes the host out, because it has a URL again; undefined when there is nothing of its own to know. */
  take(low: number, high: number): IdleHost | undefined {
    const slot = this.#find(low, high);
    if (this.#fingerprints[2 * slot] === 0) return undefined;
    const host = {
      nextMs: this.#nextMs[slot]!,
      delayMs: this.#delays[slot]!,
      step: this.#steps[slot]!,
    };
    this.#remove(slot);
    return host;
  }

  /** All entries. */
  *entries(): Generator<IdleHost & { readonly low: number; readonly high: number }> {
    for (let slot = 0; slot < this.#slots; slot++) {
      const low = this.#fingerprints[2 * slot]!;
      if (low === 0) continue;
      yield {
        low: low >>> 0,
        high: this.#fingerprints[2 * slot + 1]! >>> 0,
        nextMs: this.#nextMs[slot]!,
        delayMs: this.#delays[slot]!,
        step: this.#steps[slot]!,
      };
    }
  }

  #isForgettable(nextMs: number, delayMs: number, step: number, nowMs: number): boolean {
    return nextMs <= nowMs && Math.fround(delayMs) === this.#delayMs && step === 0;
  }

  /** The slot of a fingerprint, or the empty one where it belongs. */
  #find(low: number, high: number): number {
    const key = keyOf(low);
    const other = high | 0;
    let slot = this.#home(other);
    while (this.#fingerprints[2 * slot] !== 0) {
      if (this.#fingerprints[2 * slot] === key && this.#fingerprints[2 * slot + 1] === other)
        return slot;
      slot = this.#after(slot);
    }
    return slot;
  }

  /** Any number of slots, so not by a mask: the high half as a fraction of all its values. */
  #home(high: number): number {
    return Math.floor(((high >>> 0) * this.#slots) / 2 ** 32);
  }

  #after(slot: number): number {
    return slot + 1 === this.#slots ? 0 : slot + 1;
  }

  /** Entries behind a freed slot move up to it unless that is before their home: no search may find a hole (Knuth, algorithm R). */
  #remove(slot: number): void {
    let hole = slot;
    for (let at = this.#after(hole); this.#fingerprints[2 * at] !== 0; at = this.#after(at)) {
      const fromHome = this.#distance(this.#home(this.#fingerprints[2 * at + 1]!), at);
      if (fromHome < this.#distance(hole, at)) continue;
      this.#fingerprints[2 * hole] = this.#fingerprints[2 * at]!;
      this.#fingerprints[2 * hole + 1] = this.#fingerprints[2 * at + 1]!;
      this.#nextMs[hole] = this.#nextMs[at]!;
      this.#delays[hole] = this.#delays[at]!;
      this.#steps[hole] = this.#steps[at]!;
      hole = at;
    }
    this.#fingerprints[2 * hole] = 0;
    this.#size--;
  }

  #distance(from: number, to: number): number {
    return to >= from ? to - from : to - from + this.#slots;
  }

  /** Leaves out what can be forgotten; when that is too little, the table grows. */
  #makeRoom(nowMs: number): void {
    const [fingerprints, times, delays, steps] = [
      this.#fingerprints,
      this.#nextMs,
      this.#delays,
      this.#steps,
    ];
    const slots = this.#slots;
    const stays = (slot: number) =>
      fingerprints[2 * slot] !== 0 &&
      !this.#isForgettable(times[slot]!, delays[slot]!, steps[slot]!, nowMs);
    let staying = 0;
    for (let slot = 0; slot < slots; slot++) if (stays(slot)) staying++;
    if (staying > CLEANED_LOAD * slots) this.#slots = Math.ceil(slots * GROWTH);
    this.#fingerprints = new Int32Array(2 * this.#slots);
    this.#nextMs = new Float64Array(this.#slots);
    this.#delays = new Float32Array(this.#slots);
    this.#steps = new Uint8Array(this.#slots);
    this.#size = staying;
    for (let old = 0; old < slots; old++) {
      if (!stays(old)) continue;
      const slot = this.#find(fingerprints[2 * old]!, fingerprints[2 * old + 1]!);
      this.#fingerprints[2 * slot] = fingerprints[2 * old]!;
      this.#fingerprints[2 * slot + 1] = fingerprints[2 * old + 1]!;
      this.#nextMs[slot] = times[old]!;
      this.#delays[slot] = delays[old]!;
      this.#steps[slot] = steps[old]!;
    }
  }
}

function keyOf(low: number): number {
  return low === 0 ? 1 : low | 0;
}
