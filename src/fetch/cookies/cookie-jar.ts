import { keepLatest } from "../../runtime/keep-latest.ts";
import { type UrlParts, withoutRootDot } from "../../url/url-parts.ts";
import { type Cookie, isBelow, parseSetCookie } from "./set-cookie.ts";

const MAX_PER_HOST = 50;
/** Hosts whose cookies are kept; the least recently used one is dropped first. */
const MAX_HOSTS = 1000;
/** A request's Cookie header is cut here: servers refuse longer ones. */
const MAX_SENT_BYTES = 8192;
/** Set-Cookie lines looked at in one response. */
const MAX_LINES = 100;

/**
 * The cookies of one crawler thread, by the host that set them. Stricter than browsers: a cookie goes back only to
 * the scheme and port it came from, so no redirect carries it across origins.
 */
export class CookieJar {
  readonly #now: () => number;
  readonly #hosts = new Map<string, Map<string, Cookie>>();
  /** From a cookie file, which names no ports, by domain. */
  readonly #given = new Map<string, Cookie[]>();

  /** `now` is wall time in milliseconds, because cookies expire by the calendar; `given` are those of a cookie file. */
  constructor(now: () => number = Date.now, given: readonly Cookie[] = []) {
    this.#now = now;
    for (const cookie of given)
      this.#given.set(cookie.domain, [...(this.#given.get(cookie.domain) ?? []), cookie]);
  }

  /** Hosts with cookies. */
  get hosts(): number {
    return this.#hosts.size;
  }

  /** Keeps the cookies of a response that may be kept. */
  store(url: UrlParts, lines: readonly string[]): void {
    const nowMs = this.#now();
    for (const line of lines.slice(0, MAX_LINES)) {
      const cookie = parseSetCookie(line, url, nowMs);
      if (cookie !== undefined) this.#keep(originKey(url, cookie.domain), cookie, nowMs);
    }
  }

  /** The value of the Cookie header for a request; undefined when there is none to send. */
  header(url: UrlParts): string | undefined {
    if (this.#hosts.size === 0 && this.#given.size === 0) return undefined;
    const path = url.target.split("?", 1)[0]!;
    const nowMs = this.#now();
    const found: Cookie[] = [];
    const host = withoutRootDot(url.hostname.toLowerCase());
    for (let domain = host; ; domain = domain.slice(domain.indexOf(".") + 1)) {
      if (domain !== host && !isBelow(host, domain)) break;
      const own = this.#hosts.get(originKey(url, domain));
      const given = this.#given.get(domain)?.filter((cookie) => isSendable(cookie, url, own));
      for (const cookie of [...(own?.values() ?? []), ...(given ?? [])]) {
        if (cookie.expiresAtMs <= nowMs || (cookie.hostOnly && domain !== host)) continue;
        if (matchesPath(path, cookie.path)) found.push(cookie);
      }
      if (!domain.includes(".")) break;
    }
    // RFC 6265, 5.4: longer paths first, then in the order of setting.
    found.sort((a, b) => b.path.length - a.path.length);
    let header = "";
    for (const { name, value } of found) {
      const pair = `${name}=${value}`;
      if (header.length + pair.length + 2 > MAX_SENT_BYTES) continue;
      header += header === "" ? pair : `; ${pair}`;
    }
    return header === "" ? undefined : header;
  }

  #keep(key: string, cookie: Cookie, nowMs: number): void {
    const cookies = this.#hosts.get(key) ?? new Map<string, Cookie>();
    const id = `${cookie.name};${cookie.path}`;
    if (cookie.expiresAtMs <= nowMs) {
      cookies.delete(id);
      if (cookies.size === 0) this.#hosts.delete(key);
      return;
    }
    cookies.set(id, cookie);
    if (cookies.size > MAX_PER_HOST) dropOne(cookies, nowMs);
    keepLatest(this.#hosts, key, cookies, MAX_HOSTS);
  }
}

/** A given cookie needs https if it says so, and gives way to one that the server has set since. */
function isSendable(
  { name, path, secure }: Cookie,
  url: UrlParts,
  own: ReadonlyMap<string, Cookie> | undefined,
): boolean {
  return (!secure || url.secure) && own?.has(`${name};${path}`) !== true;
}

/** Drops a cookie that has expired, or else the oldest. */
function dropOne(cookies: Map<string, Cookie>, nowMs: number): void {
  const all = [...cookies];
  const [victim] = all.find(([, cookie]) => cookie.expiresAtMs <= nowMs) ?? all[0]!;
  cookies.delete(victim);
}

function originKey({ secure, port }: UrlParts, domain: string): string {
  return `${secure ? "https" : "http"} ${domain} ${port}`;
}

function matchesPath(path: string, allowed: string): boolean {
  if (!path.startsWith(allowed)) return false;
  return path.length === allowed.length || allowed.endsWith("/") || path[allowed.length] === "/";
}
