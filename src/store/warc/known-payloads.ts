/** The record that holds a payload, as a revisit names it. */
export interface PayloadRecord {
  readonly recordId: string;
  readonly uri: string;
  readonly date: string;
}

/** Digests, id and date take 168 of them; a record with a longer URI is kept as a string. */
const SLOT_BYTES = 320;
const END = "\n";
const NONE = -1;
/** Base 32 digits of a digest that are its key, which chooses its chain: 30 bits. */
const KEY_CHARS = 6;
const KEY_BITS = 0x3fffffff;

interface LatinBuffer extends Buffer {
  latin1Write(text: string, at: number): number;
  latin1Slice(from: number, to: number): string;
}

/**
 * Payloads archived lately, so that the same bytes are not stored again. Bounded: the least recently used one is
 * forgotten, which costs space and nothing else. Both digests are compared in full, because SHA-1 alone can be made to
 * collide.
 *
 * Records are bytes in slots of one size: as strings and objects, which live long, they would be most of what a builder's
 * garbage collector has to move.
 */
export class KnownPayloads {
  readonly #capacity: number;
  readonly #texts: LatinBuffer;
  /** Bytes of each slot. */
  readonly #lengths: Uint16Array;
  /** Texts that no slot has room for. */
  readonly #long = new Map<number, string>();
  readonly #keys: Int32Array;
  /** The first slot of each chain, and the one behind each slot. */
  readonly #heads: Int32Array;
  readonly #next: Int32Array;
  /** Neighbours in the order of use. */
  readonly #older: Int32Array;
  readonly #newer: Int32Array;
  #oldest = NONE;
  #newest = NONE;
  #used = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#texts = Buffer.allocUnsafeSlow(capacity * SLOT_BYTES) as LatinBuffer;
    this.#lengths = new Uint16Array(capacity);
    const links = () => new Int32Array(capacity).fill(NONE);
    this.#keys = links();
    this.#next = links();
    this.#older = links();
    this.#newer = links();
    this.#heads = new Int32Array(chainsFor(capacity)).fill(NONE);
  }

  /** The record that holds the payload; undefined when none is known. */
  find(sha1: string, sha256: string): PayloadRecord | undefined {
    const slot = this.#slotOf(sha1, keyOf(sha1));
    if (slot === NONE) return undefined;
    const [, known256, recordId, date, uri] = this.#textOf(slot).split(END);
    if (known256 !== sha256) return undefined;
    this.#leave(slot);
    this.#enter(slot);
    return { recordId: recordId!, uri: uri!, date: date! };
  }

  /** Remembers where a payload was stored; the first record with that SHA-1 stays. */
  add(sha1: string, sha256: string, { recordId, uri, date }: PayloadRecord): void {
    const key = keyOf(sha1);
    if (this.#capacity === 0 || this.#slotOf(sha1, key) !== NONE) return;
    const slot = this.#newSlot(key);
    const text = sha1 + END + sha256 + END + recordId + END + date + END + uri;
    if (text.length <= SLOT_BYTES)
      this.#lengths[slot] = this.#texts.latin1Write(text, slot * SLOT_BYTES);
    else this.#long.set(slot, text);
  }

  /** The key of a payload that is not known, by the bytes of its SHA-1; below 0 when it may be known. */
  newKey(digest: string): number {
    const high = (digest.charCodeAt(16) << 24) | (digest.charCodeAt(17) << 16);
    const key = (high | (digest.charCodeAt(18) << 8) | digest.charCodeAt(19)) & KEY_BITS;
    let slot = this.#heads[key & (this.#heads.length - 1)]!;
    while (slot !== NONE && this.#keys[slot] !== key) slot = this.#next[slot]!;
    return slot === NONE ? key : NONE;
  }

  /** Remembers a payload with such a key, whose texts are bytes already: the SHA-1 first, with line ends between them. */
  addBytes(key: number, texts: Uint8Array): void {
    if (this.#capacity === 0) return;
    const slot = this.#newSlot(key);
    if (texts.length > SLOT_BYTES) {
      this.#long.set(slot, Buffer.from(texts).toString("latin1"));
      return;
    }
    this.#texts.set(texts, slot * SLOT_BYTES);
    this.#lengths[slot] = texts.length;
  }

  /** A slot for a payload, which is now the one used last. */
  #newSlot(key: number): number {
    const slot = this.#used < this.#capacity ? this.#used++ : this.#forgetOldest();
    const chain = key & (this.#heads.length - 1);
    this.#keys[slot] = key;
    this.#next[slot] = this.#heads[chain]!;
    this.#heads[chain] = slot;
    this.#enter(slot);
    return slot;
  }

  #textOf(slot: number): string {
    const at = slot * SLOT_BYTES;
    return this.#long.get(slot) ?? this.#texts.latin1Slice(at, at + this.#lengths[slot]!);
  }

  #slotOf(sha1: string, key: number): number {
    let slot = this.#heads[key & (this.#heads.length - 1)]!;
    while (
      slot !== NONE &&
      !(this.#keys[slot] === key && this.#textOf(slot).startsWith(sha1 + END))
    )
      slot = this.#next[slot]!;
    return slot;
  }

  #forgetOldest(): number {
    const slot = this.#oldest;
    const chain = this.#keys[slot]! & (this.#heads.length - 1);
    let before = NONE;
    for (let at = this.#heads[chain]!; at !== slot; at = this.#next[at]!) before = at;
    if (before === NONE) this.#heads[chain] = this.#next[slot]!;
    else this.#next[before] = this.#next[slot]!;
    this.#leave(slot);
    this.#long.delete(slot);
    return slot;
  }

  /** Takes a slot out of the order of use. */
  #leave(slot: number): void {
    const older = this.#older[slot]!;
    const newer = this.#newer[slot]!;
    if (older === NONE) this.#oldest = newer;
    else this.#newer[older] = newer;
    if (newer === NONE) this.#newest = older;
    else this.#older[newer] = older;
  }

  /** Makes a slot the one that was used last. */
  #enter(slot: number): void {
    this.#older[slot] = this.#newest;
    this.#newer[slot] = NONE;
    if (this.#newest === NONE) this.#oldest = slot;
    else this.#newer[this.#newest] = slot;
    this.#newest = slot;
  }
}

/** A power of two, about one chain for each slot. */
function chainsFor(capacity: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(capacity, 1)));
}

/** The last bits of a digest, which are as good as any: a capital letter stands for 0 to 25, a digit from 2 on for the rest. */
function keyOf(sha1: string): number {
  let key = 0;
  for (let i = Math.max(0, sha1.length - KEY_CHARS); i < sha1.length; i++) {
    const code = sha1.charCodeAt(i);
    key = ((key << 5) ^ (code < 65 ? code - 24 : code - 65)) & KEY_BITS;
  }
  return key;
}
