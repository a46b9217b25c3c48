import { DOORBELL_WORDS, Doorbell } from "../../sync/doorbell.ts";
import { LoopDoorbell } from "../../sync/loop-doorbell.ts";
import type { Configuration, Mutant } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { EventLoop, WORK } from "../subjects/event-loop.ts";
import { mutant } from "./mutant.ts";

interface Called {
  readonly bell: Doorbell;
  readonly loop: EventLoop;
}

function attach(memory: Memory): Called {
  const bell = new Doorbell(memory.words(DOORBELL_WORDS), 0);
  const work = memory.words(1);
  return { bell, loop: new EventLoop(work, new LoopDoorbell(bell, () => {}, null)) };
}

const BELL = "sync/loop-doorbell.js";

/** A crawler that sleeps on its event loop while others add work and ring. */
function pump(callers: number, mutants: readonly Mutant[]): Configuration<Called> {
  return {
    name: `loop-doorbell-${callers}x1`,
    technique: "doorbell of an event loop",
    threads: callers + 1,
    operations: callers,
    strategy: "stateful",
    cycles: true,
    attach,
    program(subject, thread) {
      if (thread < callers) {
        Atomics.add(subject.loop.work, WORK, 1);
        subject.bell.ring();
      } else subject.loop.run(callers);
    },
    check: (outcome) => (outcome.reports.flat().join() === String(callers) ? undefined : "lost"),
    mutants,
  };
}

const noSecondLook = mutant("no-second-look", BELL, ["return source.hasWork();", "return false;"]);

/** Threads that own sockets sleep by `Atomics.waitAsync`. */
export const configurations: readonly Configuration<Called>[] = [
  pump(2, [
    noSecondLook,
    mutant("forgets-that-it-waits", BELL, ["this.#is[WAITING] = 1;", ""]),
    mutant("thinks-it-still-waits", BELL, ["this.#is[WAITING] = 0;", ""]),
  ]),
  pump(3, [noSecondLook]),
];
