/** Settings of what one run shows: each run has its own. */
export const OUTPUT_SETTINGS = { json: false, report: false, quiet: false, debug: false } as const;

/**
 * The configuration as state/crawl.json keeps it for the next run: without what this run shows, and without the names and
 * passwords of proxies, which `resume` needs again.
 */
export function keptConfig<T extends { readonly proxies?: readonly string[] }>(config: T): T {
  const proxies = (config.proxies ?? []).map((value) => value.replace(/\/\/.*@/, "//"));
  return { ...config, ...OUTPUT_SETTINGS, proxies };
}
