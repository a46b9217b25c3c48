import { domainToASCII } from "node:url";
import { keepLatest } from "../runtime/keep-latest.ts";
import { stripPathSessionId, stripQuerySessionId } from "./session-id.ts";

// Sort-friendly URI Reordering Transform: the key of CDX and CDXJ indexes, "org,example)/path?a&b". Replay tools look
// pages up by it, so it follows the Internet Archive's rules exactly, lower-cased paths included: two pages may share a
// key, and the index also holds their URLs.

const PERCENT = 37;

// A path that is its own key: lower-case names without anything that would be escaped, resolved or taken for a session
// id. Most URLs of a crawl have such a path, and a host whose key was made before. The query has a key of its own.
const PLAIN =
  /^(https?:\/\/[A-Za-z0-9.:@_-]+)((?:\/[a-z0-9_~-][a-z0-9._~-]*)*)\/?(?:\?([\x21\x22\x24-\x7e]*))?$/;
/** Keys of hosts; pages of a crawl come from many hosts in turn. */
const hostKeys = new Map<string, string>();
const MAX_HOST_KEYS = 1024;

/** The CDXJ urlkey of a URL; of any text, the key has no spaces and control characters. */
export function surtKey(url: string): string {
  const plain = PLAIN.exec(url);
  if (plain === null) return surtKeySlowly(url);
  const host = plain[1]!;
  let start = hostKeys.get(host);
  if (start === undefined) {
    start = surtKeySlowly(host).slice(0, -1);
    keepLatest(hostKeys, host, start, MAX_HOST_KEYS);
  }
  const key = start + (plain[2] || "/");
  const query = plain[3] === undefined ? "" : queryKey(plain[3]);
  return query === "" ? key : `${key}?${query}`;
}

/** The definition of `surtKey`; tests compare the two. */
export function surtKeySlowly(url: string): string {
  if (url === "") return "-";
  // Records that are not web resources have their own kinds of keys.
  if (url.startsWith("filedesc") || url.startsWith("warcinfo")) return escapeBytes(latin1(url));
  if (url.startsWith("dns:")) return escapeBytes(latin1(`${reversed(url.slice(4))})`));
  const { scheme, authority, path, query } = split(url);
  const { host, port } = splitAuthority(authority, scheme);
  const key = `${reversed(hostKey(host))}${port})${pathKey(path)}`;
  const rest = queryKey(query);
  return rest === "" ? key : `${key}?${rest}`;
}

function split(url: string): { scheme: string; authority: string; path: string; query: string } {
  let text = trimControls(url).replace(/[\n\r\t\u0085\u2028\u2029]+/g, "");
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) text = `http://${text}`;
  text = text.replace(/^(https?:\/\/)\/+/i, "$1");
  const [, scheme, authority, path, query] = /^([^:]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/.exec(
    text,
  )!;
  return { scheme: scheme!.toLowerCase(), authority: authority!, path: path!, query: query ?? "" };
}

/** Without spaces and control characters at both ends. By hand: a regular expression would be quadratic. */
function trimControls(url: string): string {
  let [start, end] = [0, url.length];
  while (start < end && url.charCodeAt(start) <= 32) start++;
  while (end > start && url.charCodeAt(end - 1) <= 32) end--;
  return url.slice(start, end);
}

function splitAuthority(authority: string, scheme: string): { host: string; port: string } {
  const name = authority.slice(authority.lastIndexOf("@") + 1);
  const [, host, port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(name)!;
  const isDefault =
    !port || (scheme === "http" && port === "80") || (scheme === "https" && port === "443");
  return {
    host: host!.replace(/^\[|\]$/g, ""),
    port: isDefault ? "" : escapeBytes(latin1(`:${port}`)),
  };
}

function hostKey(host: string): string {
  const bytes = unescapeAll(latin1(host));
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  // domainToASCII also rewrites odd forms of IPv4; it returns "" for what is not a host, but silently stops at a
  // character that ends a host in a URL.
  const name = (/[/?#\\@:[\]]/.test(text) ? "" : domainToASCII(text)) || bytes;
  const dotted = name.replace(/\.{2,}/g, ".").replace(/^\.|\.$/g, "");
  return escapeBytes(dotted.toLowerCase()).replace(/^(?:www\d*\.)+/, "");
}

function reversed(host: string): string {
  return host.includes(":") ? host : host.split(".").reverse().join(",");
}

function pathKey(path: string): string {
  const kept: string[] = [];
  for (const segment of unescapeAll(latin1(path)).split("/").slice(1)) {
    if (segment === ".") continue;
    if (segment === ".." && kept.length > 0) kept.pop();
    else kept.push(segment);
  }
  const last = kept.pop() ?? "";
  const folders = kept.filter((segment) => segment !== ""); // "//" counts as "/"
  const whole = `/${[...folders, last].join("/")}`;
  const key = stripPathSessionId(escapeBytes(whole).toLowerCase());
  return key.length > 1 && key.endsWith("/") ? key.slice(0, -1) : key;
}

function queryKey(query: string): string {
  const bare = stripQuerySessionId(escapeBytes(unescapeAll(latin1(query)))).toLowerCase();
  if (!bare.includes("&")) return bare;
  return bare.split("&").sort(byNameThenValue).join("&");
}

/** "a" before "a=1" before "a-b": names are compared first, without "=". */
function byNameThenValue(a: string, b: string): number {
  const [nameA, nameB] = [nameOf(a), nameOf(b)];
  if (nameA !== nameB) return nameA < nameB ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function nameOf(argument: string): string {
  const equals = argument.indexOf("=");
  return equals < 0 ? argument : argument.slice(0, equals);
}

/** The UTF-8 bytes of a text, one character each, because escapes stand for bytes. */
function latin1(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

/** Undoes escapes until none is left ("%2525" is "%"), in one pass: a byte that ends an escape shortens the stack. */
function unescapeAll(text: string): string {
  if (!text.includes("%")) return text;
  const stack = new Uint8Array(text.length);
  let top = 0;
  for (let i = 0; i < text.length; i++) {
    stack[top++] = text.charCodeAt(i);
    while (top >= 3 && stack[top - 3] === PERCENT) {
      const byte = hexDigit(stack[top - 2]!) * 16 + hexDigit(stack[top - 1]!);
      if (!(byte >= 0)) break;
      top -= 2;
      stack[top - 1] = byte;
    }
  }
  return Buffer.from(stack.buffer, 0, top).toString("latin1");
}

/** The value of a hexadecimal digit, NaN for any other character. */
function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : Number.NaN;
}

function escapeBytes(bytes: string): string {
  return bytes.replace(
    /[\0-\x20#%\x7f-\xff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}
