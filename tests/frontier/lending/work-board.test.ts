import assert from "node:assert/strict";
import { test } from "node:test";
import { IDLENESS, WorkBoard, workBoardBytes } from "../../../src/frontier/lending/work-board.ts";

test("a thread is started when all that run have no place left, and then the next one", () => {
  const board = new WorkBoard(new SharedArrayBuffer(workBoardBytes(4)), 4);
  for (const thread of [2, 3]) board.setIdle(thread, IDLENESS.absent);
  board.setIdle(1, IDLENESS.free);
  assert.equal(board.callAbsentIfNoneIsFree(0), -1, "thread 1 has places left");
  board.setIdle(1, IDLENESS.none);
  assert.equal(board.callAbsentIfNoneIsFree(0), 2);
  assert.equal(board.callAbsentIfNoneIsFree(1), -1, "thread 2 is on its way");
  board.setIdle(2, IDLENESS.none);
  assert.equal(board.callAbsentIfNoneIsFree(0), 3);
  board.setIdle(3, IDLENESS.none);
  assert.equal(board.callAbsentIfNoneIsFree(0), -1, "all run");
});
