import { isIPv6 } from "node:net";
import { crc32 } from "node:zlib";
import { type ProxyValue, parseProxy } from "../../config/values/proxy-value.ts";
import type { UrlParts } from "../../url/url-parts.ts";
import type { Unanswered } from "../outcome.ts";
import type { Target } from "../transport.ts";
import { type AddressPolicy, addressGate, isLoopback } from "./address.ts";
import type { NameResolver, Resolution } from "./resolve.ts";

/** Where a request goes; all addresses have passed the address policy. */
export interface Route {
  readonly target: Target;
  /** Key in the address gate, of the first address. */
  readonly gate: string;
  /** Behind a proxy each name has a gate of its own, whatever address of the proxy is connected to. */
  readonly isProxied: boolean;
}

/** A route, or why there is none. */
export type RouteFound = { readonly kind: "route"; readonly route: Route } | Unanswered;

/** What finding a route needs. */
export interface RouteParts {
  readonly resolver: NameResolver;
  readonly policy: AddressPolicy;
  /** False: nothing beyond loopback is contacted. */
  readonly contact: boolean;
  /** Values of --proxy, already checked. */
  readonly proxies?: readonly string[];
}

/** A route, and the answer of the resolver that it was made from. */
interface KnownRoute {
  readonly resolution: Resolution;
  readonly found: Extract<RouteFound, { kind: "route" }>;
}

/** When so many routes are remembered, all are forgotten. */
const MAX_KNOWN = 4096;

const CONTACT_REQUIRED = { kind: "refused", error: "contact_required" } as const;

/** Finds where to connect for a URL: its own addresses, or a proxy. */
export class RouteFinder {
  readonly #parts: RouteParts;
  readonly #proxies: readonly ProxyValue[];
  /** The last route to each host: it holds as long as the name has the same answer. */
  readonly #known = new Map<string, KnownRoute>();

  constructor(parts: RouteParts) {
    this.#parts = parts;
    this.#proxies = (parts.proxies ?? []).map((text) => parseProxy(text) as ProxyValue);
  }

  /** Answers at once unless a name server has to be asked. */
  find(url: UrlParts): RouteFound | Promise<RouteFound> {
    const proxy = this.#proxies.length === 0 ? undefined : this.#proxyFor(url);
    if (proxy !== undefined) return this.#through(proxy, url);
    const { secure, hostname, port } = url;
    const resolution = this.#parts.resolver.resolve(hostname, port);
    if (resolution instanceof Promise) return resolution.then((later) => this.#checked(url, later));
    const known = this.#known.get(hostname);
    if (known?.resolution !== resolution) return this.#checked(url, resolution);
    const { target } = known.found.route;
    const isSame = target.port === port && target.secure === secure;
    return isSame ? known.found : this.#checked(url, resolution);
  }

  /** Proxies for this scheme take precedence over those for all; of several a host always has the same. */
  #proxyFor({ secure, hostname }: UrlParts): ProxyValue | undefined {
    const scheme = secure ? "https" : "http";
    const own = this.#proxies.filter((proxy) => proxy.scheme === scheme);
    const fitting =
      own.length > 0 ? own : this.#proxies.filter((proxy) => proxy.scheme === undefined);
    if (fitting.length < 2) return fitting[0];
    return fitting[crc32(hostname.toLowerCase()) % fitting.length];
  }

  #checked({ secure, hostname, port }: UrlParts, resolution: Resolution): RouteFound {
    if (resolution.kind === "failed") {
      // Without a contact not even a host name leaves this machine.
      if (resolution.error === "dns_not_asked") return CONTACT_REQUIRED;
      return { kind: "failed", error: resolution.error, detail: resolution.message };
    }
    const refusal = this.#parts.policy.refusal(hostname, port, resolution.addresses);
    if (refusal !== undefined) return { kind: "refused", error: refusal };
    if (!this.#parts.contact && !resolution.addresses.every(isLoopback)) return CONTACT_REQUIRED;
    const target: Target = {
      secure,
      hostname,
      port,
      ...inOrder(resolution.addresses),
      connectPort: resolution.connectPort ?? port,
      proxy: undefined,
    };
    const route = { target, gate: addressGate(target.address), isProxied: false };
    const found = { kind: "route", route } as const;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(hostname, { resolution, found });
    return found;
  }

  /**
   * The proxy resolves names, so what it connects to cannot be checked here; but what is known to be private without a
   * name server (addresses, localhost, the hosts file, --resolve) is refused as always.
   */
  async #through(proxy: ProxyValue, { secure, hostname, port }: UrlParts): Promise<RouteFound> {
    const { resolver, policy, contact } = this.#parts;
    const known = resolver.resolveLocally(hostname);
    if (known?.kind === "addresses") {
      const refusal = policy.refusal(hostname, port, known.addresses);
      if (refusal !== undefined) return { kind: "refused", error: refusal };
    }
    const stays = known?.kind === "addresses" && known.addresses.every(isLoopback);
    if (!contact && !stays) return CONTACT_REQUIRED;
    const found = await resolver.resolve(proxy.hostname, proxy.port);
    if (found.kind === "failed") {
      return { kind: "failed", error: "proxy_refused", detail: found.message };
    }
    const target: Target = {
      secure,
      hostname,
      port,
      ...inOrder(found.addresses),
      connectPort: found.connectPort ?? proxy.port,
      proxy,
    };
    // Every host keeps its own pace, although they share the address of the proxy.
    return { kind: "route", route: { target, gate: `proxy ${hostname}`, isProxied: true } };
  }
}

/** The addresses as a target holds them, by RFC 8305, 4: IPv6 first, then the families take turns. */
export function inOrder(all: readonly string[]): Pick<Target, "address" | "addresses"> {
  if (all.length === 1) return { address: all[0]!, addresses: undefined };
  const six = all.filter((address) => isIPv6(address));
  const four = all.filter((address) => !isIPv6(address));
  const addresses: string[] = [];
  for (let i = 0; i < Math.max(six.length, four.length); i++) {
    addresses.push(...six.slice(i, i + 1), ...four.slice(i, i + 1));
  }
  return { address: addresses[0]!, addresses };
}
