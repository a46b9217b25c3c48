import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { conformanceFile, conformanceJson } from "./conformance.ts";

/** A real site of the conformance set: its files and the set of pages that can be reached. */
export interface Site {
  readonly name: string;
  readonly folder: string;
  readonly start: string;
  /** Paths of the pages that can be reached from the start. */
  readonly reachable: readonly string[];
  /** Paths that are linked from somewhere and do not exist. */
  readonly missing: ReadonlySet<string>;
}

interface Truth {
  readonly start: string;
  readonly pages_list: readonly string[];
  readonly reachable: readonly number[];
  readonly missing: readonly string[];
}

/** Names of the sites. */
export const SITES = ["sqlite3", "postgresql15", "cppreference"] as const;

/** Unpacks a site into a new folder below `parent`. */
export function unpackSite(name: string, parent: string): Site {
  const folder = join(parent, name);
  mkdirSync(folder);
  execFileSync("tar", ["xf", conformanceFile(`sites/${name}.tar.xz`), "-C", folder]);
  const truth = conformanceJson<Truth>(`sites/${name}.truth.json.gz`);
  return {
    name,
    folder,
    start: truth.start,
    reachable: truth.reachable.map((page) => truth.pages_list[page]!),
    missing: new Set(truth.missing),
  };
}
