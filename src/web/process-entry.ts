import { OrbweaverError } from "../errors.ts";
import { type RunningWeb, startWeb, type WebOptions, type WebReport } from "./server.ts";
import type { WebTruth } from "./serving/content.ts";

/** A question to the process. */
export type WebQuestion =
  | { kind: "start"; options: WebOptions }
  | { kind: "truth" }
  | { kind: "report" }
  | { kind: "requests" }
  | { kind: "cpu" };

/** Its answer. */
export type WebAnswer =
  | { kind: "started"; port: number; origin: string; start: string[]; resolveArguments: string[] }
  | { kind: "truth"; truth: WebTruth }
  | { kind: "report"; report: WebReport }
  | { kind: "requests"; ofHosts: number[] }
  | { kind: "cpu"; cpu: NodeJS.CpuUsage }
  | { kind: "failed"; code: string; message: string; exitCode: number };

let web: RunningWeb | undefined;

async function answer(question: WebQuestion): Promise<WebAnswer> {
  if (question.kind === "start") {
    web = await startWeb(question.options);
    const { port, origin, start } = web;
    return { kind: "started", port, origin, start, resolveArguments: web.resolveArguments() };
  }
  if (question.kind === "cpu") return { kind: "cpu", cpu: process.cpuUsage() };
  if (!web) throw new OrbweaverError("OW_WEB", "the web has not been started");
  if (question.kind === "truth") return { kind: "truth", truth: web.truth() };
  if (question.kind === "requests") return { kind: "requests", ofHosts: web.requestsOfHosts() };
  return { kind: "report", report: web.report() };
}

function failure(error: unknown): WebAnswer {
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
process.on("message", (question: WebQuestion) => {
  previous = previous.then(async () => {
    const answered = await answer(question).catch(failure);
    if (process.connected) process.send!(answered);
  });
});
// The parent has ended or closed the channel: the web ends with it.
process.on("disconnect", () => process.exit(0));
// Ctrl-C reaches the whole process group; the parent decides when the web ends.
process.on("SIGINT", () => {});
