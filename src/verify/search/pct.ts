import { Random } from "../../web/seeded-random.ts";
import { Judge, type Verdict } from "../judge/verdict.ts";
import type { World } from "../machine/explored-world.ts";
import { clockedMachine } from "../machine/race-clocks.ts";
import { cpuSeconds } from "./dpor.ts";

const PRIORITY_CHANGES = 3;
const MAX_STEPS = 20_000;

/**
 * Random schedules with guaranteed bug probability (Burckhardt, Kothari, Musuvathi, Nagarakatte 2010): the thread
 * of highest priority runs, and at a few random steps the running thread falls to the bottom.
 */
export function searchRandom(
  world: World,
  schedules: number,
  seed: number,
  maxCpuSeconds: number,
): Verdict {
  const machine = clockedMachine(world);
  const { threads } = machine;
  machine.begin();
  const judge = new Judge(machine);
  const started = process.cpuUsage();
  const random = new Random(seed);
  let length = 200;
  let executions = 0;
  const done = (violation: string | null, choices: number[]): Verdict => ({
    executions,
    states: machine.steps,
    steps: machine.steps,
    complete: false,
    violation,
    choices,
  });
  for (let run = 0; run < schedules && cpuSeconds(started) < maxCpuSeconds; run++) {
    const priority = Array.from({ length: threads }, () => 1 + random.next());
    const changes = Array.from({ length: PRIORITY_CHANGES }, () => random.below(length));
    const choices: number[] = [];
    let violation: string | undefined;
    for (let step = 0; violation === undefined; step++) {
      let best = -1;
      for (let t = 0; t < threads; t++) {
        if (machine.enabled(t) && (best < 0 || priority[t]! > priority[best]!)) best = t;
      }
      if (best < 0) {
        violation = judge.judge();
        executions++;
        length = Math.max(10, step);
        break;
      }
      // A spinning thread of high priority must not keep the others out for ever.
      if (changes.includes(step) || random.next() < 0.002) priority[best] = -step;
      machine.step(best);
      choices.push(best);
      violation = machine.fault;
      if (step > MAX_STEPS) violation = "an execution does not end";
    }
    if (violation !== undefined) return done(violation, choices);
    machine.undo(0);
  }
  return done(null, []);
}
