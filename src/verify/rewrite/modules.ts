import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { OrbweaverError } from "../../errors.ts";
import type { Configuration, Patch } from "../configuration.ts";
import { findSuspending } from "./suspending.ts";
import { parseModule, type Syntax } from "./syntax.ts";
import { type Style, Transformer } from "./transform.ts";

/** The compiled sources that ship. */
export const shippedRoot = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** The scenario calls a thread program may make; the runtime answers them. */
export const SCENARIO_CALLS: ReadonlySet<string> = new Set([
  "report",
  "invoke",
  "respond",
  "awaitEnd",
  "awaitRing",
]);

const SCENARIO = "verify/scenario.js";
const requireBuiltin = createRequire(import.meta.url);

interface Parsed {
  readonly file: string;
  readonly source: string;
  readonly syntax: Syntax;
}

/** Loads one configuration of a module, rewritten for one runtime and with patches applied. */
export function loadConfiguration(
  module: string,
  name: string,
  runtime: object,
  style: Style,
  patches: readonly Patch[],
): Configuration {
  const { configurations } = loadRewritten(module, runtime, style, patches);
  return (configurations as Configuration[]).find((one) => one.name === name)!;
}

/** Loads the shipped modules that a configuration file uses, rewritten for one runtime and with patches applied. */
function loadRewritten(
  entry: string,
  runtime: object,
  style: Style,
  patches: readonly Patch[],
): Record<string, unknown> {
  const parsed = new Map<string, Parsed>();
  const open = new Set(patches);
  collect(resolve(shippedRoot, entry), parsed, patches, open);
  for (const patch of open) throw patchFault(patch, "its module is not used by the configuration");
  const names = findSuspending(
    [...parsed.values()].map((m) => m.syntax),
    SCENARIO_CALLS,
  );
  const loaded = new Map<string, Record<string, unknown>>();
  const load = (file: string): Record<string, unknown> => {
    const known = loaded.get(file);
    if (known) return known;
    const exports: Record<string, unknown> = {};
    loaded.set(file, exports);
    const module = parsed.get(file)!;
    const text = new Transformer(module.source, names, SCENARIO_CALLS, style).rewrite(
      module.syntax,
    );
    const run = compileFunction(text, ["R", "$import", "$exports"], {
      filename: `${file}?${style}`,
    });
    run(runtime, (specifier: string) => importFor(file, specifier, load), exports);
    return exports;
  };
  return load(resolve(shippedRoot, entry));
}

function importFor(
  file: string,
  specifier: string,
  load: (file: string) => Record<string, unknown>,
): unknown {
  if (!specifier.startsWith(".")) return requireBuiltin(specifier);
  const target = resolve(dirname(file), specifier);
  // The calls of scenario.js are rewritten where they stand; nothing of the module itself is used.
  return nameBelowRoot(target) === SCENARIO ? {} : load(target);
}

function collect(
  file: string,
  parsed: Map<string, Parsed>,
  patches: readonly Patch[],
  open: Set<Patch>,
): void {
  if (parsed.has(file)) return;
  if (!existsSync(file)) throw new OrbweaverError("OW_VERIFY", `no compiled module ${file}`);
  let source = readFileSync(file, "utf8");
  for (const patch of patches) {
    if (patch.module !== nameBelowRoot(file)) continue;
    if (patch.find === undefined) {
      source = patch.replace;
      open.delete(patch);
      continue;
    }
    const parts = source.split(patch.find);
    if (parts.length !== 2) throw patchFault(patch, `its text occurs ${parts.length - 1} times`);
    source = parts.join(patch.replace);
    open.delete(patch);
  }
  const syntax = parseModule(source);
  parsed.set(file, { file, source, syntax });
  for (const node of syntax.body as Syntax[]) {
    if (node.type !== "ImportDeclaration") continue;
    const specifier = String((node.source as Syntax).value);
    const target = resolve(dirname(file), specifier);
    if (!specifier.startsWith(".") || nameBelowRoot(target) === SCENARIO) continue;
    collect(target, parsed, patches, open);
  }
}

function nameBelowRoot(file: string): string {
  return relative(shippedRoot, file).split(sep).join("/");
}

function patchFault(patch: Patch, why: string): OrbweaverError {
  return new OrbweaverError("OW_VERIFY", `the mutant of ${patch.module} no longer applies: ${why}`);
}
