import type { Tokens } from "../report/read/tokens.ts";
import type { Io } from "./io.ts";

/** Length of lists, unless told otherwise. */
export const DEFAULT_TOP = 10;

/** Makes a report; on a terminal its progress is shown. */
export async function runReport(
  dir: string,
  io: Io,
  options: { top?: number; tokens?: Tokens; against?: string | undefined } = {},
) {
  // The engine of reports is loaded only now, so that help and wrong usage do not pay for it.
  const { writeReport } = await import("../report/write-report.ts");
  const { top = DEFAULT_TOP, tokens = "words", against } = options;
  const isShown = io.stderr.isTTY === true;
  const show = (text: string) => io.stderr.write(`\r\x1b[K${text}`);
  try {
    return await writeReport(dir, {
      top,
      tokens,
      against,
      onProgress: isShown ? (text) => show(`report: ${text}`) : undefined,
    });
  } finally {
    if (isShown) show("");
  }
}
