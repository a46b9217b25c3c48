import { UsageError } from "../../errors.ts";
import { readNamedInput } from "../named-file.ts";
import { printable } from "../printable.ts";
import { type RejectedLine, readSeeds, type SeedList } from "./seed-file.ts";

const MAX_SHOWN = 10;

/** Reads the seed file, or standard input for "-"; a file without a single good line is a usage error. */
export async function loadSeedFile(
  name: string,
  strict: boolean,
  standardInput: NodeJS.ReadableStream,
): Promise<SeedList> {
  const title = name === "-" ? "standard input" : printable(name);
  const list = readSeeds(await readNamedInput(name, "the seeds", standardInput));
  const first = list.rejected[0];
  if (strict && first !== undefined) {
    throw new UsageError(`${title}, ${lineText(first)}; --strict-seeds stops here`);
  }
  if (list.seeds.length > 0) return list;
  throw new UsageError(
    first === undefined
      ? `${title} holds no URL; write one per line, for example https://example.org/`
      : `${title} holds no valid URL; ${lineText(first)}`,
  );
}

/** Messages about skipped lines: the first few one by one, then how many more. */
export function rejectedLinesText(rejected: readonly RejectedLine[]): string[] {
  const shown = rejected.slice(0, MAX_SHOWN).map((line) => `skipped seed ${lineText(line)}`);
  const more = rejected.length - shown.length;
  return more > 0 ? [...shown, `skipped ${more} more seed lines`] : shown;
}

function lineText({ line, text, reason }: RejectedLine): string {
  return `line ${line}: "${printable(text, 100)}": ${printable(reason)}`;
}
