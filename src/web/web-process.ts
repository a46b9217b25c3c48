import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { OrbweaverError, WorkerDiedError } from "../errors.ts";
import type { WebAnswer, WebQuestion } from "./process-entry.ts";
import type { WebOptions, WebReport } from "./server.ts";
import type { WebTruth } from "./serving/content.ts";

/** A web in a process of its own, so that it shares neither event loop nor memory nor CPU time with a crawl. */
export interface RemoteWeb {
  readonly port: number;
  readonly origin: string;
  readonly start: string[];
  readonly pid: number;
  truth(): Promise<WebTruth>;
  report(): Promise<WebReport>;
  /** Requests so far, host by host, in the order of the hosts. */
  requestsOfHosts(): Promise<number[]>;
  /** CPU time the web has used so far, in microseconds. */
  cpuUsage(): Promise<NodeJS.CpuUsage>;
  resolveArguments(): string[];
  close(): Promise<void>;
}

/** Starts a web as `startWeb` does, in a process of its own; options travel, so `now` is not among them. */
export async function startWebProcess(options: Omit<WebOptions, "now"> = {}): Promise<RemoteWeb> {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  const entry = fileURLToPath(new URL(`./process-entry${extension}`, import.meta.url));
  // "advanced" keeps Infinity, which JSON does not. No execArgv: a debugger's port is taken already.
  const child = fork(entry, { serialization: "advanced", execArgv: [] });
  const answers = new Answers(child);
  const close = async (): Promise<void> => {
    if (child.connected) child.disconnect(); // the entry ends when its channel does
    await answers.ended;
  };
  const started = await answers
    .ask({ kind: "start", options })
    .then((answer) => expectKind(answer, "started"))
    .catch(async (error) => {
      await close(); // a process without a web would keep this one alive
      throw error;
    });
  return {
    port: started.port,
    origin: started.origin,
    start: started.start,
    pid: child.pid!,
    truth: async () => expectKind(await answers.ask({ kind: "truth" }), "truth").truth,
    report: async () => expectKind(await answers.ask({ kind: "report" }), "report").report,
    requestsOfHosts: async () =>
      expectKind(await answers.ask({ kind: "requests" }), "requests").ofHosts,
    cpuUsage: async () => expectKind(await answers.ask({ kind: "cpu" }), "cpu").cpu,
    resolveArguments: () => [...started.resolveArguments],
    close,
  };
}

function expectKind<K extends WebAnswer["kind"]>(
  answer: WebAnswer,
  kind: K,
): Extract<WebAnswer, { kind: K }> {
  if (answer.kind !== kind) throw new WorkerDiedError("the web");
  return answer as Extract<WebAnswer, { kind: K }>;
}

/** Questions to the process and its answers, which come in the order of the questions. */
class Answers {
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #waiting: { resolve: (answer: WebAnswer) => void; reject: (error: Error) => void }[] =
    [];
  #over = false;

  constructor(child: ChildProcess) {
    this.#child = child;
    // Listened to before anything is asked: a process that dies early must not be missed.
    this.ended = new Promise((resolve) => {
      child.once("exit", () => {
        this.#over = true;
        for (const { reject } of this.#waiting.splice(0)) reject(new WorkerDiedError("the web"));
        resolve();
      });
    });
    child.once("error", (error) => {
      for (const { reject } of this.#waiting.splice(0))
        reject(new WorkerDiedError("the web", error));
    });
    child.on("message", (answer: WebAnswer) => {
      const waiting = this.#waiting.shift();
      if (answer.kind !== "failed") waiting?.resolve(answer);
      else waiting?.reject(new OrbweaverError(answer.code, answer.message, answer.exitCode));
    });
  }

  ask(question: WebQuestion): Promise<WebAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#over || !this.#child.connected) {
        reject(new WorkerDiedError("the web"));
        return;
      }
      this.#waiting.push({ resolve, reject });
      this.#child.send(question);
    });
  }
}
