import { EXIT } from "../../errors.ts";
import { type RaceOutcome, raced, replayRace } from "../../verify/race/race.ts";
import type { Route } from "../../verify/race/race-memory.ts";
import type { Io } from "../io.ts";

/** What `orbweaver replay race` was asked for. */
export interface RaceQuestion {
  readonly way: Route;
  readonly times: number;
  readonly different: boolean;
  readonly sleepMs: number;
  readonly disk: "plain" | "whole";
  readonly json: boolean;
}

/** Replays the data race of seed 001 without the tree's lock, then the same with it. */
export async function runReplayRace(question: RaceQuestion, io: Io): Promise<number> {
  const { json, times, way } = question;
  const rows: Record<string, unknown>[] = [];
  let wrong = false;
  for (const locked of [false, true]) {
    const outcomes: RaceOutcome[] = [];
    for (let n = 0; n < times; n++) outcomes.push(await replayRace({ ...question, locked }));
    const count = (of: (outcome: RaceOutcome) => boolean) => outcomes.filter(of).length;
    const row = {
      ...{ by: way, locked, times, raced: count(raced), deadlocks: count((o) => o.deadlock) },
      ...{ content: count((o) => o.content), source: count((o) => o.source) },
      crawled: count((o) => o.crawled),
    };
    rows.push(row);
    if (locked) wrong = row.raced > 0;
    if (!json) io.stdout.write(`${sentence(row)}\n`);
  }
  if (json) io.stdout.write(`${JSON.stringify({ different: question.different, runs: rows })}\n`);
  return wrong ? EXIT.fault : EXIT.finished;
}

function sentence(row: {
  by: Route;
  locked: boolean;
  times: number;
  raced: number;
  deadlocks: number;
  content: number;
  source: number;
  crawled: number;
}): string {
  const checks = `content.html ${row.content}, source.txt ${row.source}, double lines in crawled.txt ${row.crawled}`;
  const still = row.deadlocks > 0 ? `; both builders waited for ever in ${row.deadlocks}` : "";
  const lock = row.locked ? "with the lock:   " : "without the lock:";
  return `by ${row.by}, ${lock} ${row.raced} of ${row.times} runs raced (${checks})${still}`;
}
