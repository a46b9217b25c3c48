import type { Gatekeeper } from "../frontier/gatekeeper.ts";
import type { Host } from "../frontier/host.ts";
import { isBlockedPort } from "../url/blocked-port.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { partsOf } from "../url/url-parts.ts";
import type { Opener } from "./opener.ts";
import type { Way, WayFinder } from "./way.ts";
import type { WireClient, WireRequest, WireResponse, WireResult } from "./wire/client.ts";

const PROXY_WANTS_PASSWORD = 407;

/** A request without what the URL decides. */
export type PoliteRequest = Pick<
  WireRequest,
  "headers" | "accept" | "maxBodyBytes" | "releases" | "tap"
>;

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
  async ask(url: CrawlUrl, host: Host, request: PoliteRequest): Promise<Asked> {
    const { ways, gatekeeper, opener, wire, clock } = this.#parts;
    const parts = partsOf(url);
    if (isBlockedPort(parts.port)) return { kind: "refused", error: "blocked_port" };
    const finding = ways.find(parts);
    const found = finding instanceof Promise ? await finding : finding;
    if (found.kind !== "way") return found;
    const { way } = found;

    const startMs = gatekeeper.enter(host, way.gate, clock());
    if (startMs > 0) return { kind: "postponed", untilMs: startMs };
    try {
      const opened = opener.isNeeded(way) ? await opener.open(way) : undefined;
      if (opened !== undefined && "error" in opened) {
        return { kind: "failed", error: opened.error, detail: opened.message };
      }
      const result = await wire.request({
        target: opened?.target ?? way.target,
        path: parts.target,
        headers: request.headers,
        accept: request.accept,
        releases: request.releases,
        maxBodyBytes: request.maxBodyBytes,
        tap: request.tap,
        opened: opened?.opened,
      });
      return this.#judge(way, result);
    } finally {
      gatekeeper.leave(host, clock());
    }
  }

  #judge(way: Way, result: WireResult): Asked {
    if (result.kind === "failed") {
      this.#parts.opener.failed(way, result.error);
      return { kind: "failed", error: result.error, detail: result.message };
    }
    const { status } = result.response.head;
    if (status === PROXY_WANTS_PASSWORD && way.target.proxy !== undefined) {
      return { kind: "failed", error: "proxy_refused", detail: `it answered ${status}` };
    }
    return result;
  }
}
