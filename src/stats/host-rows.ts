/** Hosts that are counted, all threads together; those that come later are counted as one. */
const MAX_HOSTS = 1 << 18;
/** Longer than the names of nearly all hosts; a thread's names share its room. */
const NAME_BYTES = 28;
/** Place of a name, done, failed, refused. */
const ROW_WORDS = 4;
const NAME = 0;
const DONE = 1;
const FAILED = 2;
const REFUSED = 3;
/** Rows and bytes of names in use. */
const HEAD_WORDS = 2;
const ROWS = 0;
const NAMES = 1;
/** The row of all hosts that have none of their own. */
const OTHERS = 0;

/** How the URLs of a host have ended in this run. */
export interface HostEnds {
  /** Pages, redirects, sitemaps and pages that have not changed. */
  readonly done: number;
  readonly failed: number;
  readonly refused: number;
}

/** In which column an end is counted. */
export type HostEnd = keyof HostEnds;

const COLUMNS: Readonly<Record<HostEnd, number>> = { done: DONE, failed: FAILED, refused: REFUSED };

const NO_ENDS: HostEnds = { done: 0, failed: 0, refused: 0 };

function rowsPer(threads: number): number {
  return Math.ceil(MAX_HOSTS / threads);
}

function bytesPer(threads: number): number {
  const rows = rowsPer(threads);
  return 4 * Math.ceil((4 * (HEAD_WORDS + rows * ROW_WORDS) + rows * NAME_BYTES) / 4);
}

/** Bytes of shared memory for the hosts of `threads` threads; pages that are never touched cost nothing. */
export function hostRowBytes(threads: number): number {
  return threads * bytesPer(threads);
}

/**
 * A thread's hosts with how their URLs ended, in shared memory: the thread that owns a host writes its row, and its successor
 * finds all of them there.
 */
export class HostRows {
  readonly #head: Int32Array;
  readonly #rows: Uint32Array;
  readonly #names: Buffer;
  readonly #maxRows: number;
  readonly #known = new Map<string, number>();

  constructor(memory: SharedArrayBuffer, thread: number, threads: number) {
    const at = thread * bytesPer(threads);
    this.#maxRows = rowsPer(threads);
    this.#head = new Int32Array(memory, at, HEAD_WORDS);
    this.#rows = new Uint32Array(memory, at + 4 * HEAD_WORDS, this.#maxRows * ROW_WORDS);
    const namesAt = at + 4 * (HEAD_WORDS + this.#maxRows * ROW_WORDS);
    this.#names = Buffer.from(memory, namesAt, this.#maxRows * NAME_BYTES);
    const used = Math.max(1, Atomics.load(this.#head, ROWS));
    for (let row = 1; row < used; row++) this.#known.set(this.#nameOf(row), row);
    Atomics.store(this.#head, ROWS, used);
  }

  /** Hosts with a row. */
  get size(): number {
    return this.#known.size;
  }

  /** A URL of the host has ended. */
  add(host: string, end: HostEnd): void {
    const row = this.#known.get(host) ?? this.#newRow(host);
    this.#rows[row * ROW_WORDS + COLUMNS[end]]!++;
  }

  of(host: string): HostEnds {
    return this.endsOf(this.rowOf(host));
  }

  /** The row of a host; 0 when it has none. */
  rowOf(host: string): number {
    return this.#known.get(host) ?? OTHERS;
  }

  /** What the row of a host says. */
  endsOf(row: number): HostEnds {
    return row === OTHERS ? NO_ENDS : this.#ends(row);
  }

  /** One number of the row of a host. */
  countOf(row: number, end: HostEnd): number {
    return row === OTHERS ? 0 : this.#rows[row * ROW_WORDS + COLUMNS[end]]!;
  }

  /** Hosts that found no room. */
  get others(): HostEnds {
    return this.#ends(OTHERS);
  }

  names(): Iterable<string> {
    return this.#known.keys();
  }

  #newRow(host: string): number {
    const row = this.#head[ROWS]!;
    const at = this.#head[NAMES]!;
    const bytes = Buffer.byteLength(host);
    if (row === this.#maxRows || at + bytes + 1 > this.#names.length || bytes > 255) return OTHERS;
    this.#names[at] = bytes;
    this.#names.write(host, at + 1);
    this.#rows[row * ROW_WORDS + NAME] = at;
    this.#head[NAMES] = at + 1 + bytes;
    // Last: who reads it next finds a whole row.
    Atomics.store(this.#head, ROWS, row + 1);
    this.#known.set(host, row);
    return row;
  }

  #nameOf(row: number): string {
    const at = this.#rows[row * ROW_WORDS + NAME]!;
    return this.#names.toString("utf8", at + 1, at + 1 + this.#names[at]!);
  }

  #ends(row: number): HostEnds {
    const at = row * ROW_WORDS;
    return {
      done: this.#rows[at + DONE]!,
      failed: this.#rows[at + FAILED]!,
      refused: this.#rows[at + REFUSED]!,
    };
  }
}

/** Hosts of which a URL has ended in this run, as far as they are counted by themselves. */
export function hostsIn(memory: SharedArrayBuffer, threads: number): number {
  let hosts = 0;
  for (let thread = 0; thread < threads; thread++) {
    const head = new Int32Array(memory, thread * bytesPer(threads), HEAD_WORDS);
    hosts += Math.max(0, Atomics.load(head, ROWS) - 1);
  }
  return hosts;
}
