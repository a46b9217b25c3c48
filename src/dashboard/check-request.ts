import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** Why a request is refused. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** The host of an address with its port, as a Host header has it; undefined when there is no such thing. */
function hostOf(value: string): { readonly name: string; readonly port: string } | undefined {
  const found = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/i.exec(value);
  return found === null ? undefined : { name: found[1]!.toLowerCase(), port: found[2] ?? "80" };
}

/**
 * A page that somebody else's name server leads here (DNS rebinding) comes with that name: only this machine's own names are
 * answered. When the dashboard listens on all addresses any address will do, but still no name.
 */
export function hostRefusal(request: IncomingMessage, isOpen: boolean): Refusal | undefined {
  const host = hostOf(request.headers.host ?? "");
  const port = String(request.socket.localPort);
  const bare = host?.name.replace(/^\[|\]$/g, "") ?? "";
  const isOwn = bare === "localhost" || bare === "127.0.0.1" || bare === "::1";
  if (host?.port === port && (isOwn || (isOpen && isIP(bare) > 0))) return undefined;
  return { status: 421, message: "this dashboard is not known under that name" };
}

/** A request that changes something comes from our own page, or from no page at all. */
export function originRefusal({ headers }: IncomingMessage): Refusal | undefined {
  const { origin, host } = headers;
  const isOurs = origin === undefined || origin === `http://${host}`;
  const site = headers["sec-fetch-site"];
  const isSame = site === undefined || site === "same-origin" || site === "none";
  return isOurs && isSame
    ? undefined
    : { status: 403, message: "another origin may change nothing" };
}

/** Compares in a time that tells nothing about the token, not even its length. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

/** The token comes in a header; for reading, also in the query. */
export function tokenRefusal(
  request: IncomingMessage,
  query: URLSearchParams,
  token: string,
): Refusal | undefined {
  const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1];
  const given = bearer ?? (request.method === "GET" ? query.get("token") : null) ?? "";
  return isSame(given, token)
    ? undefined
    : { status: 403, message: "the token is missing or wrong" };
}
