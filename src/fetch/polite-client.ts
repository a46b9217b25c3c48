import type { Gatekeeper } from "../frontier/gatekeeper.ts";
import type { Host } from "../frontier/host.ts";
import type { HostSettings } from "../frontier/host-settings.ts";
import { isBlockedPort } from "../url/blocked-port.ts";
import type { CrawlUrl } from "../url/crawl-url.ts";
import { hostnameOf, partsOf } from "../url/url-parts.ts";
import { type AddressShares, ended, type OpenRequests } from "./address-shares.ts";
import type { FetchOutcome, Unanswered } from "./outcome.ts";
import { promiseOf, type Receiver, tell } from "./receiver.ts";
import { pauseAskedMs } from "./retry-after.ts";
import { addressGate } from "./route/address.ts";
import { AddressChoice, type Chosen } from "./route/address-choice.ts";
import type { NameResolver } from "./route/resolve.ts";
import type { Route, RouteFinder, RouteFound } from "./route/route.ts";
import type {
  DialPermits,
  Target,
  Transport,
  TransportRequest,
  TransportResult,
} from "./transport.ts";

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
  readonly settings?: Pick<HostSettings, "blocked">;
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
  ask(url: CrawlUrl, host: Host, request: PoliteRequest): Promise<FetchOutcome> {
    return promiseOf((receiver) => this.send(url, host, request, receiver));
  }

  /** The same without a promise: returns the outcome if it is known at once, otherwise the receiver is told. */
  send(
    url: CrawlUrl,
    host: Host,
    request: PoliteRequest,
    receiver: Receiver<FetchOutcome>,
  ): FetchOutcome | undefined {
    const { routes, settings } = this.#parts;
    const wanted = partsOf(url);
    const blocked = settings?.blocked;
    if (blocked !== undefined && blocked.size > 0 && blocked.has(hostnameOf(url)))
      return { kind: "refused", error: "host_blocked" };
    if (isBlockedPort(wanted.port)) return { kind: "refused", error: "blocked_port" };
    const found = routes.find(wanted);
    if (!(found instanceof Promise)) return this.#go(found, wanted.target, host, request, receiver);
    const going = found.then((later) =>
      promiseOf<FetchOutcome>((told) => this.#go(later, wanted.target, host, request, told)),
    );
    tell(going, receiver);
    return undefined;
  }

  /** The route is known: through the gates, and to the transport. */
  #go(
    found: RouteFound,
    path: string,
    host: Host,
    request: PoliteRequest,
    receiver: Receiver<FetchOutcome>,
  ): FetchOutcome | undefined {
    const { gatekeeper, addresses, transport, clock } = this.#parts;
    if (this.#isClosed) return CLOSED;
    if (found.kind !== "route") return found;
    const { route } = found;
    // Most hosts have one address.
    const hasOne = route.target.addresses === undefined || route.isProxied;
    const chosen = hasOne ? route : this.#addresses.begin(route.target);
    const nowMs = clock();
    const open = addresses?.ask(chosen.gate, nowMs);
    const startMs = open?.untilMs || gatekeeper.enter(host, chosen.gate, nowMs);
    if (startMs > 0) return { kind: "postponed", untilMs: startMs };
    if (open !== undefined) open.count++;
    const isSpaced = host.delayMs > 0 || gatekeeper.claimedMs > 0;
    const asked = new PoliteExchange(
      this.#parts,
      this.#addresses,
      path,
      request,
      host,
      chosen,
      hasOne ? undefined : route.target,
      open,
      nowMs,
      isSpaced ? new SpacedStart(this.#parts, host, route, chosen.gate) : undefined,
      host.term === undefined ? undefined : new TermCheck(this.#parts, host, chosen.gate),
      receiver,
    );
    try {
      transport.send(asked, asked);
    } catch (fault) {
      asked.leave();
      throw fault;
    }
    return undefined;
  }

  /** Drops everything: names that are looked up, connections that open, answers that arrive. Resolves when no handle is left. */
  close(): Promise<void> {
    this.#isClosed = true;
    this.#parts.resolver?.close();
    return this.#parts.transport.close();
  }
}

/** One request between its gates and the transport: what it asks for, and who waits for its outcome. */
class PoliteExchange implements TransportRequest, Receiver<TransportResult> {
  readonly target;
  readonly path;
  readonly headers;
  readonly accept;
  readonly releases;
  readonly maxBodyBytes;
  readonly tap;
  readonly resend;
  readonly dial;
  readonly onSent;
  readonly maySend;
  readonly #parts: PoliteParts;
  readonly #addresses: AddressChoice;
  readonly #host: Host;
  readonly #chosen: Chosen;
  /** The target with all its addresses, where one or a few of several were chosen. */
  readonly #several: Target | undefined;
  readonly #open: OpenRequests | undefined;
  /** When it went through the gates. */
  readonly #enteredMs: number;
  readonly #start: SpacedStart | undefined;
  readonly #term: TermCheck | undefined;
  readonly #receiver: Receiver<FetchOutcome>;

  constructor(
    parts: PoliteParts,
    addresses: AddressChoice,
    path: string,
    request: PoliteRequest,
    host: Host,
    chosen: Chosen,
    several: Target | undefined,
    open: OpenRequests | undefined,
    enteredMs: number,
    start: SpacedStart | undefined,
    term: TermCheck | undefined,
    receiver: Receiver<FetchOutcome>,
  ) {
    this.target = chosen.target;
    this.path = path;
    this.headers = request.headers;
    this.accept = request.accept;
    this.releases = request.releases;
    this.maxBodyBytes = request.maxBodyBytes;
    this.tap = request.tap;
    this.resend = host.delayMs === 0;
    this.dial = start;
    this.onSent = start?.onSent;
    this.maySend = term?.maySend;
    this.#parts = parts;
    this.#addresses = addresses;
    this.#host = host;
    this.#chosen = chosen;
    this.#several = several;
    this.#open = open;
    this.#enteredMs = enteredMs;
    this.#start = start;
    this.#term = term;
    this.#receiver = receiver;
  }

  /** The request has a result: what it means, and what it tells about the host. */
  settled(result: TransportResult): void {
    const { gatekeeper, clock } = this.#parts;
    let outcome: FetchOutcome = result;
    try {
      if (this.#term?.isTooLate) {
        outcome = { kind: "postponed", untilMs: clock() + TOO_LATE_MS };
      } else if (result.kind === "response") {
        const { head, address } = result.response;
        // Before the gate opens again, so that nobody slips through.
        const pauseMs = head.status < 400 ? undefined : pauseAskedMs(head);
        if (pauseMs !== undefined) gatekeeper.hold(this.#host, clock() + pauseMs, clock());
        if (this.#several !== undefined) this.#addresses.answered(this.#several, address);
      } else if (this.#several !== undefined) {
        const goOnMs = this.#addresses.failed(this.#several, this.#chosen, result);
        if (goOnMs !== undefined) outcome = { kind: "postponed", untilMs: goOnMs };
      }
    } finally {
      this.leave();
    }
    this.#receiver.settled(outcome);
  }

  threw(fault: unknown): void {
    this.leave();
    this.#receiver.threw(fault);
  }

  /** The request is over, whatever became of it: its gates open again in their time. */
  leave(): void {
    const { gatekeeper, clock } = this.#parts;
    this.#start?.end();
    const endMs = clock();
    gatekeeper.leave(this.#host, endMs);
    if (this.#open !== undefined) ended(this.#open, endMs - this.#enteredMs);
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
