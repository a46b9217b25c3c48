import { withMutant } from "../attacks/mutant-program.ts";
import { runDrills } from "../faults/run-drills.ts";
import { noRedis } from "../support/engine/redis.ts";
import { drill as engineRestart } from "./engine-restart.drill.ts";
import { drill as failover } from "./failover.drill.ts";
import { drill as leavingWorker } from "./leaving-worker.drill.ts";
import { drill as movedHost } from "./moved-host.drill.ts";
import { drill as networkCut } from "./network-cut.drill.ts";
import { drill as powerLoss } from "./power-loss.drill.ts";
import { drill as samePages } from "./same-pages.drill.ts";
import { drill as sharedAddress } from "./shared-address.drill.ts";
import { drill as stoppedWorker } from "./stopped-worker.drill.ts";
import { drill as workerKills } from "./worker-kills.drill.ts";

const drills = [
  ...[workerKills, stoppedWorker, engineRestart, powerLoss, leavingWorker],
  ...[failover, networkCut, sharedAddress, movedHost, samePages],
];
/** Faults strike at random, so that a mutant may get away once. */
const MUTANT_SEEDS = 3;

// npm run drills -- [--mutants] [--short] [--times N] [--pages N] [--seed N] [NAME...]
const at = process.argv.indexOf("--mutants");
if (noRedis) console.log(noRedis);
else if (at < 0) await runDrills(drills);
else await runMutants(process.argv.slice(2).filter((word) => !word.startsWith("--")));
// Connections to a cluster whose master was killed may keep trying after they were closed.
process.exit();

/** Runs each drill, in its short form, with programs that it must complain about. */
async function runMutants(names: readonly string[]): Promise<void> {
  let missed = 0;
  for (const drill of drills.filter(({ name }) => names.length === 0 || names.includes(name))) {
    for (const mutant of drill.mutants) {
      const others: string[] = [];
      const found = await withMutant(mutant, async (program) => {
        for (let seed = 1; seed <= MUTANT_SEEDS; seed++) {
          const { problems } = await drill.run({ ...drill.short, seed, program });
          const reason = problems.find((problem) => mutant.noticedBy.test(problem));
          if (reason !== undefined) return reason;
          others.push(...problems);
        }
        return undefined;
      });
      const verdict = found ?? ["NOT NOTICED", ...others].join("; but: ");
      console.log(`${drill.name}, ${mutant.name}: ${verdict.slice(0, 300)}`);
      if (found === undefined) missed++;
    }
  }
  process.exitCode = missed > 0 ? 1 : 0;
}
