import { printable } from "../config/printable.ts";
import { diskFault, EXIT, OrbweaverError, pathFault } from "../errors.ts";

const MAX_SENTENCE = 2000;

/** What the user sees of an error, and the exit code. */
export interface Failure {
  readonly text: string;
  readonly exitCode: number;
}

/** One line for people; the error code, or the stack of an unexpected error, only with --debug. */
export function describeFailure(fault: unknown, debug: boolean): Failure {
  const error = pathFault(diskFault(fault, pathOf(fault)));
  const message = error instanceof Error ? error.message : String(error);
  const sentence = printable(message, MAX_SENTENCE);
  if (error instanceof OrbweaverError) {
    const code = debug ? ` [${error.code}]` : "";
    return { text: `orbweaver: ${sentence}${code}\n`, exitCode: error.exitCode };
  }
  const more = debug ? "" : " (--debug shows where)";
  const stack = debug && error instanceof Error && error.stack ? `${error.stack}\n` : "";
  const text = `orbweaver: unexpected fault: ${sentence}; please report it${more}\n${stack}`;
  return { text, exitCode: EXIT.fault };
}

/** The file that a system error is about. */
function pathOf(fault: unknown): string {
  return (fault as NodeJS.ErrnoException | undefined)?.path ?? "what had to be written";
}

/** Whether a failed write only means that the reader has gone, as in `orbweaver … | head`. */
export function isBrokenPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === "EPIPE";
}
