import type net from "node:net";
import { keepLatest } from "../../runtime/keep-latest.ts";
import type { Target, TransportFailure } from "../transport.ts";
import type { TransportError } from "../transport-error.ts";
import { type DialRules, dial } from "./dial.ts";
import { openTunnel } from "./tunnel.ts";

/** RFC 8305, 5 recommends 250 ms between two attempts. */
const STAGGER_MS = 250;
const MAX_REMEMBERED = 10_000;

/** Errors that say something about an address rather than about what answers there. */
const ADDRESS_ERRORS = new Set(["connect_timeout", "connection_refused", "unreachable"]);

/** The target with its address decided, and a connection to it where one had to be opened first. */
export type Opened =
  | { readonly kind: "opened"; readonly target: Target; readonly socket?: net.Socket }
  | TransportFailure;

/** Whether a proxy has to be asked for a tunnel to the target. */
export function isTunnel(target: Target): boolean {
  return target.secure && target.proxy !== undefined;
}

/** Opens connections that take more than one `connect`: races between addresses, and tunnels through proxies. */
export class Dialer {
  readonly #holds: (target: Target) => boolean;
  readonly #rules: DialRules;
  /** The address that answered last, for hosts with several; in order of use. */
  readonly #answered = new Map<string, string>();

  /** `holds` is true when an idle connection to the target exists. */
  constructor(holds: (target: Target) => boolean, timeoutMs: number, closing: AbortSignal) {
    this.#holds = holds;
    this.#rules = { staggerMs: STAGGER_MS, timeoutMs, closing };
  }

  /** Chooses the address, and opens a connection unless one is idle or the address is known to answer. */
  async open(asked: Target): Promise<Opened> {
    const { addresses = [asked.address] } = asked;
    const answered = this.#answered.get(keyOf(asked));
    const isKnown = answered !== undefined && addresses.includes(answered);
    const target = isKnown ? { ...asked, address: answered } : asked;
    if (this.#holds(target) || (isKnown && !isTunnel(asked))) return { kind: "opened", target };
    const order = [target.address, ...addresses.filter((other) => other !== target.address)];
    const dialled = await dial(order, target.connectPort, this.#rules);
    if (dialled.kind === "failed") return dialled;
    const { socket, address } = dialled;
    if (addresses.length > 1) keepLatest(this.#answered, keyOf(asked), address, MAX_REMEMBERED);
    if (isTunnel(asked)) {
      const authority = `${target.hostname}:${target.port}`;
      const { authorization } = asked.proxy!;
      const { timeoutMs, closing } = this.#rules;
      const failure = await openTunnel(socket, authority, authorization, timeoutMs, closing);
      if (failure !== undefined) return failure;
    }
    return { kind: "opened", target: { ...target, address }, socket };
  }

  /** Stops preferring an address that did not answer: the next request races again. */
  failed(target: Target, error: TransportError): void {
    if (ADDRESS_ERRORS.has(error)) this.#answered.delete(keyOf(target));
  }
}

function keyOf({ hostname, port, proxy }: Target): string {
  return proxy === undefined ? `${hostname} ${port}` : "proxy";
}
