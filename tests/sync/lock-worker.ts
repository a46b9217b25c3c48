import { workerData } from "node:worker_threads";
import { Barrier } from "../../src/sync/barrier.ts";
import { Monitor } from "../../src/sync/monitor.ts";
import { Mutex } from "../../src/sync/mutex.ts";
import { Semaphore } from "../../src/sync/semaphore.ts";

/** What one thread of the test is told. */
export interface LockOrders {
  readonly thread: number;
  readonly threads: number;
  readonly rounds: number;
  /** mutex | semaphore | monitor + 2 conditions | barrier, in this order. */
  readonly words: Int32Array;
  /** Plain counters: under the mutex, under the semaphore, in the monitor (items), taken. */
  readonly plain: Int32Array;
}

const { thread, threads, rounds, words, plain } = workerData as LockOrders;
const mutex = new Mutex(words, 0, thread + 1);
const semaphore = new Semaphore(words, 1);
const monitor = new Monitor(words, 4, thread + 1);
const barrier = new Barrier(words, 16, threads, thread + 1);

barrier.arriveAndWait();
for (let round = 0; round < rounds; round++) {
  mutex.lock();
  plain[0] = plain[0]! + 1;
  mutex.unlock();
  semaphore.p();
  plain[1] = plain[1]! + 1;
  semaphore.v();
  monitor.enter();
  if (thread % 2 === 0) {
    while (plain[2]! === 2) monitor.wait(0);
    plain[2] = plain[2]! + 1;
    monitor.signal(1);
  } else {
    while (plain[2]! === 0) monitor.wait(1);
    plain[2] = plain[2]! - 1;
    plain[3] = plain[3]! + 1;
    monitor.signal(0);
  }
  monitor.leave();
}
barrier.arriveAndWait();
