import type { LoopDoorbell, WorkSource } from "../../sync/loop-doorbell.ts";
import { awaitRing, report } from "../scenario.ts";

/** Items that wait. */
export const WORK = 0;

/** The event loop of a thread that owns sockets, as a crawler has it. */
export class EventLoop implements WorkSource {
  readonly work: Int32Array;
  readonly bell: LoopDoorbell;

  constructor(work: Int32Array, bell: LoopDoorbell) {
    this.work = work;
    this.bell = bell;
  }

  hasWork(): boolean {
    return Atomics.load(this.work, WORK) > 0;
  }

  /** Runs until that many items were taken; only the bell wakes it. */
  run(items: number): void {
    let taken = 0;
    for (;;) {
      this.bell.awake();
      taken += Atomics.exchange(this.work, WORK, 0);
      if (taken === items) break;
      if (!this.bell.fallAsleep(this)) {
        awaitRing();
        this.bell.waitEnded();
      }
    }
    report(taken);
  }
}
