import { openTechnique, techniqueBytes } from "../../frontier/shared/techniques/open-technique.ts";
import type { RecordQueue, Technique } from "../../frontier/shared/techniques/record-queue.ts";
import type { Mutant } from "../configuration.ts";
import type { Memory } from "../memory.ts";
import { report } from "../scenario.ts";
import { mutant } from "./mutant.ts";

/** A queue of records as one thread sees it. */
export interface Subject {
  readonly queue: RecordQueue & { initialise?(): void };
  /** The same queue for a thread that replaces thread 0, whose id is 1. */
  readonly replacement: RecordQueue;
  /** What this thread sends or receives, outside shared memory. */
  readonly box: Uint8Array;
}

/** Opens a queue of one-byte records; one attempt per lock, and none before a sleep, keeps the states few. */
export function attachTechnique(
  technique: Technique,
  size: number,
  memory: Memory,
  owner: number,
  patience = 0,
): Subject {
  const shape = { size, slotBytes: 1, owners: 4, spins: 1, patience };
  const buffer = memory.buffer(techniqueBytes(technique, shape));
  return {
    queue: openTechnique(technique, buffer, shape, owner),
    replacement: openTechnique(technique, buffer, shape, 1),
    box: new Uint8Array(1),
  };
}

/**
 * Words that only count up: of the two event counts at the start of the memory, of those of the permits, or of
 * the two conditions.
 */
export function clockWordsOf(technique: Technique): number[] {
  return /semaphore|monitor/.test(technique) ? [4, 6] : [1, 3];
}

/** Takes so many records, if they are there, and reports each. Never waits. */
export function takeWhatIsThere(subject: Subject, records: number): void {
  for (let taken = 0; taken < records; taken++) {
    if (subject.queue.tryTake(subject.box) > 0) report(subject.box[0]!);
  }
}

/** A broken variant of the compiled text of a technique. */
export function techniqueMutant(
  name: string,
  file: string,
  ...changes: readonly (readonly [find: string, replace: string])[]
): Mutant {
  return mutant(name, `frontier/shared/techniques/${file}.js`, ...changes);
}

/** A thread that was woken finds one record of several and wakes nobody for the others. */
export const wakeUpKept = techniqueMutant("wake-up-not-passed-on", "waiting-queue", [
  "if (slept && !woke && this.hasRecord())\n                    this.#notEmpty.advance();",
  "",
]);

/** A record that comes between the attempt and reading the count goes unnoticed. */
export const attemptsFirst = techniqueMutant(
  "attempts-before-it-reads-the-count",
  "waiting-queue",
  ["const seen = this.#notEmpty.read();", ""],
  [
    "patience = this.#notEmpty.watch(seen, patience);",
    "const seen = this.#notEmpty.read(); patience = this.#notEmpty.watch(seen, patience);",
  ],
);
