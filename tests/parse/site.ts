import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CrawlUrl } from "../../src/url/crawl-url.ts";
import { conformanceFile, conformanceJson } from "../support/conformance.ts";

/** What is known about a site of the conformance set. */
export interface SiteTruth {
  start: string;
  pages_list: string[];
  reachable: number[];
  missing: string[];
  reachable_from_start: number;
  distinct_missing_paths: number;
}

/** A real site, unpacked into a folder of its own until `remove` is called. */
export class Site {
  readonly truth: SiteTruth;
  readonly #folder: string;

  constructor(name: string) {
    this.truth = conformanceJson<SiteTruth>(`sites/${name}.truth.json.gz`);
    this.#folder = mkdtempSync(join(tmpdir(), "orbweaver-site-"));
    execFileSync("tar", ["xJf", conformanceFile(`sites/${name}.tar.xz`), "-C", this.#folder]);
  }

  /** The page at a path of `pages_list`, where paths are percent-encoded. */
  read(path: string): Buffer {
    return readFileSync(join(this.#folder, decodeURIComponent(path)));
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true });
  }
}

/** Where the sites are pretended to be served. */
export const ORIGIN = "http://site.example";

/** The path of a link inside the site with folders named by their index page, undefined outside. */
export function pathInSite(url: CrawlUrl): string | undefined {
  const { origin, pathname } = new URL(url);
  if (origin !== ORIGIN) return undefined;
  return pathname.endsWith("/") ? `${pathname}index.html` : pathname;
}
