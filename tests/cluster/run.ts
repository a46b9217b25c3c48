import { runDrills } from "../faults/run-drills.ts";
import { noRedis } from "../support/engine/redis.ts";
import { drill as engineRestart } from "./engine-restart.drill.ts";
import { drill as networkCut } from "./network-cut.drill.ts";
import { drill as powerLoss } from "./power-loss.drill.ts";
import { drill as stoppedWorker } from "./stopped-worker.drill.ts";
import { drill as workerKills } from "./worker-kills.drill.ts";

// npm run drills -- [--short] [--times N] [--pages N] [--seed N] [NAME...]
if (noRedis) console.log(noRedis);
else await runDrills([workerKills, stoppedWorker, engineRestart, powerLoss, networkCut]);
