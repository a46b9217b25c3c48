/** Settings of what one run shows: each run has its own. */
export const OUTPUT_SETTINGS = {
  json: false,
  report: false,
  quiet: false,
  debug: false,
  dashboard: undefined,
  listen: "127.0.0.1",
  dashboardToken: undefined,
  color: true,
  // A command of somebody else's folder is never run.
  onEnd: undefined,
  onEndTimeoutMs: 60_000,
} as const;

/**
 * The configuration as state/crawl.json keeps it for the next run: without what this run shows, and without the names and
 * passwords of proxies and of an engine, which `resume` needs again.
 */
export function keptConfig<
  T extends { readonly proxies?: readonly string[]; readonly engine?: string | undefined },
>(config: T): T {
  const proxies = (config.proxies ?? []).map(withoutSecrets);
  const engine = config.engine === undefined ? {} : { engine: withoutSecrets(config.engine) };
  return { ...config, ...OUTPUT_SETTINGS, ...engine, proxies };
}

/** An address without the name and password in it. */
export function withoutSecrets(address: string): string {
  return address.replace(/\/\/.*@/s, "//");
}
