import { writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

// Loaded before anything else (NODE_OPTIONS): notes what the process, all its threads included, has cost when it ends.
const { ORBWEAVER_CPU: file } = process.env;
if (isMainThread && file !== undefined)
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    writeFileSync(file, String((user + system) / 1000));
  });
