import { readFileSync } from "node:fs";
import { printable } from "../../config/printable.ts";
import { UsageError } from "../../errors.ts";
import { isPublicSuffix } from "../../url/site.ts";
import type { Cookie } from "./set-cookie.ts";

const HTTP_ONLY = "#HttpOnly_";
const FIELDS = 7;
const MAX_COOKIES = 10_000;
const SENDABLE = /^[\x21-\x3a\x3c-\x7e\x80-\xff]*$/;

/** Reads a cookie file in the Netscape format: domain, below it too, path, secure, expiry, name, value, by tabs. */
export function readCookieFile(path: string): Cookie[] {
  let text: string;
  try {
    text = readFileSync(path, "latin1");
  } catch (cause) {
    throw new UsageError(`--cookie-file ${printable(path)} cannot be read`, cause);
  }
  const cookies: Cookie[] = [];
  for (const [i, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.startsWith(HTTP_ONLY) ? raw.slice(HTTP_ONLY.length) : raw;
    if (line.trim() === "" || line.startsWith("#")) continue;
    const cookie = cookieOf(line.split("\t"));
    if (cookie === undefined || cookies.length === MAX_COOKIES)
      throw new UsageError(
        `--cookie-file ${printable(path)}: line ${i + 1} is no cookie in the Netscape format (seven fields, separated by tabs)`,
      );
    cookies.push(cookie);
  }
  return cookies;
}

function cookieOf(fields: readonly string[]): Cookie | undefined {
  const [place, below, path, secure, expiry, name, value] = fields;
  if (fields.length !== FIELDS || !/^\d+$/.test(expiry!) || !path!.startsWith("/"))
    return undefined;
  if (name === "" || !SENDABLE.test(name!) || !SENDABLE.test(value!)) return undefined;
  const domain = place!.replace(/^\./, "").toLowerCase();
  if (!/^[a-z0-9.[\]:_-]+$/.test(domain)) return undefined;
  return {
    name: name!,
    value: value!,
    domain,
    // One for a public suffix would go to everybody there.
    hostOnly: below!.toUpperCase() !== "TRUE" || isPublicSuffix(domain),
    path: path!,
    secure: secure!.toUpperCase() === "TRUE",
    expiresAtMs: Number(expiry) === 0 ? Number.POSITIVE_INFINITY : Number(expiry) * 1000,
  };
}
