import { spawn } from "node:child_process";
import { collect, type Finished } from "../support/orbweaver.ts";

/** How a process ended; `late` when it had to be killed. */
export interface ProgramRun extends Finished {
  readonly late: boolean;
  readonly ms: number;
}

/** Runs a file with Node to its end, and kills it when it takes too long. */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: { readonly maxMs?: number; readonly env?: Record<string, string> } = {},
): Promise<ProgramRun> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...options.env },
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, options.maxMs ?? 60_000);
  const ended = await collect(child).ended;
  clearTimeout(timer);
  return { ...ended, late, ms: performance.now() - startMs };
}
