import { readFileSync } from "node:fs";
import { pathTrouble, UsageError } from "../errors.ts";
import { printable } from "./printable.ts";

/** Reads a file that the user has named; `what` is what messages call it. */
export function readNamedFile(name: string, what: string): Buffer {
  try {
    return readFileSync(name);
  } catch (error) {
    throw new UsageError(`cannot read ${what} ${printable(name)}: ${reasonOf(error)}`, error);
  }
}

/** The same where "-" stands for standard input. */
export async function readNamedInput(
  name: string,
  what: string,
  standardInput: NodeJS.ReadableStream,
): Promise<Buffer> {
  if (name !== "-") return readNamedFile(name, what);
  const chunks: Buffer[] = [];
  for await (const chunk of standardInput) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

// The operating system's reason in words a user knows.
function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOENT") return "there is no such file";
  if (code === "EISDIR") return "it is a folder";
  return pathTrouble(error) ?? code ?? (error instanceof Error ? error.message : String(error));
}
