import type { CrawlConfig } from "../../config/schema.ts";
import type { CrawlUrl } from "../../url/crawl-url.ts";
import { Scope } from "../../url/scope.ts";

/** The scope that a configuration asks for, before any seed redirects. */
export function openScope(
  config: Pick<CrawlConfig, "scope" | "include" | "exclude">,
  seeds: readonly CrawlUrl[],
): Scope {
  const scope = new Scope({
    kind: config.scope,
    include: config.include.map((pattern) => new RegExp(pattern)),
    exclude: config.exclude.map((pattern) => new RegExp(pattern)),
  });
  for (const seed of seeds) scope.addSeed(seed);
  return scope;
}
