import net from "node:net";
import type { DialPermits, TransportFailure } from "../transport.ts";
import { wireErrorOf } from "./wire-error.ts";

/** A connection to the first address that answered, or why there is none. */
export type Dialled =
  | { readonly kind: "connected"; readonly socket: net.Socket; readonly address: string }
  | TransportFailure;

/** How long to wait, and when to stop waiting. */
export interface DialRules {
  /** Between two attempts. */
  readonly staggerMs: number;
  /** For all of them together. */
  readonly timeoutMs: number;
  /** The client is being closed. */
  readonly closing: AbortSignal;
  /** Decides about every address but the first, which the caller may connect to. */
  readonly permits?: DialPermits | undefined;
}

/** How a request ends that is under way when the client is closed. */
export const CLOSED: TransportFailure = {
  kind: "failed",
  error: "aborted",
  detail: "the client was closed",
};

/**
 * Happy eyeballs (RFC 8305, 5): attempts begin one after the other, a short while apart or as soon as the one before
 * has failed; earlier ones go on. The first connection that opens wins and the others are destroyed. An address that must
 * not be tried yet ends the row: it is named in the failure, if none of the earlier ones answers.
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
    let last: TransportFailure = { kind: "failed", error: "unreachable", detail: "no address" };
    let untried: TransportFailure["untried"];
    let beganMs = 0;

    const settle = (result: Dialled) => {
      clearTimeout(stagger);
      clearTimeout(deadline);
      rules.closing.removeEventListener("abort", onClosing);
      for (const socket of attempts) socket.destroy();
      attempts.clear();
      next = addresses.length;
      resolve(result);
    };
    const onClosing = () => settle(CLOSED);
    rules.closing.addEventListener("abort", onClosing);
    const deadline = setTimeout(() => {
      const detail = `no connection in ${rules.timeoutMs} ms`;
      settle({ kind: "failed", error: "connect_timeout", detail, untried });
    }, rules.timeoutMs);

    const attempt = () => {
      clearTimeout(stagger);
      if (next >= addresses.length) return;
      const address = addresses[next++]!;
      const untilMs = next === 1 ? 0 : (rules.permits?.mayDial(address) ?? 0);
      if (untilMs > 0) {
        untried = { address, untilMs };
        next = addresses.length;
        if (attempts.size === 0) settle({ ...last, untried });
        return;
      }
      beganMs = performance.now();
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
        last = { kind: "failed", error: wireErrorOf(error, false), detail: error.message };
        if (next < addresses.length) {
          clearTimeout(stagger);
          const sinceMs = performance.now() - beganMs;
          const spacingMs = Math.min(rules.permits?.spacingMs ?? 0, rules.staggerMs);
          if (sinceMs >= spacingMs) attempt();
          else stagger = setTimeout(attempt, spacingMs - sinceMs);
        } else if (attempts.size === 0) settle({ ...last, untried });
      });
      if (next < addresses.length) stagger = setTimeout(attempt, rules.staggerMs);
    };
    if (addresses.length === 0) settle(last);
    else attempt();
  });
}
