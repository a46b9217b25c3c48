import { parentPort } from "node:worker_threads";
import { openVisitedSet } from "../../../../src/frontier/shared/sets/open-set.ts";
import type { SetShape, VisitedKind } from "../../../../src/frontier/shared/sets/visited-set.ts";

/** Marks URLs `first` to `first + count - 1` and answers which of them this thread was the first to mark. */
export interface MarkTask {
  readonly kind: VisitedKind;
  readonly memory: SharedArrayBuffer;
  readonly shape: SetShape;
  readonly owner: number;
  readonly first: number;
  readonly count: number;
}

parentPort?.on("message", (task: MarkTask) => {
  const set = openVisitedSet(task.kind, task.memory, task.shape, task.owner);
  const mine: number[] = [];
  for (let i = task.first; i < task.first + task.count; i++) {
    if (set.mark(`http://host-${i % 7}.example/page/${i}`)) mine.push(i);
  }
  parentPort!.postMessage(mine);
});
