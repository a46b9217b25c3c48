/** The record that holds a payload, as a revisit names it. */
export interface PayloadRecord {
  readonly recordId: string;
  readonly uri: string;
  readonly date: string;
}

interface Known extends PayloadRecord {
  readonly sha256: string;
}

/**
 * Payloads archived lately, so that the same bytes are not stored again. Bounded: the least recently used one is
 * forgotten, which costs space and nothing else. Both digests are compared in full, because SHA-1 alone can be made to
 * collide.
 */
export class KnownPayloads {
  readonly #capacity: number;
  readonly #bySha1 = new Map<string, Known>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The record that holds the payload; undefined when none is known. */
  find(sha1: string, sha256: string): PayloadRecord | undefined {
    const known = this.#bySha1.get(sha1);
    if (known === undefined || known.sha256 !== sha256) return undefined;
    // A Map keeps the order of insertion: put back, it is the last to be forgotten.
    this.#bySha1.delete(sha1);
    this.#bySha1.set(sha1, known);
    return known;
  }

  /** Remembers where a payload was stored; the first record with that SHA-1 stays. */
  add(sha1: string, sha256: string, record: PayloadRecord): void {
    if (this.#capacity === 0 || this.#bySha1.has(sha1)) return;
    if (this.#bySha1.size >= this.#capacity)
      this.#bySha1.delete(this.#bySha1.keys().next().value as string);
    // Field by field: a spread makes an object that costs several times as much.
    const { recordId, uri, date } = record;
    this.#bySha1.set(sha1, { recordId, uri, date, sha256 });
  }
}
