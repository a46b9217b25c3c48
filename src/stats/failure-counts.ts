/** Codes of failures in the order of their columns; one that is not among them counts as the last. */
export class FailureCodes {
  readonly names: readonly string[];
  readonly #columns: ReadonlyMap<string, number>;

  constructor(codes: readonly string[]) {
    this.names = [...codes, "other"];
    this.#columns = new Map(this.names.map((code, i) => [code, i]));
  }

  columnOf(code: string): number {
    return this.#columns.get(code) ?? this.names.length - 1;
  }
}

/** Bytes of shared memory for the rows of `threads` threads. */
export function failureBytes(threads: number, { names }: FailureCodes): number {
  return threads * names.length * 8;
}

/** One thread's failures by code, in shared memory: only that thread writes the row. */
export class FailureCounts {
  readonly #codes: FailureCodes;
  readonly #row: Float64Array;

  constructor(memory: SharedArrayBuffer, thread: number, codes: FailureCodes) {
    const { length } = codes.names;
    this.#codes = codes;
    this.#row = new Float64Array(memory, thread * length * 8, length);
  }

  add(code: string): void {
    this.#row[this.#codes.columnOf(code)]! += 1;
  }
}

/** The sums of all rows by code, without those that are 0. */
export function failuresIn(
  memory: SharedArrayBuffer,
  { names }: FailureCodes,
): Record<string, number> {
  const all = new Float64Array(memory);
  const sums: Record<string, number> = {};
  for (let column = 0; column < names.length; column++) {
    let sum = 0;
    for (let i = column; i < all.length; i += names.length) sum += all[i]!;
    if (sum > 0) sums[names[column]!] = sum;
  }
  return sums;
}
