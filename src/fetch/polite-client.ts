import type { Gatekeeper } from "../frontier/gatekeeper.ts";
import type { Host } from "../frontier/host.ts";
import { isBlockedPort } from "../url/blocked-port.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { partsOf } from "../url/url-parts.ts";
import type { Opener } from "./opener.ts";
import type { Way, WayFinder } from "./way.ts";
import type { WireClient, WireRequest, WireResponse } from "./wire/client.ts";

const PROXY_WANTS_PASSWORD = 407;

/** What one polite request came to. */
export type Asked =
  | { readonly kind: "response"; readonly response: WireResponse }
  | { readonly kind: "failed" | "refused"; readonly error: string; readonly detail?: string }
  | { readonly kind: "postponed"; readonly untilMs: number };

/** Parts of a polite client; all but the gatekeeper are the thread's own. */
export interface PoliteParts {
  readonly wire: WireClient;
  readonly ways: WayFinder;
  readonly opener: Opener;
  readonly gatekeeper: Gatekeeper;
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
    request: Pick<WireRequest, "headers" | "accept" | "maxBodyBytes" | "releases" | "tap">,
  ): Promise<Asked> {
    const { ways, gatekeeper, clock } = this.#parts;
    const parts = partsOf(url);
    if (isBlockedPort(parts.port)) return { kind: "refused", error: "blocked_port" };
    const finding = ways.find(parts);
    const found = finding instanceof Promise ? await finding : finding;
    if (found.kind !== "way") return found;
    const { way } = found;

    const startMs = gatekeeper.enter(host, way.gate, clock());
    if (startMs > 0) return { kind: "postponed", untilMs: startMs };
    try {
      return await this.#send(way, parts.target, request);
    } finally {
      gatekeeper.leave(host, clock());
    }
  }

  async #send(
    way: Way,
    path: string,
    request: Pick<WireRequest, "headers" | "accept" | "maxBodyBytes" | "tap">,
  ): Promise<Asked> {
    const { wire, opener } = this.#parts;
    const opened = opener.isNeeded(way) ? await opener.open(way) : { target: way.target };
    if ("error" in opened) return { kind: "failed", error: opened.error, detail: opened.message };
    const result = await wire.request({ ...opened, path, ...request });
    if (result.kind === "failed") {
      opener.failed(way, result.error);
      return { kind: "failed", error: result.error, detail: result.message };
    }
    const { status } = result.response.head;
    if (status === PROXY_WANTS_PASSWORD && way.target.proxy !== undefined) {
      return { kind: "failed", error: "proxy_refused", detail: `it answered ${status}` };
    }
    return result;
  }
}
