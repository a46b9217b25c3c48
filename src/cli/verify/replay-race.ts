import { join } from "node:path";
import { EXIT } from "../../errors.ts";
import { type RaceOptions, type RaceOutcome, raced, replayRace } from "../../verify/race/race.ts";
import type { RaceMethod } from "../../verify/race/race-memory.ts";
import { type Io, printJson } from "../io.ts";

/** The options of `orbweaver replay race`. */
export interface RaceQuestion extends Omit<RaceOptions, "locked" | "keep"> {
  /** Where trees and lists of all runs stay: DIR/without-lock-1 and so on. */
  readonly keep: string | undefined;
  readonly times: number;
  readonly json: boolean;
}

/** Replays the data race of seed 001 without the tree's lock, then the same with it. */
export async function runReplayRace(question: RaceQuestion, io: Io): Promise<number> {
  const { json, times, by, different } = question;
  const runs: RaceRow[] = [];
  for (const locked of [false, true]) {
    const outcomes: RaceOutcome[] = [];
    for (let n = 0; n < times; n++) {
      const run = `${locked ? "with" : "without"}-lock-${n + 1}`;
      const keep = question.keep === undefined ? undefined : join(question.keep, run);
      outcomes.push(await replayRace({ ...question, locked, keep }));
    }
    const count = (of: (outcome: RaceOutcome) => boolean) => outcomes.filter(of).length;
    const row = {
      by,
      locked,
      times,
      raced: count(raced),
      deadlocks: count((o) => o.deadlock),
      content: count((o) => o.content),
      source: count((o) => o.source),
      crawled: count((o) => o.crawled),
    };
    runs.push(row);
    if (!json) io.stdout.write(`${sentence(row)}\n`);
  }
  if (json) printJson(io, { different, runs });
  return runs.some((row) => row.locked && row.raced > 0) ? EXIT.fault : EXIT.finished;
}

/** How often each of the seed's checks found the race. */
interface RaceRow {
  by: RaceMethod;
  locked: boolean;
  times: number;
  raced: number;
  deadlocks: number;
  content: number;
  source: number;
  crawled: number;
}

function sentence(row: RaceRow): string {
  const checks = `content.html ${row.content}, source.txt ${row.source}, double lines in crawled.txt ${row.crawled}`;
  const still = row.deadlocks > 0 ? `; both builders waited for ever in ${row.deadlocks}` : "";
  const lock = row.locked ? "with the lock:   " : "without the lock:";
  return `by ${row.by}, ${lock} ${row.raced} of ${row.times} runs raced (${checks})${still}`;
}
