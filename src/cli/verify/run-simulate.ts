import { EXIT } from "../../errors.ts";
import { exploreCrashPoints } from "../../verify/simulation/crash-points.ts";
import { exploreDelays } from "../../verify/simulation/delays.ts";
import { live } from "../../verify/simulation/life.ts";
import { planOf } from "../../verify/simulation/plan.ts";
import { SHIPPED } from "../../verify/simulation/sim-parts.ts";
import { simulate } from "../../verify/simulation/simulate.ts";
import { type Io, printJson } from "../io.ts";
import { count } from "../print-summary.ts";

const MAX_SHOWN = 20;
/** From this many schedules on, those with two delays are explored, too, which takes some minutes. */
const MANY_SCHEDULES = 100;

/** Simulates many seeds and every mutant; exit code 1 when a promise is broken or a mutant survives. */
export function runSimulate(seeds: number, json: boolean, io: Io): number {
  const shows = io.stderr.isTTY === true;
  const result = simulate(seeds, (done, failed) => {
    if (shows) io.stderr.write(`\r\x1b[K${count(done)} of ${count(seeds)} seeds, ${failed} failed`);
  });
  if (shows) io.stderr.write("\r\x1b[K");
  const survivors = result.mutants.filter(({ caughtBy }) => caughtBy === undefined);
  if (json) printJson(io, result);
  else {
    for (const { seed, violation } of result.failed.slice(0, MAX_SHOWN)) {
      io.stdout.write(`seed ${seed}: ${violation}\n  orbweaver verify --seed ${seed}\n`);
    }
    for (const { name, caughtBy } of result.mutants) {
      io.stdout.write(`mutant ${name.padEnd(50)} ${caughtBy ?? "SURVIVED"}\n`);
    }
    const { runs, requests, repeated, failed, mutants, cpuSeconds } = result;
    io.stdout.write(
      `\n${count(seeds)} seeds, ${failed.length} failed: ${count(runs)} runs, ${count(requests)} requests, ${count(repeated)} visits repeated after a crash; ${mutants.length - survivors.length} of ${mutants.length} mutants caught; ${cpuSeconds.toFixed(1)} s of CPU.\n`,
    );
  }
  return result.failed.length + survivors.length === 0 ? EXIT.finished : EXIT.fault;
}

/** Simulates one seed again and logs what happens. */
export function runSeed(seed: number, json: boolean, io: Io): number {
  const out = json ? io.stderr : io.stdout;
  out.write(`${JSON.stringify(planOf(seed))}\n`);
  const result = live(seed, SHIPPED, (line) => out.write(`${line}\n`));
  if (json) printJson(io, result);
  else io.stdout.write(`seed ${seed}: ${result.violation ?? "all promises kept"}\n`);
  return result.violation === undefined ? EXIT.finished : EXIT.fault;
}

/** Cuts the journals of small crawls at every place; exit code 1 when a promise is broken. */
export function runCrashPoints(schedules: number, json: boolean, io: Io): number {
  const one = exploreCrashPoints(SHIPPED, { schedules, depth: 1, deaths: 2 });
  const two = exploreCrashPoints(SHIPPED, { schedules: 2, depth: 2, deaths: 0, pages: 5 });
  const delays = schedules < MANY_SCHEDULES ? 1 : 2;
  const delayed = exploreDelays(SHIPPED, { delays, crawls: 1, deaths: 0, pages: 3 });
  const violation = one.violation ?? two.violation ?? delayed.violation;
  if (json) printJson(io, { schedules, one, two, delayed });
  else {
    io.stdout.write(
      `all ${count(delayed.schedules)} schedules with at most ${delays} delays, a crash after every turn: ${count(delayed.disks)} disks, ${count(delayed.deaths)} deaths of a thread\n${count(schedules)} schedules: ${count(one.cuts)} disks left by one crash, ${count(two.cuts)} by two, ${count(one.deaths)} deaths of a thread: ${violation ?? "every crawl came to its right end"}\n`,
    );
  }
  return violation === undefined ? EXIT.finished : EXIT.fault;
}
