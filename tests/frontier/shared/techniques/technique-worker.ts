import { parentPort, workerData } from "node:worker_threads";
import { openTechnique } from "../../../../src/frontier/shared/techniques/open-technique.ts";
import type {
  QueueShape,
  RecordQueue,
  Technique,
} from "../../../../src/frontier/shared/techniques/record-queue.ts";

/** What a thread of a test does with a frontier; every answer is a list of numbers. */
export interface Task {
  readonly technique: Technique;
  readonly memory: SharedArrayBuffer;
  readonly shape: QueueShape;
  readonly owner: number;
  readonly kind: "produce" | "consume" | "circulate" | "block-take" | "block-insert" | "churn";
  /** Records to produce, or operations of the whole team. */
  readonly count: number;
  /** Word 0 counts operations of the team. */
  readonly shared?: SharedArrayBuffer;
}

/** A record is its number twice, so that a torn one shows. */
export function encode(number: number, into: Uint8Array): number {
  const view = new DataView(into.buffer, into.byteOffset);
  view.setInt32(0, number);
  view.setInt32(4, ~number);
  return 8;
}

/** The number in a record; -2 for a torn one. */
export function decode(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return view.getInt32(0) === ~view.getInt32(4) ? view.getInt32(0) : -2;
}

/** Numbers of one producer lie together, so that their order can be checked. */
export const PER_PRODUCER = 1_000_000;

function work(task: Task): number[] {
  const frontier = openTechnique(task.technique, task.memory, task.shape, task.owner);
  const box = new Uint8Array(task.shape.slotBytes);
  switch (task.kind) {
    case "produce":
      for (let i = 0; i < task.count; i++) {
        frontier.insert(box, encode(task.owner * PER_PRODUCER + i, box));
      }
      return [];
    case "consume":
      return consume(frontier, box);
    case "circulate":
      return [circulate(frontier, box, task.count, new Int32Array(task.shared!))];
    case "block-take":
      return [frontier.take(box)];
    case "block-insert":
      return [["inserted", "timeout", "shutdown"].indexOf(frontier.insert(box, encode(7, box)))];
    case "churn":
      return churn(frontier, box, new Int32Array(task.shared!));
  }
}

/** Takes until a record says that no more come. */
function consume(frontier: RecordQueue, box: Uint8Array): number[] {
  const taken: number[] = [];
  for (;;) {
    if (frontier.take(box) < 0) return taken;
    const number = decode(box);
    if (number === -1) return taken;
    taken.push(number);
  }
}

/** Takes and puts back until the team has done enough; the answer is this thread's share. */
function circulate(
  frontier: RecordQueue,
  box: Uint8Array,
  enough: number,
  words: Int32Array,
): number {
  let own = 0;
  while (Atomics.add(words, 0, 1) < enough) {
    const length = frontier.take(box);
    frontier.insert(box, length);
    own++;
  }
  return own;
}

/** Inserts and takes for ever; it is killed. */
function churn(frontier: RecordQueue, box: Uint8Array, words: Int32Array): number[] {
  for (let i = 0; ; i++) {
    if (i % 3 !== 2) frontier.tryInsert(box, encode(i, box));
    else frontier.tryTake(box);
    Atomics.add(words, 0, 1);
    Atomics.notify(words, 0);
  }
}

if (workerData) work(workerData as Task);
else parentPort?.on("message", (task: Task) => parentPort!.postMessage(work(task)));
