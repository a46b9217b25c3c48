import type { Gatekeeper } from "../frontier/gatekeeper.ts";
import type { Host } from "../frontier/host.ts";
import { isBlockedPort } from "../url/blocked-port.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { partsOf } from "../url/url-parts.ts";
import type { Dialer } from "./route/dialer.ts";
import type { Route, RouteFinder } from "./route/route.ts";
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
  readonly routes: RouteFinder;
  readonly dialer: Dialer;
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
    const { routes, gatekeeper, dialer, wire, clock } = this.#parts;
    const parts = partsOf(url);
    if (isBlockedPort(parts.port)) return { kind: "refused", error: "blocked_port" };
    const finding = routes.find(parts);
    const found = finding instanceof Promise ? await finding : finding;
    if (found.kind !== "route") return found;
    const { route } = found;

    const startMs = gatekeeper.enter(host, route.gate, clock());
    if (startMs > 0) return { kind: "postponed", untilMs: startMs };
    try {
      const opened = dialer.isNeeded(route) ? await dialer.open(route) : undefined;
      if (opened !== undefined && "error" in opened) {
        return { kind: "failed", error: opened.error, detail: opened.message };
      }
      const result = await wire.request({
        target: opened?.target ?? route.target,
        path: parts.target,
        headers: request.headers,
        accept: request.accept,
        releases: request.releases,
        maxBodyBytes: request.maxBodyBytes,
        tap: request.tap,
        opened: opened?.opened,
      });
      return this.#judge(route, result);
    } finally {
      gatekeeper.leave(host, clock());
    }
  }

  #judge(route: Route, result: WireResult): Asked {
    if (result.kind === "failed") {
      this.#parts.dialer.failed(route, result.error);
      return { kind: "failed", error: result.error, detail: result.message };
    }
    const { status } = result.response.head;
    if (status === PROXY_WANTS_PASSWORD && route.target.proxy !== undefined) {
      return { kind: "failed", error: "proxy_refused", detail: `it answered ${status}` };
    }
    return result;
  }
}
