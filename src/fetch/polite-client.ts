import type { Gatekeeper } from "../frontier/gatekeeper.ts";
import type { Host } from "../frontier/host.ts";
import { isBlockedPort } from "../url/blocked-port.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { partsOf } from "../url/url-parts.ts";
import { type AddressPolicy, isLoopback } from "./address.ts";
import type { NameResolver } from "./resolve.ts";
import type { WireClient, WireRequest, WireResponse } from "./wire/client.ts";

/** What one polite request came to. */
export type Asked =
  | { readonly kind: "response"; readonly response: WireResponse }
  | { readonly kind: "failed" | "refused"; readonly error: string; readonly detail?: string }
  | { readonly kind: "postponed"; readonly untilMs: number };

/** Parts of a polite client; all but the gatekeeper are the thread's own. */
export interface PoliteParts {
  readonly wire: WireClient;
  readonly resolver: NameResolver;
  readonly policy: AddressPolicy;
  readonly gatekeeper: Gatekeeper;
  /** Nobody beyond loopback is asked while there is no contact to complain to. */
  readonly contact: boolean;
  readonly clock: () => number;
}

/** Every request of the crawler goes through here: port, name, address, gate, then the wire. */
export class PoliteClient {
  readonly #parts: PoliteParts;

  constructor(parts: PoliteParts) {
    this.#parts = parts;
  }

  /** Asks for a URL unless something speaks against it. */
  async ask(
    url: CrawlUrl,
    host: Host,
    request: Pick<WireRequest, "headers" | "accept" | "maxBodyBytes" | "releases">,
  ): Promise<Asked> {
    const { wire, resolver, policy, gatekeeper, clock } = this.#parts;
    const { secure, hostname, port, target } = partsOf(url);
    if (isBlockedPort(port)) return { kind: "refused", error: "blocked_port" };

    const known = resolver.resolve(hostname, port);
    const resolution = known instanceof Promise ? await known : known;
    if (resolution.kind === "failed") {
      // Without a contact not even the name of a stranger leaves this machine.
      if (resolution.error === "dns_not_asked")
        return { kind: "refused", error: "contact_required" };
      return { kind: "failed", error: resolution.error, detail: resolution.message };
    }
    const refusal = policy.refusal(hostname, port, resolution.addresses);
    if (refusal !== undefined) return { kind: "refused", error: refusal };
    const address = resolution.addresses[0]!;
    if (!this.#parts.contact && !isLoopback(address)) {
      return { kind: "refused", error: "contact_required" };
    }

    const startMs = gatekeeper.enter(host, address, clock());
    if (startMs > 0) return { kind: "postponed", untilMs: startMs };
    try {
      const connectPort = resolution.connectPort ?? port;
      const result = await wire.request({
        target: { secure, hostname, port, address, connectPort },
        path: target,
        ...request,
      });
      return result.kind === "failed"
        ? { kind: "failed", error: result.error, detail: result.message }
        : result;
    } finally {
      gatekeeper.leave(host, clock());
    }
  }
}
