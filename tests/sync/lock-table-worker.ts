import { workerData } from "node:worker_threads";
import { LockTable } from "../../src/sync/lock-table.ts";

/** What one thread of the test is told. */
export interface LockTableOrders {
  readonly owner: number;
  readonly rounds: number;
  readonly entries: number;
  readonly words: Int32Array;
  /** Per entry two plain numbers that only a writer changes, always both; then one count of torn reads per thread. */
  readonly plain: Int32Array;
}

const { owner, rounds, entries, words, plain } = workerData as LockTableOrders;
const locks = new LockTable(words, 0, entries, owner);

for (let round = 0; round < rounds; round++) {
  const entry = (round + owner) % entries;
  if (round % 3 === 0) {
    locks.write(entry);
    plain[2 * entry] = plain[2 * entry]! + 1;
    plain[2 * entry + 1] = plain[2 * entry + 1]! + 1;
  } else {
    locks.read(entry);
    if (plain[2 * entry] !== plain[2 * entry + 1]) plain[2 * entries + owner]!++;
  }
  locks.release(entry);
}
