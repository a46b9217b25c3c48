import { isPublicSuffix } from "../../url/site.ts";
import { type UrlParts, withoutRootDot } from "../../url/url-parts.ts";
import { httpDateMs } from "../http-date.ts";

/** A cookie that may be kept. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** Without a leading dot. */
  readonly domain: string;
  /** Sent to exactly that host, not to those below it. */
  readonly hostOnly: boolean;
  readonly path: string;
  readonly secure: boolean;
  /** Infinity for one that lasts as long as the crawl. */
  readonly expiresAtMs: number;
}

/** Longer ones are refused, name and value together. */
const MAX_COOKIE_BYTES = 4096;

const ADDRESS = /^(?:\[.*\]|\d+\.\d+\.\d+\.\d+)$/;
const SENDABLE = /^[\x20-\x3a\x3c-\x7e\x80-\xff]*$/;

/** Reads one Set-Cookie header (RFC 6265, 5.2 and 5.3, with the prefixes of its successor); undefined: not kept. */
export function parseSetCookie(line: string, from: UrlParts, nowMs: number): Cookie | undefined {
  const [pair, ...rest] = line.split(";", 32);
  const equals = pair!.indexOf("=");
  if (equals < 0) return undefined;
  const name = pair!.slice(0, equals).trim();
  const value = pair!.slice(equals + 1).trim();
  if (name === "" || name.length + value.length > MAX_COOKIE_BYTES) return undefined;
  if (!SENDABLE.test(name) || !SENDABLE.test(value)) return undefined;
  const attributes = attributesOf(rest);
  const host = withoutRootDot(from.hostname.toLowerCase());
  const domain = (attributes.get("domain") ?? "").replace(/^\./, "").toLowerCase();
  const hostOnly = domain === "" || domain === host;
  // A foreign domain, and one that many owners share, are refused; an address has no subdomains.
  if (!hostOnly && (!isBelow(host, domain) || isPublicSuffix(domain))) return undefined;
  const path = attributes.get("path");
  const secure = attributes.has("secure");
  if (secure && !from.secure) return undefined;
  if (/^__(?:secure|host)-/i.test(name) && !secure) return undefined;
  if (/^__host-/i.test(name) && (attributes.has("domain") || path !== "/")) return undefined;
  return {
    name,
    value,
    domain: hostOnly ? host : domain,
    // RFC 6265, 5.3: naming one's own host opens the cookie to what lies below it, except for a public suffix.
    hostOnly: domain === "" || ADDRESS.test(host) || isPublicSuffix(host),
    path: path?.startsWith("/") ? path : defaultPath(from.target),
    secure,
    expiresAtMs: expiryOf(attributes, nowMs),
  };
}

/** Whether a host lies below a domain. */
export function isBelow(host: string, domain: string): boolean {
  return host.endsWith(`.${domain}`) && !ADDRESS.test(host);
}

/** The last of equal attributes counts. */
function attributesOf(parts: readonly string[]): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const part of parts) {
    const equals = part.indexOf("=");
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase();
    attributes.set(name, equals < 0 ? "" : part.slice(equals + 1).trim());
  }
  return attributes;
}

function defaultPath(target: string): string {
  const path = target.split("?", 1)[0]!;
  const slash = path.lastIndexOf("/");
  return slash <= 0 ? "/" : path.slice(0, slash);
}

function expiryOf(attributes: ReadonlyMap<string, string>, nowMs: number): number {
  const maxAge = attributes.get("max-age");
  if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return nowMs + Number(maxAge) * 1000;
  return httpDateMs(attributes.get("expires") ?? "") ?? Number.POSITIVE_INFINITY;
}
