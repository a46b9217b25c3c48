import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/conformance.ts";

/** One change of the compiled program. */
export interface ProgramMutant {
  /** What is wrong with it, in a few words. */
  readonly name: string;
  /** A piece of one line of the compiled code, as it is in the bundles, where names that meet get a number. */
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

const BUNDLE = ".script.js";

/**
 * Changes every file that holds the text; returns how many. Throws when bundles hold such a file and none the text: what
 * runs is a bundle, so nothing would be changed.
 */
function change(folder: string, { from, to }: ProgramMutant): number {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const texts = new Map(
    files
      .filter((name) => name.endsWith(".js"))
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
  const changed = [...texts.keys()].filter((name) => texts.get(name)!.includes(from));
  // A line in front of each file that a bundle was made of.
  const isMadeOf = (bundle: string) =>
    changed.some((name) => texts.get(bundle)!.includes(`// build/${name}\n`));
  const bundles = [...texts.keys()].filter((name) => name.endsWith(BUNDLE)).filter(isMadeOf);
  if (bundles.length > 0 && !bundles.some((name) => changed.includes(name)))
    throw new Error(
      `no bundle contains ${JSON.stringify(from)}: names may have a number there (${bundles.join(", ")})`,
    );
  for (const name of changed)
    writeFileSync(join(folder, name), texts.get(name)!.replaceAll(from, to));
  return changed.length;
}
