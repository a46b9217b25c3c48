import { domainToASCII } from "node:url";
import type { CrawlConfig } from "../../config/schema.ts";
import { type ProxyValue, parseProxy } from "../../config/values/proxy-value.ts";
import { monotonicMs } from "../../runtime/clock.ts";
import { addressKind, type Consent, comparableHost, consentKey, isHostName } from "./address.ts";
import { NameResolver } from "./resolve.ts";

/** Names that have no address after this long have none: the crawl begins without them. */
const MAX_MS = 5_000;

/** The settings that consent, and those that decide what a name means. */
export type ConsentConfig = Pick<
  CrawlConfig,
  "consentedHosts" | "allowPrivate" | "resolve" | "nameServers" | "loopbackOnly" | "proxies"
>;

/** Looks up, once, what the user has consented to; what an earlier run has pinned stays as it is. */
export async function pinConsents(
  config: ConsentConfig,
  pinned: readonly Consent[] = [],
): Promise<Consent[]> {
  const asked = consentsOf(config);
  if (asked.length === 0) return [];
  const resolver = new NameResolver({
    overrides: config.resolve,
    // Names that only a proxy looks up are not shown to a name server.
    askServers: !config.loopbackOnly && !isAllProxied(config.proxies),
    ...(config.nameServers.length === 0 ? {} : { servers: config.nameServers }),
    clock: monotonicMs,
  });
  const timer = setTimeout(() => resolver.close(), MAX_MS);
  const known = new Map(pinned.map((consent) => [consentKey(consent), consent]));
  try {
    return await Promise.all(
      asked.map((each) => known.get(consentKey(each)) ?? pin(each, resolver)),
    );
  } finally {
    clearTimeout(timer);
  }
}

type Asked = Pick<Consent, "host" | "port">;

function consentsOf({ consentedHosts, allowPrivate }: ConsentConfig): Asked[] {
  const typed = consentedHosts.map((text) => {
    const colon = text.lastIndexOf(":");
    return { host: comparableHost(text.slice(0, colon)), port: Number(text.slice(colon + 1)) };
  });
  const names = allowPrivate.map((text) => comparableHost(text.trim())).filter(isHostName);
  return [...typed, ...names.map((name) => ({ host: domainToASCII(name) }))];
}

async function pin(asked: Asked, resolver: NameResolver): Promise<Consent> {
  const found = await resolver.resolve(asked.host, asked.port ?? 0);
  const all = found.kind === "addresses" ? found.addresses : [];
  return { ...asked, addresses: all.filter((address) => addressKind(address) !== "public") };
}

/** Whether every page is fetched through a proxy. */
function isAllProxied(proxies: readonly string[]): boolean {
  const schemes = proxies.map((text) => (parseProxy(text) as ProxyValue).scheme);
  return schemes.includes(undefined) || new Set(schemes).size === 2;
}
