import type { Gatekeeper } from "../frontier/gatekeeper.ts";
import type { Host } from "../frontier/host.ts";
import type { HostSettings } from "../frontier/host-settings.ts";
import { isBlockedPort } from "../url/blocked-port.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { hostnameOf, partsOf } from "../url/url-parts.ts";
import type { AddressShares } from "./address-shares.ts";
import type { FetchOutcome, Unanswered } from "./outcome.ts";
import { pauseAskedMs } from "./retry-after.ts";
import { addressGate } from "./route/address.ts";
import { AddressChoice, type Chosen } from "./route/address-choice.ts";
import type { NameResolver } from "./route/resolve.ts";
import type { Route, RouteFinder } from "./route/route.ts";
import type { DialPermits, Transport, TransportRequest } from "./transport.ts";

/** A request without the parts that come from the URL and from politeness. */
export type PoliteRequest = Omit<
  TransportRequest,
  "target" | "path" | "dial" | "onSent" | "maySend" | "resend"
>;

/** Parts of a polite client; all but the gatekeeper are the thread's own. */
export interface PoliteParts {
  readonly transport: Transport;
  readonly routes: RouteFinder;
  readonly gatekeeper: Gatekeeper;
  /** How much of the thread one address may hold; absent where there is one request at a time. */
  readonly addresses?: AddressShares;
  readonly clock: () => number;
  /** Which hosts are blocked; absent where none can be. */
  readonly settings?: Pick<HostSettings, "isBlocked">;
  /** Its questions under way end when the client is closed. */
  readonly resolver?: Pick<NameResolver, "close">;
}

/** A request that may not be sent any more is looked at again after this long. */
const TOO_LATE_MS = 50;

/** The crawl drops what is under way, whatever it waits for. */
const CLOSED: Unanswered = { kind: "failed", error: "aborted", detail: "the client was closed" };

/** Every request of the crawler goes through here: port, name, address, gate, then the transport. */
export class PoliteClient {
  readonly #parts: PoliteParts;
  readonly #addresses = new AddressChoice();
  #isClosed = false;

  constructor(parts: PoliteParts) {
    this.#parts = parts;
  }

  /** Where pauses and delays that a host asks for are made known to everybody. */
  get gatekeeper(): Gatekeeper {
    return this.#parts.gatekeeper;
  }

  /** Requests a URL, unless it is refused or its host has to wait. */
  async ask(url: CrawlUrl, host: Host, request: PoliteRequest): Promise<FetchOutcome> {
    const { routes, gatekeeper, addresses, transport, clock, settings } = this.#parts;
    const parts = partsOf(url);
    if (settings?.isBlocked(hostnameOf(url))) return { kind: "refused", error: "host_blocked" };
    if (isBlockedPort(parts.port)) return { kind: "refused", error: "blocked_port" };
    const finding = routes.find(parts);
    const found = finding instanceof Promise ? await finding : finding;
    if (this.#isClosed) return CLOSED;
    if (found.kind !== "route") return found;
    const { route } = found;
    const chosen = this.#choose(route);
    const nowMs = clock();
    const open = addresses?.of(chosen.gate);
    const startMs =
      (open && addresses!.untilFree(open, nowMs)) || gatekeeper.enter(host, chosen.gate, nowMs);
    if (startMs > 0) return { kind: "postponed", untilMs: startMs };
    if (open !== undefined) open.count++;
    const isSpaced = host.delayMs > 0 || gatekeeper.claimedMs > 0;
    const term =
      host.term === undefined ? undefined : new TermCheck(this.#parts, host, chosen.gate);
    const start = isSpaced ? new SpacedStart(this.#parts, host, route, chosen.gate) : undefined;
    try {
      const result = await transport.request({
        target: chosen.target,
        path: parts.target,
        headers: request.headers,
        accept: request.accept,
        releases: request.releases,
        maxBodyBytes: request.maxBodyBytes,
        tap: request.tap,
        resend: host.delayMs === 0,
        dial: start,
        onSent: start?.onSent,
        maySend: term?.maySend,
      });
      if (term?.isTooLate) return { kind: "postponed", untilMs: clock() + TOO_LATE_MS };
      if (result.kind === "response") {
        // Before the gate opens again, so that nobody slips through.
        const pauseMs = pauseAskedMs(result.response.head);
        if (pauseMs !== undefined) gatekeeper.hold(host, clock() + pauseMs, clock());
        if (chosen !== route) this.#addresses.answered(route.target, result.response.address);
        return result;
      }
      const goOnMs =
        chosen === route ? undefined : this.#addresses.failed(route.target, chosen, result);
      return goOnMs === undefined ? result : { kind: "postponed", untilMs: goOnMs };
    } finally {
      start?.end();
      const endMs = clock();
      gatekeeper.leave(host, endMs);
      if (open !== undefined) addresses!.ended(open, endMs - nowMs);
    }
  }

  /** Drops everything: names that are looked up, connections that open, answers that arrive. Resolves when no handle is left. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#parts.resolver?.close();
    return this.#parts.transport.close();
  }

  /** Most hosts have one address. */
  #choose(route: Route): Chosen {
    const hasOne = route.target.addresses === undefined || route.isProxied;
    return hasOne ? route : this.#addresses.begin(route.target);
  }
}

/** Whether a request to a host that is held for a term may still be sent. */
class TermCheck {
  isTooLate = false;
  readonly maySend: () => boolean;

  constructor({ gatekeeper, clock }: PoliteParts, host: Host, gate: string) {
    this.maySend = () => {
      this.isTooLate = !gatekeeper.maySend(host, gate, clock());
      return !this.isTooLate;
    };
  }
}

/** The start of a request as the gates of its addresses see it: each attempt passes its own, and holds it until something is sent. */
class SpacedStart implements DialPermits {
  readonly #parts: PoliteParts;
  readonly #host: Host;
  readonly #isProxied: boolean;
  /** Gates that are held, and until when. */
  readonly #claims: [gate: string, untilMs: number][] = [];
  #isOver = false;
  readonly onSent = (): void => this.end();

  constructor(parts: PoliteParts, host: Host, { isProxied }: Route, gate: string) {
    this.#parts = parts;
    this.#host = host;
    this.#isProxied = isProxied;
    this.#claims.push([gate, parts.gatekeeper.claimedMs]);
  }

  get spacingMs(): number {
    return this.#parts.gatekeeper.floorMs;
  }

  mayDial(address: string): number {
    if (this.#isProxied) return 0;
    const { gatekeeper, clock } = this.#parts;
    const gate = addressGate(address);
    const untilMs = gatekeeper.dial(this.#host, gate, clock());
    if (untilMs === 0) this.#claims.push([gate, gatekeeper.claimedMs]);
    return untilMs;
  }

  /** The request is written, or there will be none. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const nowMs = this.#parts.clock();
    for (const [gate, untilMs] of this.#claims)
      this.#parts.gatekeeper.sent(this.#host, gate, untilMs, nowMs);
  }
}
