import { drill as deaths } from "./deaths.faults.ts";
import { drill as diskFull } from "./disk-full.faults.ts";
import { drill as exits } from "./exits.faults.ts";
import { drill as fewFiles } from "./few-files.faults.ts";
import { drill as flips } from "./flips.faults.ts";
import { drill as kills } from "./kills.faults.ts";
import { drill as missing } from "./missing.faults.ts";
import { drill as points } from "./points.faults.ts";
import { drill as powerArchive } from "./power-archive.faults.ts";
import { drill as powerLoss } from "./power-loss.faults.ts";
import { drill as rows } from "./rows.faults.ts";
import { runDrills } from "./run-drills.ts";
import { drill as signals } from "./signals.faults.ts";

// npm run faults -- [--short] [--times N] [--pages N] [--seed N] [NAME...]; --count is --times
await runDrills([
  kills,
  points,
  deaths,
  exits,
  signals,
  powerLoss,
  powerArchive,
  diskFull,
  fewFiles,
  flips,
  missing,
  rows,
]);
