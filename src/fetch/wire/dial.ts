import net from "node:net";
import { type WireError, wireErrorOf } from "./wire-error.ts";

/** A connection to the first address that answered, or why there is none. */
export type Dialled =
  | { readonly kind: "connected"; readonly socket: net.Socket; readonly address: string }
  | { readonly kind: "failed"; readonly error: WireError; readonly message: string };

/** Time between two attempts, and for all of them together. */
export interface DialRules {
  readonly staggerMs: number;
  readonly timeoutMs: number;
}

/** RFC 8305, 4: IPv6 first, then the families take turns; within a family the order stays. */
export function interleaved(addresses: readonly string[]): string[] {
  const six = addresses.filter((address) => net.isIPv6(address));
  const four = addresses.filter((address) => !net.isIPv6(address));
  const order: string[] = [];
  for (let i = 0; i < Math.max(six.length, four.length); i++) {
    if (i < six.length) order.push(six[i]!);
    if (i < four.length) order.push(four[i]!);
  }
  return order;
}

/**
 * Happy eyeballs (RFC 8305, 5): attempts begin one after the other, a short while apart or as soon as the one before
 * has failed; earlier ones go on. The first connection that stands wins and the others are destroyed.
 */
export function dial(
  addresses: readonly string[],
  port: number,
  rules: DialRules,
): Promise<Dialled> {
  return new Promise((resolve) => {
    const attempts = new Set<net.Socket>();
    let next = 0;
    let stagger: NodeJS.Timeout | undefined;
    let last: Dialled = { kind: "failed", error: "unreachable", message: "no address" };

    const settle = (result: Dialled) => {
      clearTimeout(stagger);
      clearTimeout(deadline);
      for (const socket of attempts) socket.destroy();
      attempts.clear();
      next = addresses.length;
      resolve(result);
    };
    const deadline = setTimeout(() => {
      const message = `no connection in ${rules.timeoutMs} ms`;
      settle({ kind: "failed", error: "connect_timeout", message });
    }, rules.timeoutMs);

    const attempt = () => {
      clearTimeout(stagger);
      if (next >= addresses.length) return;
      const address = addresses[next++]!;
      const socket = net.connect({ host: address, port });
      attempts.add(socket);
      socket.once("connect", () => {
        socket.removeAllListeners("error");
        attempts.delete(socket);
        settle({ kind: "connected", socket, address });
      });
      socket.once("error", (error) => {
        if (!attempts.delete(socket)) return;
        socket.destroy();
        last = { kind: "failed", error: wireErrorOf(error, false), message: error.message };
        if (next < addresses.length) attempt();
        else if (attempts.size === 0) settle(last);
      });
      if (next < addresses.length) stagger = setTimeout(attempt, rules.staggerMs);
    };
    if (addresses.length === 0) settle(last);
    else attempt();
  });
}
