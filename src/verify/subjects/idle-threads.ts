import { IDLENESS, type WorkBoard } from "../../frontier/lending/work-board.ts";
import type { Doorbell } from "../../sync/doorbell.ts";
import { report } from "../scenario.ts";

/** Threads that run out of work, and threads that have some to spare, as `Asking` and `Askers` go about it. */
export class IdleThreads {
  readonly work: WorkBoard;
  readonly bells: readonly Doorbell[];

  constructor(work: WorkBoard, bells: readonly Doorbell[]) {
    this.work = work;
    this.bells = bells;
  }

  /** Says that there is work for somebody, then calls one. */
  spare(me: number): void {
    this.work.setSpare(me, 1);
    const called = this.work.call(me, false);
    if (called >= 0) this.bells[called]!.ring();
  }

  /** Sleeps until somebody has work. */
  idle(me: number): void {
    const bell = this.bells[me]!;
    for (;;) {
      const armed = bell.arm();
      this.work.setIdle(me, IDLENESS.free);
      if (this.work.mostSpare(me) >= 0) break;
      bell.sleep(armed, Number.POSITIVE_INFINITY);
    }
    bell.disarm();
    report(1);
  }
}
