import { type CrawlUrl, canonicalize, refusalOf } from "../../url/crawl-url.ts";

// "example.org", "example.org:8080/x" or "localhost/x": a host where a scheme should be.
const BARE_HOST = /^(?:[\p{L}\p{N}_-]+\.)+[\p{L}][\p{L}\p{N}-]*\.?(?::\d+)?(?:[/?#].*)?$/u;
const BARE_LOCAL = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?(?:[/?#].*)?$/i;

/** Reads one seed: its canonical URL, or why it is not one. */
export function readSeed(text: string): { url: CrawlUrl } | { reason: string } {
  // WHATWG removes tabs and line ends and encodes spaces; in a seed they are typing errors.
  if (/\s/.test(text))
    return { reason: "it contains white space (a space in a URL is written %20)" };
  const bare = bareHost(text);
  if (bare !== undefined) return { reason: `it has no scheme; did you mean ${bare}?` };
  const url = canonicalize(text);
  if (url !== undefined) return { url };
  return { reason: reasonOf(text) };
}

/** Why a text cannot be a seed, or undefined when it can. */
export function seedRefusal(text: string): string | undefined {
  const seed = readSeed(text);
  return "reason" in seed ? seed.reason : undefined;
}

/** Whether a seed has a name or password in it: `canonicalize` leaves them out, because none is ever sent. */
export function hasCredentials(text: string): boolean {
  if (!text.includes("@") || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username !== "" || password !== "";
}

/** A text that may be a URL, without a password that may be in it, for messages and reports. */
export function withoutCredentials(text: string): string {
  return text.replace(/\/\/[^/?#\s]*@/, "//");
}

function bareHost(text: string): string | undefined {
  if (BARE_LOCAL.test(text)) return `http://${text}`;
  return BARE_HOST.test(text) ? `https://${text}` : undefined;
}

function reasonOf(text: string): string {
  if (text === "") return "it is empty";
  const refusal = refusalOf(text);
  if (refusal === "url_too_long") return "it is too long for a URL";
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1];
  if (refusal === "blocked_scheme" && scheme !== undefined) {
    return `only http and https are crawled, not ${scheme.toLowerCase()}`;
  }
  if (/^https?:\/*$/i.test(text)) return "it has no host";
  return scheme === undefined ? "it has no scheme such as https://" : "it is not a valid URL";
}
