import { spawn } from "node:child_process";
import { PassThrough, Readable } from "node:stream";
import { dispatch } from "../../src/cli/dispatch.ts";
import { describeFailure } from "../../src/cli/failure.ts";
import { collect, type Finished, MAIN, OTHER_MAIN } from "../support/orbweaver.ts";

/** Runs the compiled program as a real process, with nothing of this environment that could change it. */
export async function runBin(
  argv: readonly string[],
  stdin = "",
  environment = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [MAIN, ...argv], {
    env: { PATH: process.env.PATH, ...environment },
  });
  // A program that ends without reading closes its input first; that is no fault of the test.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  const { code, stdout, stderr } = await collect(child).ended;
  return { code, stdout, stderr };
}

/** The same inside this process (a process costs a fifth of a second of CPU): what main.ts does, on streams in memory. */
export async function runHere(argv: readonly string[], stdin = ""): Promise<Finished> {
  if (OTHER_MAIN !== undefined) return runBin(argv, stdin);
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
