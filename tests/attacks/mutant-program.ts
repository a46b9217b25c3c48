import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/conformance.ts";

/** One change of the compiled program. */
export interface ProgramMutant {
  /** What is wrong with it, in a few words. */
  readonly name: string;
  /** A piece of one line of the compiled code, as it is in the threads' bundles. */
  readonly from: string;
  readonly to: string;
}

/** Runs with a changed copy of the program, which is gone afterwards. */
export async function withMutant<T>(
  mutant: ProgramMutant,
  run: (program: string) => Promise<T>,
): Promise<T> {
  // Inside the project, so that packages are found.
  const folder = join(
    root,
    "build",
    "mutants",
    `${process.pid}-${mutant.name.replace(/\W+/g, "-")}`,
  );
  try {
    cpSync(join(root, "build", "src"), join(folder, "src"), { recursive: true });
    if (change(folder, mutant) === 0)
      throw new Error(`the program does not contain ${JSON.stringify(mutant.from)}`);
    return await run(join(folder, "src", "cli", "main.js"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Changes every file that holds the text, because the entry points of threads are bundles; returns how many. */
function change(folder: string, { from, to }: ProgramMutant): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  let changed = 0;
  for (const file of files.filter((name) => name.endsWith(".js"))) {
    const path = join(folder, file);
    const text = readFileSync(path, "utf8");
    if (!text.includes(from)) continue;
    writeFileSync(path, text.replaceAll(from, to));
    changed++;
  }
  return changed;
}
