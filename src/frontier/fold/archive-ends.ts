const SLASH = 0x2f;

/**
 * The archive files in which records of a shard were committed, and how long each must be at least, so that the next run
 * notices one that is gone or cut off. Pages of a URL tree, each in a folder of its own, are not noted.
 */
export class ArchiveEnds {
  readonly ends = new Map<string, number>();
  /** The last name, as bytes: it is nearly always the next one, too. */
  #bytes = Buffer.alloc(0);
  #name = "";

  /** A committed record ends here. */
  reaches(name: string, end: number): void {
    if (end > (this.ends.get(name) ?? 0)) this.ends.set(name, end);
  }

  /** As `reaches`, for a name that lies between two places in memory. */
  noteRecord(bytes: Buffer, from: number, to: number, end: number): void {
    if (from === to) return;
    if (!this.#isLast(bytes, from, to)) {
      if (bytes.subarray(from, to).includes(SLASH)) return;
      this.#bytes = Buffer.from(bytes.subarray(from, to));
      this.#name = this.#bytes.toString("latin1");
    }
    this.reaches(this.#name, end);
  }

  /** Compares from the end, where names differ. */
  #isLast(bytes: Buffer, from: number, to: number): boolean {
    const last = this.#bytes;
    if (to - from !== last.length) return false;
    for (let i = last.length - 1; i >= 0; i--) if (last[i] !== bytes[from + i]) return false;
    return true;
  }
}
