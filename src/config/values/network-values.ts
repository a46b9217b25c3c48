import { isIP, isIPv4 } from "node:net";

/** A name that is always reached at this address and port. */
export interface FixedAddress {
  readonly host: string;
  readonly address: string;
  readonly port: number;
}

const HOST_NAME =
  /^(?=.{1,253}\.?$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;

/** Reads HOST:ADDR:PORT (an IPv6 address stands in brackets); a string is the reason for a refusal. */
export function parseResolve(text: string): FixedAddress | string {
  const match = /^([^:]+):(\[[^\]]+\]|[^:]+):(\d+)$/.exec(text);
  if (match === null) return wrongOrder(text) ?? "it is not of the form HOST:ADDR:PORT";
  const host = match[1]!.toLowerCase();
  const address = match[2]!.replace(/^\[|\]$/g, "");
  const port = Number(match[3]);
  if (!HOST_NAME.test(host)) return `"${host}" is not a host name`;
  if (isIP(address) === 0) return wrongOrder(text) ?? `"${address}" is not an IP address`;
  if (port < 1 || port > 65_535) return `port ${match[3]} is not between 1 and 65535`;
  return { host, address, port };
}

// curl writes HOST:PORT:ADDR; say so instead of only refusing it.
function wrongOrder(text: string): string | undefined {
  const match = /^([^:]+):(\d+):(.+)$/.exec(text);
  if (match === null || isIP(match[3]!.replace(/^\[|\]$/g, "")) === 0) return undefined;
  return `address and port are swapped; did you mean ${match[1]}:${match[3]}:${match[2]}?`;
}

/** Why a text is no address of a name server, with or without a port; undefined when it is. */
export function nameServerRefusal(text: string): string | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text);
  const address = match?.[1] ?? match?.[2] ?? text;
  if (isIP(address) === 0) return "it is not an IP address, or IPv6 with a port lacks its brackets";
  const port = match?.[3];
  if (port === undefined) return undefined;
  return Number(port) >= 1 && Number(port) <= 65_535
    ? undefined
    : `port ${port} is not between 1 and 65535`;
}

/** Why a text is neither an address, nor a range of addresses, nor a host name; undefined when it is. */
export function allowPrivateRefusal(text: string): string | undefined {
  const slash = text.indexOf("/");
  const host = (slash < 0 ? text : text.slice(0, slash)).replace(/^\[(.*)\]$/, "$1");
  if (slash < 0) {
    const known = isIP(host) !== 0 || HOST_NAME.test(host);
    return known ? undefined : "it is neither an address, nor a range, nor a host name";
  }
  if (isIP(host) === 0) return "a range needs an IP address before the /";
  const bits = isIPv4(host) ? 32 : 128;
  const prefix = text.slice(slash + 1);
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits
    ? undefined
    : `the part after the / must be a number from 0 to ${bits}`;
}

/** True for a host that can only be this machine. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  if (host === "localhost" || host.endsWith(".localhost") || host === "::1") return true;
  return isIPv4(host) && host.startsWith("127.");
}
