import assert from "node:assert/strict";
import { test } from "node:test";
import { BlockLog } from "../../../src/frontier/engine/block-log.ts";
import { BlockLogs } from "../../../src/frontier/engine/block-logs.ts";
import type {
  BlockAnswer,
  Engine,
  InsertBlock,
  SettleBlock,
} from "../../../src/frontier/engine/engine.ts";

const END = { id: Buffer.alloc(8), decimal: "7", outcome: 1, site: "" };
const ENDS = { kind: "settle", partition: 0, token: "t", urls: [END], notes: [] } as const;

/** An engine that answers blocks as it is told, and says how far it has come. */
class ToldEngine {
  readonly sent: (InsertBlock | SettleBlock)[] = [];
  answers: BlockAnswer[] = [];
  reachedNumber = 0;

  send(block: InsertBlock | SettleBlock, onAnswer: (answer: BlockAnswer) => void): void {
    this.sent.push(block);
    onAnswer(this.answers.shift()!);
  }

  reached(partitions: readonly number[], onAnswer: (numbers: readonly number[]) => void): void {
    onAnswer(partitions.map(() => this.reachedNumber));
  }

  synced(): void {}
}

/** A log on an engine that answers like this, with one block of ends, and what is heard of it. */
function sendEnds(...answers: BlockAnswer[]) {
  const engine = new ToldEngine();
  engine.answers = answers;
  const log = new BlockLog(engine as unknown as Engine);
  const heard: string[] = [];
  log.send(ENDS, {
    onAnswer: ({ kind }) => heard.push(kind),
    onRevoked: () => heard.push("revoked"),
  });
  return { engine, log, heard };
}

const LATE = { kind: "late", urls: 1 } as const;
const SETTLED = { kind: "settled", accepted: 1 } as const;

test("ends that were late go again without their URLs, and are never taken back", () => {
  const { engine, log, heard } = sendEnds(LATE, SETTLED, LATE);
  // Two power losses: the engine has lost the block both times.
  log.compare(() => {});
  log.compare(() => {});
  assert.deepEqual(
    engine.sent.map((block) => block.kind === "settle" && block.urls.length),
    [1, 0, 0],
  );
  assert.deepEqual(heard, ["late"]);
  assert.equal(log.hasSettled("7"), false);
});

test("ends that were accepted and are late when they go again are taken back once", () => {
  const { log, heard } = sendEnds(SETTLED, LATE, LATE);
  assert.equal(log.hasSettled("7"), true);
  log.compare(() => {});
  log.compare(() => {});
  assert.deepEqual(heard, ["settled", "revoked"]);
  assert.equal(log.hasSettled("7"), false);
});

test("a block that is known when it goes again was accepted", () => {
  const { log, heard } = sendEnds({ kind: "known", reached: 1 });
  assert.deepEqual(heard, ["known"]);
  assert.equal(log.hasSettled("7"), true);
});

test("blocks under a former name are sent again until they are safe", () => {
  const { engine, log } = sendEnds(SETTLED, SETTLED);
  const next = new ToldEngine();
  const logs = new BlockLogs(log);
  logs.begin(new BlockLog(next as unknown as Engine));
  assert.equal(logs.isEmpty, false);
  let isWhole: boolean | undefined;
  logs.compare((answer) => {
    isWhole = answer;
  });
  assert.equal(isWhole, false, "the engine has lost a block");
  assert.equal(engine.sent.length, 2);
  engine.reachedNumber = 1;
  logs.compare((answer) => {
    isWhole = answer;
  });
  assert.equal(isWhole, true);
  // Longer than any server keeps what it confirmed in memory alone.
  logs.tidy(61_000);
  assert.equal(logs.isEmpty, true);
});
