import type net from "node:net";
import type { WireClient, WireTarget } from "../wire/client.ts";
import { dial } from "../wire/dial.ts";
import { openTunnel } from "../wire/tunnel.ts";
import type { WireError } from "../wire/wire-error.ts";
import type { Route } from "./route.ts";

/** RFC 8305, 5 recommends 250 ms between two attempts. */
const STAGGER_MS = 250;
const MAX_REMEMBERED = 10_000;

/** Errors that say something about an address rather than about what answers there. */
const ADDRESS_ERRORS = new Set(["connect_timeout", "connection_refused", "unreachable"]);

/** The target with its address decided, and a connection to it where one had to be opened first. */
export type Opened =
  | { readonly target: WireTarget; readonly opened?: net.Socket }
  | { readonly error: WireError; readonly message: string };

/** Opens what the wire client cannot open by itself: races between addresses, and tunnels through proxies. */
export class Dialer {
  readonly #wire: WireClient;
  readonly #timeoutMs: number;
  /** The address that answered last, for hosts that have several; in order of use. */
  readonly #answered = new Map<string, string>();

  constructor(wire: WireClient, timeoutMs: number) {
    this.#wire = wire;
    this.#timeoutMs = timeoutMs;
  }

  /** Whether `open` has anything to do: most hosts have one address and no proxy. */
  isNeeded({ addresses, tunnel }: Route): boolean {
    return addresses.length > 1 || tunnel !== undefined;
  }

  /** Decides the address, and opens a connection unless one is waiting or the address is known to answer. */
  async open(route: Route): Promise<Opened> {
    const target = this.#preferred(route);
    if (this.#wire.holds(target)) return { target };
    const isKnown = target.address === this.#answered.get(keyOf(route.target));
    if (route.tunnel === undefined && (isKnown || route.addresses.length === 1)) return { target };
    const order = [target.address, ...route.addresses.filter((other) => other !== target.address)];
    const rules = { staggerMs: STAGGER_MS, timeoutMs: this.#timeoutMs };
    const dialled = await dial(order, target.connectPort, rules);
    if (dialled.kind === "failed") return dialled;
    const { socket, address } = dialled;
    this.#remember(route, address);
    if (route.tunnel !== undefined) {
      const { hostname, port } = target;
      const { authorization } = route.tunnel;
      const failure = await openTunnel(
        socket,
        `${hostname}:${port}`,
        authorization,
        this.#timeoutMs,
      );
      if (failure !== undefined) return failure;
    }
    return { target: { ...target, address }, opened: socket };
  }

  /** An address that did not answer is not preferred any more: the next request races again. */
  failed(route: Route, error: string): void {
    if (ADDRESS_ERRORS.has(error)) this.#answered.delete(keyOf(route.target));
  }

  #preferred({ target, addresses }: Route): WireTarget {
    const address = this.#answered.get(keyOf(target));
    return address !== undefined && addresses.includes(address) ? { ...target, address } : target;
  }

  #remember({ target, addresses }: Route, address: string): void {
    if (addresses.length === 1) return;
    const key = keyOf(target);
    this.#answered.delete(key);
    this.#answered.set(key, address);
    if (this.#answered.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#answered.keys()) {
      this.#answered.delete(oldest);
      break;
    }
  }
}

function keyOf({ hostname, port, proxy }: WireTarget): string {
  return proxy === undefined ? `${hostname} ${port}` : "proxy";
}
