#!/usr/bin/env node
import { dispatch } from "./dispatch.ts";
import { describeFailure, isBrokenPipe } from "./failure.ts";
import { processIo } from "./io.ts";

const argv = process.argv.slice(2);
const debug = argv.includes("--debug");

function fail(error: unknown): void {
  const { text, exitCode } = describeFailure(error, debug);
  process.exitCode ||= exitCode;
  process.stderr.write(text);
}

// A reader that goes away (`| head`) must neither end a crawl nor print a stack.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error) => {
    if (!isBrokenPipe(error)) fail(error);
  });
}

// The exit code is set instead of calling exit, because output to a pipe may still be under way; a failed write that
// was noticed before stays a failure.
try {
  const exitCode = await dispatch(argv, processIo());
  process.exitCode ||= exitCode;
} catch (error) {
  fail(error);
}
