import assert from "node:assert/strict";
import { test } from "node:test";
import { OrbweaverError } from "../../src/errors.ts";
import { BOARD_BYTES, PhaseBoard } from "../../src/sync/phase-board.ts";

function sides(workers: number): { coordinator: PhaseBoard; worker: PhaseBoard } {
  const memory = new SharedArrayBuffer(BOARD_BYTES);
  return {
    coordinator: new PhaseBoard(memory, workers),
    worker: new PhaseBoard(memory, workers),
  };
}

test("a worker that comes late finds the phase with its arguments", () => {
  const { coordinator, worker } = sides(1);
  coordinator.post({ act: "insert", depth: 7 });
  assert.deepEqual(worker.next(0), { act: "insert", depth: 7 });
  worker.report(false);
  coordinator.awaitAll();
  coordinator.post({ act: "split", pivot: 2 ** 53 - 1 });
  assert.deepEqual(worker.next(1), { act: "split", pivot: 2 ** 53 - 1 });
  worker.report(false);
  coordinator.awaitAll();
  coordinator.stop();
  assert.equal(worker.next(2), undefined);
});

test("the failure of one of several workers is an error of the call that waited for it", () => {
  const { coordinator, worker } = sides(3);
  coordinator.post({ act: "split", pivot: 1 });
  worker.report(false);
  worker.report(true);
  worker.report(false);
  assert.throws(
    () => coordinator.awaitAll(),
    (error) => error instanceof OrbweaverError && error.code === "OW_SLICE_LOST",
  );
});

test("without workers there is nothing to wait for", () => {
  const { coordinator } = sides(0);
  coordinator.post({ act: "split", pivot: 1 });
  coordinator.awaitAll();
});
