import { readFileSync } from "node:fs";
import { printable } from "../../config/printable.ts";
import { UsageError } from "../../errors.ts";
import { catalogue, type Entry } from "../catalogue.ts";
import type { Patch } from "../configuration.ts";
import { OWN_SYNC } from "../configurations/own-lock-checks.ts";
import type { OwnSyncClass } from "../own-lock.ts";
import { replaySchedule } from "../replay/replay-schedule.ts";
import { SCENARIO_CALLS } from "../rewrite/modules.ts";
import { outsideSubset } from "../rewrite/subset.ts";
import { findSuspending } from "../rewrite/suspending.ts";
import { calledName, everyNode, ownNodes, parseModule, type Syntax } from "../rewrite/syntax.ts";
import { printSchedule, search } from "../run-configurations.ts";

/** What one exhaustive search says about a lock of one's own. */
export interface OwnResult {
  readonly name: string;
  readonly threads: number;
  readonly operations: number;
  readonly states: number;
  readonly complete: boolean;
  readonly violation: string | null;
  readonly schedule: string | null;
  /** The violation step by step. */
  readonly steps: readonly string[];
}

/** The configurations that a lock of one's own has to pass. */
export const OWN_ENTRIES: readonly Entry[] = catalogue.filter(({ module }) =>
  module.endsWith("/own-lock-checks.js"),
);

/** Puts a lock of one's own in the place of the shipped example. */
export function patchOf(file: string): Patch {
  const source = readFileSync(file, "utf8");
  const refused = refusalOf(source);
  if (refused !== undefined) throw new UsageError(`${printable(file)}: ${refused}`);
  return { module: OWN_SYNC, find: undefined, replace: source };
}

/** Explores one configuration with that lock in it. */
export function exploreOwn(
  entry: Entry,
  patch: Patch,
  budgetSeconds: number,
  Sync: OwnSyncClass,
): OwnResult {
  const { name, threads, operations } = entry.configuration;
  const found = search(entry, [patch], budgetSeconds);
  const { violation, states, complete } = found.verdict;
  const schedule = violation === null ? null : printSchedule(entry, undefined, found);
  const names = Sync.names ?? [];
  const steps = schedule === null ? [] : replaySchedule(schedule, { patches: [patch], names }).log;
  const said = schedule === null ? null : (steps.at(-1) ?? "").replace(/^=> /, "");
  return { name, threads, operations, states, complete, violation: said, schedule, steps };
}

/** Why the explorer cannot run a module; undefined when it can. */
function refusalOf(source: string): string | undefined {
  const module = parseModule(source);
  const nodes = [...everyNode(module)];
  if (nodes.some(({ type }) => /^Import/.test(type))) return "a lock must not import anything";
  const [outside] = outsideSubset(source);
  if (outside !== undefined) return `the explorer cannot follow ${outside}`;
  const { calls } = findSuspending([module], SCENARIO_CALLS);
  if (calls.has("words") || calls.has("constructor"))
    return "words(size) and the constructor must not touch the words";
  const reaches = (node: Syntax) =>
    [...ownNodes(node)].some((n) => n.type === "CallExpression" && calls.has(calledName(n)));
  const hidden = nodes.some(
    (node) =>
      (node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression") &&
      !isMethod(node, nodes) &&
      reaches(node),
  );
  return hidden ? "the explorer cannot follow a shared access in a callback" : undefined;
}

function isMethod(node: Syntax, nodes: readonly Syntax[]): boolean {
  return nodes.some((n) => n.type === "MethodDefinition" && n.value === node);
}
