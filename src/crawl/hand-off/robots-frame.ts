import type { ObeyedFile } from "../../fetch/robots/robots-fetcher.ts";
import type { ObeyedRobots } from "../../store/writer.ts";

/*
 * A robots.txt on its way to the archive: facts (JSON, UTF-8), and what was read of the file.
 */

/** The parts of the frame. */
export function robotsParts({ url, address, date, body }: ObeyedFile): Uint8Array[] {
  return [Buffer.from(JSON.stringify({ url, address, date })), body];
}

/** Reads them; the body is a view. */
export function readRobots([facts, body]: readonly Buffer[]): ObeyedRobots {
  return { kind: "robots", ...JSON.parse(facts!.toString("utf8")), body: body! };
}
