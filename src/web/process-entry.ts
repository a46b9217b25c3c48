import { OrbweaverError } from "../errors.ts";
import { type RunningWeb, startWeb, type WebOptions, type WebReport } from "./server.ts";
import type { WebTruth } from "./serving/content.ts";

/** What the process is asked. */
export type Ask =
  | { kind: "start"; options: WebOptions }
  | { kind: "truth" }
  | { kind: "report" }
  | { kind: "cpu" };

/** What it answers. */
export type Tell =
  | { kind: "started"; port: number; origin: string; start: string[]; resolveArguments: string[] }
  | { kind: "truth"; truth: WebTruth }
  | { kind: "report"; report: WebReport }
  | { kind: "cpu"; cpu: NodeJS.CpuUsage }
  | { kind: "failed"; code: string; message: string; exitCode: number };

let web: RunningWeb | undefined;

async function answer(ask: Ask): Promise<Tell> {
  if (ask.kind === "start") {
    web = await startWeb(ask.options);
    const { port, origin, start } = web;
    return { kind: "started", port, origin, start, resolveArguments: web.resolveArguments() };
  }
  if (ask.kind === "cpu") return { kind: "cpu", cpu: process.cpuUsage() };
  if (!web) throw new OrbweaverError("OW_WEB", "the web has not been started");
  if (ask.kind === "truth") return { kind: "truth", truth: web.truth() };
  return { kind: "report", report: web.report() };
}

function failure(error: unknown): Tell {
  const message = error instanceof Error ? error.message : String(error);
  const known = error instanceof OrbweaverError;
  return {
    kind: "failed",
    code: known ? error.code : "OW_WEB",
    message,
    exitCode: known ? error.exitCode : 1,
  };
}

// One question at a time, so that answers keep the order of the questions.
let previous: Promise<unknown> = Promise.resolve();
process.on("message", (ask: Ask) => {
  previous = previous.then(async () => {
    const tell = await answer(ask).catch(failure);
    if (process.connected) process.send!(tell);
  });
});
// Whoever started this process is gone or done: so is the web.
process.on("disconnect", () => process.exit(0));
// Ctrl-C goes to the whole group; the parent decides when the web ends.
process.on("SIGINT", () => {});
