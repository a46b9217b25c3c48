import type net from "node:net";
import type { DialPermits, Target, TransportFailure } from "../transport.ts";
import { isAddressError, type TransportError } from "../transport-error.ts";
import { type DialRules, dial } from "./dial.ts";
import { openTunnel } from "./tunnel.ts";

/** RFC 8305, 5 recommends 250 ms between two attempts. */
const STAGGER_MS = 250;

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
  /** The address of a proxy that answered last, for proxies with several. */
  #answered: string | undefined;

  /** `holds` is true when an idle connection to the target exists. */
  constructor(holds: (target: Target) => boolean, timeoutMs: number, closing: AbortSignal) {
    this.#holds = holds;
    this.#rules = { staggerMs: STAGGER_MS, timeoutMs, closing };
  }

  /** Opens a connection to one of the addresses, unless one to the first is idle. */
  async open(asked: Target, permits: DialPermits | undefined): Promise<Opened> {
    const { addresses = [asked.address], proxy } = asked;
    // Whoever asks chooses the order, but knows nothing of the addresses of a proxy.
    const answered = proxy === undefined ? undefined : this.#answered;
    const isKnown = answered !== undefined && addresses.includes(answered);
    const target = isKnown ? { ...asked, address: answered } : asked;
    if (this.#holds(target) || (isKnown && !isTunnel(asked))) return { kind: "opened", target };
    const order = [target.address, ...addresses.filter((other) => other !== target.address)];
    const dialled = await dial(order, target.connectPort, { ...this.#rules, permits });
    if (dialled.kind === "failed") return dialled;
    const { socket, address } = dialled;
    if (proxy !== undefined) this.#answered = address;
    if (isTunnel(asked)) {
      const authority = `${target.hostname}:${target.port}`;
      const { authorization } = proxy!;
      const { timeoutMs, closing } = this.#rules;
      const failure = await openTunnel(socket, authority, authorization, timeoutMs, closing);
      if (failure !== undefined) return failure;
    }
    return { kind: "opened", target: { ...target, address }, socket };
  }

  /** Stops preferring an address that did not answer: the next request races again. */
  failed(target: Target, error: TransportError): void {
    if (target.proxy !== undefined && isAddressError(error)) this.#answered = undefined;
  }
}
