import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

/** The repository's root, seen from the compiled tests. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");

const folder = resolve(root, "../shared/conformance");

/** Why a conformance test does not run, or false when the public cases are there. */
export const noConformance: string | false = existsSync(join(folder, "INDEX.json"))
  ? false
  : "skipped: the folder ../shared/conformance is not here";

/** Full path of a conformance file, such as "robots/protego.json". */
export function conformanceFile(name: string): string {
  return join(folder, name);
}

/** Reads a JSON or JSON-lines file of the conformance set, unzipped where its name ends in .gz. */
export function conformanceJson<T>(name: string): T {
  const bytes = readFileSync(conformanceFile(name));
  const text = (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  if (!name.includes(".jsonl")) return JSON.parse(text) as T;
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line)) as T;
}
