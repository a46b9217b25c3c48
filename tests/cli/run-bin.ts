import { spawn } from "node:child_process";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { dispatch } from "../../src/cli/dispatch.ts";
import { describeFailure } from "../../src/cli/failure.ts";
import { root } from "../support/conformance.ts";

/** What a finished process leaves behind. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The compiled program. */
export const BIN = join(root, "build/src/cli/main.js");

/** Runs the compiled program as a real process, with nothing of this environment that could change it. */
export function runBin(argv: readonly string[], stdin = "", environment = {}): Promise<Finished> {
  const child = spawn(process.execPath, [BIN, ...argv], {
    env: { PATH: process.env.PATH, ...environment },
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  // A program that ends without reading closes its input first; that is no fault of the test.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) =>
      resolve({
        code,
        stdout: Buffer.concat(out).toString("utf8"),
        stderr: Buffer.concat(err).toString("utf8"),
      }),
    );
  });
}

/** The same inside this process: what main.ts does, on streams in memory. */
export async function runHere(argv: readonly string[], stdin = ""): Promise<Finished> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  let code: number;
  try {
    const io = { stdin: Readable.from([stdin]), stdout, stderr, environment: {}, now: () => 0 };
    code = await dispatch(argv, io);
  } catch (error) {
    const failure = describeFailure(error, argv.includes("--debug"));
    code = failure.exitCode;
    stderr.write(failure.text);
  }
  return { code, stdout: String(stdout.read() ?? ""), stderr: String(stderr.read() ?? "") };
}
