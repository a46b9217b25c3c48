import type { Gatekeeper } from "../frontier/gatekeeper.ts";
import type { Host } from "../frontier/host.ts";
import { isBlockedPort } from "../url/blocked-port.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { partsOf } from "../url/url-parts.ts";
import type { FetchOutcome } from "./outcome.ts";
import type { RouteFinder } from "./route/route.ts";
import type { Transport, TransportRequest } from "./transport.ts";

/** A request without the parts that come from the URL. */
export type PoliteRequest = Omit<TransportRequest, "target" | "path">;

/** Parts of a polite client; all but the gatekeeper are the thread's own. */
export interface PoliteParts {
  readonly transport: Transport;
  readonly routes: RouteFinder;
  readonly gatekeeper: Gatekeeper;
  readonly clock: () => number;
}

/** Every request of the crawler goes through here: port, name, address, gate, then the transport. */
export class PoliteClient {
  readonly #parts: PoliteParts;

  constructor(parts: PoliteParts) {
    this.#parts = parts;
  }

  /** Requests a URL, unless it is refused or its host has to wait. */
  async ask(url: CrawlUrl, host: Host, request: PoliteRequest): Promise<FetchOutcome> {
    const { routes, gatekeeper, transport, clock } = this.#parts;
    const parts = partsOf(url);
    if (isBlockedPort(parts.port)) return { kind: "refused", error: "blocked_port" };
    const finding = routes.find(parts);
    const found = finding instanceof Promise ? await finding : finding;
    if (found.kind !== "route") return found;
    const { target, gate } = found.route;
    const startMs = gatekeeper.enter(host, gate, clock());
    if (startMs > 0) return { kind: "postponed", untilMs: startMs };
    try {
      return await transport.request({
        target,
        path: parts.target,
        headers: request.headers,
        accept: request.accept,
        releases: request.releases,
        maxBodyBytes: request.maxBodyBytes,
        tap: request.tap,
      });
    } finally {
      gatekeeper.leave(host, clock());
    }
  }
}
