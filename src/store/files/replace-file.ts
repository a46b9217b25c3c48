import { renameSync } from "node:fs";
import { dirname } from "node:path";
import { AppendFile } from "./append-file.ts";
import { removeIfThere, syncFolder } from "./system-calls.ts";

/**
 * Makes a file appear whole or not at all: written beside its place, synced, renamed, and the folder synced. An older
 * file of that name stays until the new one is durable. Answers what `fill` does.
 */
export function replaceFile<T>(path: string, fill: (file: AppendFile) => T): T {
  const temporary = `${path}.tmp`;
  // Only a crash leaves one behind, and nobody reads it.
  removeIfThere(temporary);
  const file = new AppendFile(temporary, "new");
  let result: T;
  try {
    result = fill(file);
    file.sync();
  } catch (fault) {
    file.close();
    removeIfThere(temporary);
    throw fault;
  }
  file.close();
  renameSync(temporary, path);
  syncFolder(dirname(path));
  return result;
}

/** The same for content that is in memory. */
export function replaceWith(path: string, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  replaceFile(path, (file) => file.write(bytes));
}
